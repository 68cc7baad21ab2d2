// What each operator of a task costs, counted in one of several ways.
#pragma once

#include <cstdint>
#include <vector>

#include "base/cost.h"
#include "task/task.h"

namespace sing {

enum class CostKind : std::uint8_t {
    REAL,      // under the task's metric
    PLUS_ONE,  // the same and one more, so that no step is for nothing; 1 where all operators cost 1
    UNIT,      // 1
};

// By operator.
std::vector<Cost> operator_costs(const Task& task, CostKind kind);

}  // namespace sing
