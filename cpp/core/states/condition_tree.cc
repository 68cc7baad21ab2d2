#include "states/condition_tree.h"

#include <algorithm>

namespace sing {

ConditionTree::ConditionTree(const Task& task) : domain_sizes_(task.domain_sizes()) {}

ConditionTree::NodeId ConditionTree::add(const Csr<Fact>& conditions, std::vector<Item> items) {
    // Items with a common beginning of conditions become neighbours.
    std::ranges::stable_sort(
        items, [&](Item a, Item b) { return std::ranges::lexicographical_compare(conditions[a], conditions[b]); });
    return build(conditions, items, 0);
}

void ConditionTree::finish() {
    nodes_.push_back(end());
    for (std::size_t node = 0; node < building_.size(); ++node) {
        nodes_[node].tests = end().tests;
        tests_.insert(tests_.end(), building_[node].begin(), building_[node].end());
    }
    nodes_.back().tests = end().tests;
    building_ = {};
}

// The node for items whose first `depth` conditions are equal and already tested.
ConditionTree::NodeId ConditionTree::build(const Csr<Fact>& conditions, std::span<const Item> items,
                                           std::size_t depth) {
    const auto node = static_cast<NodeId>(building_.size());
    building_.emplace_back();
    nodes_.push_back(end());
    if (items.size() == 1) {
        const auto rest = conditions[items.front()].subspan(depth);
        rests_.insert(rests_.end(), rest.begin(), rest.end());
        items_.push_back(items.front());
        return node;
    }
    std::size_t begin = 0;
    for (; begin < items.size() && conditions[items[begin]].size() == depth; ++begin) items_.push_back(items[begin]);
    auto variable_of = [&](Item item) { return conditions[item][depth].variable; };
    while (begin < items.size()) {
        const std::int32_t variable = variable_of(items[begin]);
        std::size_t end = begin;
        while (end < items.size() && variable_of(items[end]) == variable) ++end;
        build_tests(node, variable, conditions, items.subspan(begin, end - begin), depth);
        begin = end;
    }
    return node;
}

// A table of children by value, or a test for each where they are few among many values: dense
// tables for them would take more memory than the task.
void ConditionTree::build_tests(NodeId node, std::int32_t variable, const Csr<Fact>& conditions,
                                std::span<const Item> items, std::size_t depth) {
    constexpr std::size_t max_single_tests = 4;
    constexpr std::size_t sparse_factor = 8;
    const auto domain_size = static_cast<std::size_t>(domain_sizes_[static_cast<std::size_t>(variable)]);
    std::vector<std::pair<Value, NodeId>> children;
    auto value_of = [&](Item item) { return conditions[item][depth].value; };
    for (std::size_t begin = 0, end = 0; begin < items.size(); begin = end) {
        const Value value = value_of(items[begin]);
        while (end < items.size() && value_of(items[end]) == value) ++end;
        children.emplace_back(value, build(conditions, items.subspan(begin, end - begin), depth + 1));
    }
    const bool sparse = children.size() <= max_single_tests && children.size() * sparse_factor < domain_size;
    if (children.size() == 1 || sparse) {
        for (const auto& [value, child] : children) building_[node].push_back({variable, value, child});
        return;
    }
    const std::size_t table = jumps_.size();
    building_[node].push_back({variable, UNDEFINED, static_cast<std::uint32_t>(table)});
    jumps_.resize(table + domain_size, NO_NODE);
    for (const auto& [value, child] : children) jumps_[table + static_cast<std::size_t>(value)] = child;
}

void UsageOrder::sort(std::span<Fact> facts) const {
    std::ranges::sort(facts, [&](const Fact& a, const Fact& b) {
        const std::size_t uses_a = uses_[static_cast<std::size_t>(a.variable)];
        const std::size_t uses_b = uses_[static_cast<std::size_t>(b.variable)];
        return uses_a != uses_b ? uses_a > uses_b : a.variable < b.variable;
    });
}

}  // namespace sing
