#include "translate/causal_graph.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>

#include "translate/components.h"

namespace sing::translate {
namespace {

constexpr std::size_t FIRST_TABLE_SIZE = 1024;
// Goals are ordered last: edges to them weigh this much more.
constexpr std::int64_t GOAL_WEIGHT = 100'000;

std::size_t hashed(std::uint64_t key) {
    key *= 0x9E3779B97F4A7C15ull;
    return key ^ (key >> 32);
}

}  // namespace

CausalGraph::CausalGraph(const Task& task, const Guard& guard)
    : guard_(guard),
      num_variables_(static_cast<std::uint32_t>(task.variables.size())),
      table_(FIRST_TABLE_SIZE, Entry{0, 0}, guard.memory()),
      edges_(guard.memory()) {
    count(task);
    std::erase_if(table_, [](const Entry& entry) { return entry.weight == 0; });
    guard.poll(table_.size());
    std::ranges::sort(table_, {}, &Entry::key);
    edges_.reserve(num_variables_, table_.size());
    auto entry = table_.begin();
    for (std::uint32_t source = 0; source < num_variables_; ++source) {
        for (; entry != table_.end() && entry->key >> 32 == source; ++entry)
            edges_.push({static_cast<std::uint32_t>(entry->key), entry->weight});
        edges_.close_row();
    }
    table_ = std::pmr::vector<Entry>(guard.memory());
}

void CausalGraph::add(std::int32_t source, std::int32_t target) {
    if (source == target) return;
    const std::uint64_t key = static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint32_t>(target);
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hashed(key) & mask;
    while (table_[slot].weight != 0 && table_[slot].key != key) slot = (slot + 1) & mask;
    if (table_[slot].weight++ > 0) return;
    table_[slot].key = key;
    if (4 * ++num_entries_ > 3 * table_.size()) grow();
}

void CausalGraph::grow() {
    std::pmr::vector<Entry> old(2 * table_.size(), Entry{0, 0}, guard_.memory());
    std::swap(old, table_);
    const std::size_t mask = table_.size() - 1;
    for (const Entry& entry : old) {
        if (entry.weight == 0) continue;
        std::size_t slot = hashed(entry.key) & mask;
        while (table_[slot].weight != 0) slot = (slot + 1) & mask;
        table_[slot] = entry;
    }
}

// A condition on a variable that has several effects counts once for each of these.
void CausalGraph::count(const Task& task) {
    std::vector<std::int32_t> sources;
    for (const Operator& op : task.operators) {
        sources.clear();
        for (Fact fact : op.preconditions) {
            const auto num_effects =
                std::ranges::count(op.effects, fact.variable, [](const Effect& e) { return e.fact.variable; });
            sources.insert(sources.end(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(num_effects, 1)),
                           fact.variable);
        }
        for (const Effect& effect : op.effects) {
            guard_.poll(1);
            for (std::int32_t source : sources) add(source, effect.fact.variable);
            for (Fact fact : effect.conditions) add(fact.variable, effect.fact.variable);
        }
    }
    for (const Axiom& axiom : task.axioms)
        for (Fact fact : axiom.conditions) add(fact.variable, axiom.fact.variable);
}

std::vector<std::int32_t> CausalGraph::order(const Task& task) const {
    Csr<std::uint32_t> successors(guard_.memory());
    for (std::uint32_t variable = 0; variable < num_variables_; ++variable) {
        for (const Edge& edge : edges(variable)) successors.push(edge.target);
        successors.close_row();
    }
    const auto components = strongly_connected_components(successors, guard_);
    std::vector<std::uint32_t> component_of(num_variables_);
    for (std::uint32_t i = 0; i < components.size(); ++i)
        for (std::uint32_t variable : components[i]) component_of[variable] = i;
    std::vector<char> is_goal(num_variables_, 0);
    for (Fact fact : task.goal) is_goal[static_cast<std::size_t>(fact.variable)] = 1;
    std::vector<std::int32_t> order;
    for (const auto& component : components) sort_component(component, component_of, is_goal, order);
    return order;
}

// Again and again the variable with the least weight of edges from others that are left.
void CausalGraph::sort_component(std::span<const std::uint32_t> component, std::span<const std::uint32_t> component_of,
                                 std::span<const char> is_goal, std::vector<std::int32_t>& order) const {
    std::unordered_map<std::uint32_t, std::int64_t> incoming;
    for (std::uint32_t variable : component) incoming[variable] = 0;
    auto is_inside = [&](const Edge& edge) { return component_of[edge.target] == component_of[component.front()]; };
    // An edge to a goal counts twice, and once with the weight of goals.
    for (std::uint32_t variable : component)
        for (const Edge& edge : edges(variable)) {
            guard_.poll(1);
            if (is_inside(edge))
                incoming[edge.target] += is_goal[edge.target] ? 2 * edge.weight + GOAL_WEIGHT : edge.weight;
        }
    // Variables by weight, in the order in which they got it. What has a lower weight by now has been taken before.
    std::map<std::int64_t, std::deque<std::uint32_t>> by_weight;
    for (std::uint32_t variable : component) by_weight[incoming[variable]].push_back(variable);
    std::unordered_map<std::uint32_t, bool> is_done;
    while (!by_weight.empty()) {
        guard_.poll(1);
        const auto least = by_weight.begin();
        if (least->second.empty()) {
            by_weight.erase(least);
            continue;
        }
        const std::uint32_t variable = least->second.front();
        least->second.pop_front();
        if (is_done[variable]) continue;
        is_done[variable] = true;
        order.push_back(static_cast<std::int32_t>(variable));
        for (const Edge& edge : edges(variable)) {
            guard_.poll(1);
            if (!is_inside(edge) || is_done[edge.target]) continue;
            // What exceeds the weight of goals is lost, as in Fast Downward.
            const std::int64_t weight = edge.weight % GOAL_WEIGHT;
            if (weight == 0) continue;
            for (int times = is_goal[edge.target] ? 2 : 1; times > 0; --times) {
                incoming[edge.target] -= weight;
                by_weight[incoming[edge.target]].push_back(edge.target);
            }
        }
    }
}

std::vector<char> CausalGraph::relevant(const Task& task) const {
    std::pmr::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(guard_.memory());
    for (std::uint32_t source = 0; source < num_variables_; ++source)
        for (const Edge& edge : edges(source)) pairs.emplace_back(edge.target, source);
    const auto predecessors = Csr<std::uint32_t>::from_pairs(num_variables_, pairs, guard_.memory());
    std::vector<char> is_relevant(num_variables_, 0);
    std::vector<std::uint32_t> queue;
    auto reach = [&](std::uint32_t variable) {
        if (!is_relevant[variable]) queue.push_back(variable);
        is_relevant[variable] = 1;
    };
    for (Fact fact : task.goal) reach(static_cast<std::uint32_t>(fact.variable));
    while (!queue.empty()) {
        const std::uint32_t variable = queue.back();
        queue.pop_back();
        guard_.poll(1);
        for (std::uint32_t predecessor : predecessors[variable]) reach(predecessor);
    }
    return is_relevant;
}

}  // namespace sing::translate
