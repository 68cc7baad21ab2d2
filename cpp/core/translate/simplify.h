// A task without values that no operator can lead to.
#pragma once

#include "base/guard.h"
#include "task/task.h"

namespace sing::translate {

enum class Solvability { OPEN, SOLVED, UNSOLVABLE };

// Drops the values of a variable that cannot be reached from its initial value by single changes of it, variables that
// have one value left, and operators and axioms that need dropped values or change nothing; operators without effects
// stay where `keeps_no_ops`. Where the goal is found to hold always or never, the task is left half done.
Solvability drop_unreachable_values(Task& task, bool keeps_no_ops, const Guard& guard);

}  // namespace sing::translate
