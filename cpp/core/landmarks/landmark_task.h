// Landmarks as goals.
#pragma once

#include "base/guard.h"
#include "landmarks/landmarks.h"
#include "task/task.h"

namespace sing {

// The task with one more goal for each landmark that is no goal itself: that one of its facts has held at some time.
// The new goals are variables of two values, set by the operators that achieve such a fact. So whatever is made for
// goals, such as counting, orders, relaxed plans, novelty, works on landmarks, too; and what a path has achieved is
// part of its states. Task::needed_again tells which facts are needed again.
//
// A plan of either task is one of the other, and operators keep their positions.
Task with_landmarks(const Task& task, const Landmarks& landmarks, const Guard& guard);

}  // namespace sing
