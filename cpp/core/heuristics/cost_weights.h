// Costs of operators as small numbers, for relaxed plans.
#pragma once

#include <vector>

#include "base/guard.h"
#include "heuristics/heuristic.h"
#include "task/task.h"

namespace sing {

// By operator: 1, and more in proportion to its cost, so that operators of the mean cost weigh nine times as much as
// free ones, and none more than 1,000. So free operators are not endless, and sums stay small whatever the unit of the
// costs. Empty where all operators cost the same, so that their number says it all.
std::vector<Estimate> cost_weights(const Task& task, const Guard& guard);

}  // namespace sing
