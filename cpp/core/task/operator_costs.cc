#include "task/operator_costs.h"

#include <algorithm>

namespace sing {

std::vector<Cost> operator_costs(const Task& task, CostKind kind) {
    std::vector<Cost> costs(task.operators.size(), 1);
    if (kind == CostKind::UNIT || !task.uses_costs) return costs;
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = finite(task.operators[i].cost);
    const bool all_cost_one = std::ranges::all_of(costs, [](Cost cost) { return cost == 1; });
    if (kind == CostKind::PLUS_ONE && !all_cost_one)
        for (Cost& cost : costs) cost = finite_sum(cost, 1);
    return costs;
}

}  // namespace sing
