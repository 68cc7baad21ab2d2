// A task without what leads to dead ends.
#pragma once

#include <cstddef>
#include <optional>

#include "base/guard.h"
#include "pairs/excluded_pairs.h"
#include "task/task.h"

namespace sing {

struct PrunedTask {
    Task task;
    std::size_t num_dead = 0;        // operators that no plan has
    std::size_t num_conditions = 0;  // that operators got
};

// The task whose operators do not lead from a state on a way to the goal to one that excluded pairs show to be on none,
// as far as conditions can say that: dead operators never apply, and where an effect leaves a variable but one value
// that it does not change, that value is a condition. So the plans of either task are those of the other, and operators
// keep their positions: what dead ones lack is one more variable, which never changes.
//
// Nothing where there is nothing to change. Once `max_work` words of bits have been looked at, no further operator gets
// conditions.
std::optional<PrunedTask> prune(const Task& task, const ExcludedPairs& pairs, std::size_t max_work, const Guard& guard);

}  // namespace sing
