#include "heuristics/relaxed_plan_heuristic.h"

#include <algorithm>

#include "heuristics/cost_weights.h"

namespace sing {

RelaxedPlanHeuristic::RelaxedPlanHeuristic(const Task& task, CostKind costs, Siblings siblings, const Guard& guard)
    : Heuristic(task, guard),
      ff_(task, costs == CostKind::UNIT ? std::vector<Estimate>() : cost_weights(task, guard), guard) {
    if (costs == CostKind::UNIT) {
        if (siblings == Siblings::ADJUSTED) adjustment_.emplace(ff_, guard);
        return;
    }
    guard.take(task.operators.size() * sizeof(Cost));
    costs_ = operator_costs(task, costs);
}

Estimate RelaxedPlanHeuristic::evaluate(std::span<const Value> state) {
    const Estimate num_operators = ff_.evaluate(state);
    if (num_operators == DEAD_END || costs_.empty()) return num_operators;
    Cost cost = 0;
    for (OperatorId op : ff_.plan()) cost = sum(cost, costs_[index(op)]);
    return static_cast<Estimate>(std::min<Cost>(cost, DEAD_END - 1));
}

void RelaxedPlanHeuristic::evaluate_successors(const Successors& successors, std::span<Estimate> estimates) {
    if (!std::ranges::equal(parent_, successors.parent)) {
        parent_.assign(successors.parent.begin(), successors.parent.end());
        parent_estimate_ = evaluate(parent_);
    }
    std::ranges::fill(estimates, parent_estimate_);
    preferred_.assign(estimates.size(), 0);
    if (parent_estimate_ == DEAD_END) return;
    for (std::size_t i = 0; i < estimates.size(); ++i) {
        const OperatorId op = successors.operators[i];
        preferred_[i] = ff_.is_in_plan(op);
        if (adjustment_)
            estimates[i] = std::max(1, parent_estimate_ + adjustment_->of(parent_, op, changes(successors, i)));
    }
}

}  // namespace sing
