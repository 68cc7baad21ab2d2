// Which variables matter for the goal, and in which order they come.
#pragma once

#include "base/guard.h"
#include "task/task.h"

namespace sing::translate {

struct VariableChoice {
    bool keeps_irrelevant = false;  // variables that the goal does not depend on, and operators that only change these
    bool keeps_no_ops = false;
};

// Orders variables by the causal graph: one that others depend on comes before them, and cycles are broken where few
// operators are behind an edge, as in Fast Downward. Numbers the task's variables anew.
void order_variables(Task& task, const VariableChoice& choice, const Guard& guard);

}  // namespace sing::translate
