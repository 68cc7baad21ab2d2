// The last step of making a task, from whichever text it comes.
#pragma once

#include "base/guard.h"
#include "task/task.h"

namespace sing {

// Replaces the defaults of derived variables in the initial state by the values that follow there, and derived goals by
// what operators change, see unfold_goal().
void complete_task(Task& task, const Guard& guard);

}  // namespace sing
