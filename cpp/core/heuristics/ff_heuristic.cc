#include "heuristics/ff_heuristic.h"

#include <algorithm>

namespace sing {
namespace {

// Costs are clamped here, so that no sum of two can overflow.
constexpr Estimate MAX_COST = 100'000'000;

Estimate clamped_sum(Estimate a, Estimate b) { return std::min(a + b, MAX_COST); }

}  // namespace

FFHeuristic::FFHeuristic(const Task& task, std::span<const Estimate> weights, const Guard& guard)
    : Heuristic(task, guard),
      rules_(task, guard),
      factored_(rules_, weights, guard),
      is_goal_(factored_.num_facts()),
      initial_progress_(guard.memory()),
      progress_(factored_.size(), guard.memory()),
      cost_(factored_.num_facts(), guard.memory()),
      reached_by_(factored_.num_facts(), guard.memory()),
      queue_(guard.memory()),
      fact_mark_(rules_.num_facts()),
      rule_mark_(rules_.size(), guard.memory()),
      made_by_(rules_.num_facts()),
      num_needs_(rules_.num_facts()),
      num_made_(rules_.size(), guard.memory()) {
    set_goal(task.goal);
    for (std::uint32_t rule = 0; rule < factored_.size(); ++rule) {
        const std::size_t num_conditions = factored_.conditions(rule).size();
        initial_progress_.push_back({static_cast<std::int32_t>(num_conditions), factored_.weight(rule)});
        if (num_conditions == 0) without_conditions_.push_back(rule);
        guard.poll(1);
    }
}

void FFHeuristic::set_goal(std::span<const Fact> goal) {
    for (FactId fact : goal_) is_goal_[fact] = 0;
    goal_.clear();
    for (const Fact& fact : goal) {
        goal_.push_back(rules_.fact_id()(fact));
        is_goal_[goal_.back()] = 1;
    }
}

void FFHeuristic::reach(FactId fact, Estimate cost, std::uint32_t by) {
    if (cost >= cost_[fact]) return;
    cost_[fact] = cost;
    reached_by_[fact] = by;
    queue_.push(cost, fact);
}

// Dijkstra from the state's facts until every goal has its final cost. False where one has none.
bool FFHeuristic::explore(std::span<const Value> state) {
    progress_ = initial_progress_;
    std::ranges::fill(cost_, DEAD_END);
    queue_.clear();
    for (std::size_t i = 0; i < state.size(); ++i) reach(rules_.fact_id()(i, state[i]), 0, NO_RULE);
    for (std::uint32_t rule : without_conditions_)
        for (FactId added : factored_.added(rule)) reach(added, factored_.weight(rule), rule);

    std::size_t num_open_goals = goal_.size();
    if (num_open_goals == 0) return true;
    Estimate cost = 0;
    FactId fact = 0;
    while (queue_.pop(cost, fact)) {
        if (cost > cost_[fact]) continue;  // reached more cheaply since
        if (is_goal_[fact] && --num_open_goals == 0) return true;
        num_steps_ += 1 + factored_.unions_of(fact).size() + factored_.with_condition(fact).size();
        for (FactId of_several : factored_.unions_of(fact)) reach(of_several, cost, fact);
        for (std::uint32_t rule : factored_.with_condition(fact)) {
            Progress& progress = progress_[rule];
            progress.cost = clamped_sum(progress.cost, cost);
            if (--progress.unsatisfied == 0)
                for (FactId added : factored_.added(rule)) reach(added, progress.cost, rule);
        }
    }
    return false;
}

// The number of operators of the relaxed plan that the achievers spell out.
Estimate FFHeuristic::extract() {
    ++extraction_;
    plan_.clear();
    to_support_.assign(goal_.begin(), goal_.end());
    while (!to_support_.empty()) {
        const FactId fact = to_support_.back();
        to_support_.pop_back();
        if (fact_mark_[fact] == extraction_) {
            ++num_needs_[fact];
            continue;
        }
        fact_mark_[fact] = extraction_;
        num_needs_[fact] = 1;
        const std::uint32_t by = reached_by_[fact];
        const RuleId rule = made_by_[fact] = by == NO_RULE ? NO_RULE : factored_.origin(by, reached_by_);
        if (rule == NO_RULE) continue;
        if (rule_mark_[rule] == extraction_) {
            ++num_made_[rule];
            continue;
        }
        rule_mark_[rule] = extraction_;
        num_made_[rule] = 1;
        if (rules_.is_operator(rule)) plan_.push_back(OperatorId{rule});
        for (FactId condition : rules_.conditions(rule)) to_support_.push_back(condition);
    }
    return static_cast<Estimate>(plan_.size());
}

Estimate FFHeuristic::evaluate(std::span<const Value> state) { return explore(state) ? extract() : DEAD_END; }

Estimate FFHeuristic::additive_estimate(std::span<const Value> state) {
    if (!explore(state)) return DEAD_END;
    Estimate sum = 0;
    for (FactId goal : goal_) sum = clamped_sum(sum, cost_[goal]);
    return sum;
}

}  // namespace sing
