#include "heuristics/ff_heuristic.h"

#include <algorithm>

namespace sing {
namespace {

// Costs are clamped here, so that no sum of two can overflow.
constexpr Estimate MAX_COST = 100'000'000;

Estimate clamped_sum(Estimate a, Estimate b) { return std::min(a + b, MAX_COST); }

}  // namespace

void FFHeuristic::CostQueue::push(Estimate cost, FactId fact) {
    if (cost < NUM_LISTS) {
        lists_[static_cast<std::size_t>(cost)].push_back(fact);
        highest_ = std::max(highest_, cost);
    } else {
        heap_.emplace_back(cost, fact);
        std::ranges::push_heap(heap_, std::greater{});
    }
}

bool FFHeuristic::CostQueue::pop(Estimate& cost, FactId& fact) {
    for (; lowest_ <= highest_; ++lowest_) {
        std::vector<FactId>& list = lists_[static_cast<std::size_t>(lowest_)];
        if (list.empty()) continue;
        cost = lowest_;
        fact = list.back();
        list.pop_back();
        return true;
    }
    if (heap_.empty()) return false;
    std::ranges::pop_heap(heap_, std::greater{});
    cost = heap_.back().first;
    fact = heap_.back().second;
    heap_.pop_back();
    return true;
}

void FFHeuristic::CostQueue::clear() {
    for (; lowest_ <= highest_; ++lowest_) lists_[static_cast<std::size_t>(lowest_)].clear();
    heap_.clear();
    lowest_ = 0;
    highest_ = -1;
}

FFHeuristic::FFHeuristic(const Task& task, std::span<const Estimate> weights, const Guard& guard)
    : Heuristic(task, guard),
      rules_(task, guard),
      condition_of_(guard.memory()),
      initial_progress_(guard.memory()),
      progress_(guard.memory()),
      rule_mark_(rules_.size(), guard.memory()),
      num_made_(rules_.size(), guard.memory()) {
    const std::size_t num_facts = rules_.num_facts();
    is_goal_.assign(num_facts, 0);
    set_goal(task.goal);
    std::pmr::vector<std::pair<FactId, RuleId>> uses(guard.memory());
    for (RuleId rule = 0; rule < rules_.size(); ++rule) {
        const std::span<const FactId> conditions = rules_.conditions(rule);
        for (FactId fact : conditions) uses.emplace_back(fact, rule);
        const Estimate cost = !rules_.is_operator(rule) ? 0 : weights.empty() ? 1 : weights[rule];
        initial_progress_.push_back({static_cast<std::int32_t>(conditions.size()), cost});
        if (conditions.empty()) without_conditions_.push_back(rule);
        guard.poll(1 + conditions.size());
    }
    condition_of_ = Csr<RuleId>::from_pairs(num_facts, uses, guard.memory());
    progress_.resize(rules_.size());
    cost_.resize(num_facts);
    achiever_.resize(num_facts);
    fact_mark_.resize(num_facts);
    num_needs_.resize(num_facts);
}

void FFHeuristic::set_goal(std::span<const Fact> goal) {
    for (FactId fact : goal_) is_goal_[fact] = 0;
    goal_.clear();
    for (const Fact& fact : goal) {
        goal_.push_back(rules_.fact_id()(fact));
        is_goal_[goal_.back()] = 1;
    }
}

void FFHeuristic::reach(FactId fact, Estimate cost, RuleId achiever) {
    if (cost >= cost_[fact]) return;
    cost_[fact] = cost;
    achiever_[fact] = achiever;
    queue_.push(cost, fact);
}

// Dijkstra from the state's facts until every goal has its final cost. False where one has none.
bool FFHeuristic::explore(std::span<const Value> state) {
    progress_ = initial_progress_;
    std::ranges::fill(cost_, DEAD_END);
    queue_.clear();
    for (std::size_t i = 0; i < state.size(); ++i) reach(rules_.fact_id()(i, state[i]), 0, NO_RULE);
    for (RuleId rule : without_conditions_)
        for (FactId added : rules_.added(rule)) reach(added, initial_progress_[rule].cost, rule);

    std::size_t num_open_goals = goal_.size();
    if (num_open_goals == 0) return true;
    Estimate cost = 0;
    FactId fact = 0;
    while (queue_.pop(cost, fact)) {
        if (cost > cost_[fact]) continue;  // reached more cheaply since
        if (is_goal_[fact] && --num_open_goals == 0) return true;
        num_steps_ += 1 + condition_of_[fact].size();
        for (RuleId rule : condition_of_[fact]) {
            Progress& progress = progress_[rule];
            progress.cost = clamped_sum(progress.cost, cost);
            if (--progress.unsatisfied == 0)
                for (FactId added : rules_.added(rule)) reach(added, progress.cost, rule);
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
        const RuleId rule = achiever_[fact];
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
