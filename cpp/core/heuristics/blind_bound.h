// A lower bound that costs nothing.
#pragma once

#include <algorithm>

#include "heuristics/lower_bound.h"
#include "task/operator_costs.h"

namespace sing {

// Knows no more than that a state that is no goal takes the cheapest operator at least.
class BlindBound : public LowerBound {
public:
    explicit BlindBound(const Task& task) : task_(task) {
        for (Cost cost : operator_costs(task, CostKind::REAL)) least_cost_ = std::min(least_cost_, cost);
    }
    Cost evaluate(std::span<const Value> state, Cost, const Guard&) override {
        const bool is_goal = std::ranges::all_of(
            task_.goal, [&](const Fact& fact) { return state[static_cast<std::size_t>(fact.variable)] == fact.value; });
        return is_goal ? 0 : least_cost_;
    }

private:
    const Task& task_;
    Cost least_cost_ = INFINITE_COST;  // where there are no operators, there is no plan
};

}  // namespace sing
