#include "search/window_search.h"

#include <algorithm>
#include <tuple>

#include "heuristics/cost_weights.h"

namespace sing {
bool WindowSearch::Entry::comes_after(const Entry& one, const Entry& other) {
    return std::tie(one.key, one.num_steps, one.tie, one.node) >
           std::tie(other.key, other.num_steps, other.tie, other.node);
}

WindowSearch::WindowSearch(const Task& task, const Guard& guard)
    : task_(task),
      packer_(task),
      transitions_(task, packer_, guard),
      progression_(task, transitions_, guard),
      generator_(task, guard),
      relaxed_(task, cost_weights(task, guard), guard),
      pool_(packer_.num_words(), guard.memory()),
      nodes_(guard.memory()),
      open_(guard.memory()),
      wanted_(task.variables.size(), UNDEFINED),
      values_(task.variables.size()),
      parent_words_(packer_.num_words()),
      words_(packer_.num_words()) {}

std::optional<WindowSearch::Plan> WindowSearch::find(std::span<const Value> start, std::span<const Fact> goal,
                                                     Cost bound, Style style, std::uint64_t max_work, Rng& rng,
                                                     const Guard& guard) {
    const std::uint64_t last_work = work() + max_work;
    bound_ = bound;
    begin(start, goal);
    if (found_ != NOWHERE) return Plan();
    open_.push_back({0, 0, 0, 0, 0});
    while (!open_.empty() && work() < last_work) {
        std::ranges::pop_heap(open_, Entry::comes_after);
        const Entry entry = open_.back();
        open_.pop_back();
        if (nodes_[entry.node].cost != entry.cost || entry.cost >= bound_) continue;
        const std::uint64_t before = work();
        expand(entry, style, rng);
        guard.poll(1 + work() - before);
    }
    if (found_ == NOWHERE) return std::nullopt;
    return way_to(found_);
}

void WindowSearch::begin(std::span<const Value> start, std::span<const Fact> goal) {
    for (const Fact& fact : goal_) wanted_[static_cast<std::size_t>(fact.variable)] = UNDEFINED;
    goal_.assign(goal.begin(), goal.end());
    for (const Fact& fact : goal_) wanted_[static_cast<std::size_t>(fact.variable)] = fact.value;
    relaxed_.set_goal(goal_);
    pool_.clear();
    nodes_.clear();
    open_.clear();
    packer_.pack(start, words_);
    pool_.insert(words_, pool_.hash()(words_));
    nodes_.push_back({0, NOWHERE, NO_OPERATOR});
    const bool holds = std::ranges::all_of(
        goal_, [&](const Fact& fact) { return start[static_cast<std::size_t>(fact.variable)] == fact.value; });
    found_ = holds && bound_ > 0 ? 0 : NOWHERE;
}

void WindowSearch::expand(const Entry& entry, Style style, Rng& rng) {
    std::ranges::copy(pool_.state(entry.node), parent_words_.begin());
    packer_.unpack(parent_words_, values_);
    progression_.enter(values_);
    if (relaxed_.evaluate(values_) == DEAD_END) return;
    Cost estimate = 0;
    for (OperatorId op : relaxed_.plan()) estimate = sum(estimate, task_.cost_of(op));
    const auto num_steps = static_cast<std::int32_t>(relaxed_.plan().size());
    const auto h = static_cast<double>(estimate);
    if (static_cast<double>(entry.cost) + style.pruning * h >= static_cast<double>(bound_)) return;
    num_open_goals_ = 0;
    for (const Fact& fact : goal_) num_open_goals_ += values_[static_cast<std::size_t>(fact.variable)] != fact.value;
    operators_.clear();
    generator_.applicable(values_, operators_);
    num_generated_ += operators_.size();
    for (OperatorId op : operators_) {
        const Cost cost = sum(entry.cost, task_.cost_of(op));
        if (cost >= bound_) continue;
        const bool is_helpful = relaxed_.is_in_plan(op);
        const double left = is_helpful ? h - static_cast<double>(task_.cost_of(op)) : h;
        reach(entry.node, op, cost, static_cast<double>(cost) + style.weight * left, num_steps - is_helpful, rng);
    }
}

void WindowSearch::reach(std::uint32_t parent, OperatorId op, Cost cost, double key, std::int32_t num_steps, Rng& rng) {
    std::ranges::copy(parent_words_, words_.begin());
    std::uint64_t hash = transitions_.apply(op, words_, pool_.hash()(words_), pool_.hash());
    if (transitions_.has_conditions()) hash = transitions_.apply_conditional(op, values_, words_, hash, pool_.hash());
    const auto [id, is_new] = pool_.insert(words_, hash);
    if (is_new) {
        nodes_.push_back({cost, parent, op});
    } else {
        if (nodes_[id].cost <= cost) return;
        nodes_[id] = {cost, parent, op};
    }
    if (reaches_goal(op)) {
        bound_ = cost;
        found_ = id;
        return;
    }
    open_.push_back({key, num_steps, static_cast<std::uint32_t>(rng.next() >> 32), id, cost});
    std::ranges::push_heap(open_, Entry::comes_after);
}

bool WindowSearch::reaches_goal(OperatorId op) {
    std::int32_t num_open = num_open_goals_;
    for (const Fact& fact : progression_.changes(values_, op)) {
        const auto variable = static_cast<std::size_t>(fact.variable);
        if (wanted_[variable] == UNDEFINED) continue;
        num_open += (values_[variable] == wanted_[variable]) - (fact.value == wanted_[variable]);
    }
    return num_open == 0;
}

WindowSearch::Plan WindowSearch::way_to(std::uint32_t node) const {
    Plan way;
    for (; nodes_[node].parent != NOWHERE; node = nodes_[node].parent) way.push_back(nodes_[node].op);
    std::ranges::reverse(way);
    return way;
}

}  // namespace sing
