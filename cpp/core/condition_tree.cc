#include "condition_tree.h"

#include <algorithm>

namespace sing {

ConditionTree::ConditionTree(const Task& task) : domain_sizes_(task.domain_sizes()) {}

ConditionTree::NodeId ConditionTree::add(std::vector<Entry> entries) {
    // Entries with a common beginning of conditions become neighbours.
    std::ranges::stable_sort(entries, std::less{}, &Entry::first);
    return build(entries, 0);
}

void ConditionTree::finish() {
    for (const Node& node : nodes_) {
        for (Item item : node.items) items_.push(item);
        items_.close_row();
        for (const Test& test : node.tests) tests_.push(test);
        tests_.close_row();
    }
    nodes_ = {};
}

// The node for entries whose first `depth` conditions are equal and already tested.
ConditionTree::NodeId ConditionTree::build(std::span<const Entry> entries, std::size_t depth) {
    const auto node = static_cast<NodeId>(nodes_.size());
    nodes_.emplace_back();
    std::size_t begin = 0;
    for (; begin < entries.size() && entries[begin].first.size() == depth; ++begin)
        nodes_[node].items.push_back(entries[begin].second);
    while (begin < entries.size()) {
        const std::int32_t variable = entries[begin].first[depth].variable;
        std::size_t end = begin;
        while (end < entries.size() && entries[end].first[depth].variable == variable) ++end;
        build_tests(node, variable, entries.subspan(begin, end - begin), depth);
        begin = end;
    }
    return node;
}

// A table of children by value, or a test for each where they are few among many values: dense
// tables for them would take more memory than the task.
void ConditionTree::build_tests(NodeId node, std::int32_t variable, std::span<const Entry> entries,
                                std::size_t depth) {
    constexpr std::size_t max_single_tests = 4;
    constexpr std::size_t sparse_factor = 8;
    const auto domain_size = static_cast<std::size_t>(domain_sizes_[static_cast<std::size_t>(variable)]);
    std::vector<std::pair<Value, NodeId>> children;
    for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
        const Value value = entries[begin].first[depth].value;
        while (end < entries.size() && entries[end].first[depth].value == value) ++end;
        children.emplace_back(value, build(entries.subspan(begin, end - begin), depth + 1));
    }
    const bool sparse = children.size() <= max_single_tests && children.size() * sparse_factor < domain_size;
    if (children.size() == 1 || sparse) {
        for (const auto& [value, child] : children) nodes_[node].tests.push_back({variable, value, child});
        return;
    }
    const std::size_t table = jumps_.size();
    nodes_[node].tests.push_back({variable, UNDEFINED, static_cast<std::uint32_t>(table)});
    jumps_.resize(table + domain_size, NO_NODE);
    for (const auto& [value, child] : children) jumps_[table + static_cast<std::size_t>(value)] = child;
}

void UsageOrder::sort(std::vector<Fact>& facts) const {
    std::ranges::sort(facts, [&](const Fact& a, const Fact& b) {
        const std::size_t uses_a = uses_[static_cast<std::size_t>(a.variable)];
        const std::size_t uses_b = uses_[static_cast<std::size_t>(b.variable)];
        return uses_a != uses_b ? uses_a > uses_b : a.variable < b.variable;
    });
}

}  // namespace sing
