#include "heuristics/cost_weights.h"

#include <algorithm>
#include <cmath>

namespace sing {

std::vector<Estimate> cost_weights(const Task& task, const Guard& guard) {
    constexpr double mean_weight = 8, most = 1000;
    double total = 0;
    std::size_t num_positive = 0;
    Cost least = INFINITE_COST, greatest = 0;
    for (std::uint32_t op = 0; op < task.operators.size(); ++op) {
        const Cost cost = task.cost_of(OperatorId{op});
        least = std::min(least, cost);
        greatest = std::max(greatest, cost);
        total += static_cast<double>(cost);
        num_positive += cost > 0;
    }
    if (least >= greatest) return {};
    const double factor = mean_weight * static_cast<double>(num_positive) / total;
    guard.take(task.operators.size() * sizeof(Estimate));
    guard.poll(task.operators.size());
    std::vector<Estimate> weights;
    weights.reserve(task.operators.size());
    for (std::uint32_t op = 0; op < task.operators.size(); ++op) {
        const double weight = 1 + std::round(factor * static_cast<double>(task.cost_of(OperatorId{op})));
        weights.push_back(static_cast<Estimate>(std::min(weight, most)));
    }
    return weights;
}

}  // namespace sing
