// Plans executed step by step, on nothing but the task: what a search claims is checked without any part of a search.
//
// All effects whose conditions hold before a step take place; where two of them set one variable, the later one in the
// operator's list does, as in Fast Downward. Then derived values follow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/guard.h"
#include "base/ids.h"
#include "task/task.h"

namespace sing {

struct Execution {
    // Steps that could be executed: all of them, or those before the first that is not applicable.
    std::size_t num_steps = 0;
    // What that step lacks, or where all steps could be executed what the goal lacks. Empty: the plan is valid.
    std::vector<Fact> missing;
    // The sum of the costs, under the task's metric, as high × 2^64 + low: costs have 63 bits each.
    std::uint64_t cost_high = 0, cost_low = 0;
};

// From the initial state. The operators must be positions in the task. Throws what the guard throws.
Execution execute(const Task& task, std::span<const OperatorId> operators, const Guard& guard);

}  // namespace sing
