// Facts that hold at some time in every plan.
#pragma once

#include <optional>
#include <vector>

#include "base/guard.h"
#include "task/task.h"

namespace sing {

// The fact landmarks of the delete relaxation, without those that hold initially, in the order of their numbers; goals
// are among them. Nothing where even the relaxed task has no plan.
//
// What a fact needs is found by propagation (Zhu & Givan 2003): the fact itself and what all its achievers need, an
// achiever needing what its preconditions need. Sets shrink until nothing changes.
std::optional<std::vector<Fact>> find_landmarks(const Task& task, const Guard& guard);

// The task with one more goal for each of these facts: that it has held at some time. A plan of either task is one of
// the other, and operators keep their positions.
//
// The new goals are variables of two values, set by the operators that achieve the fact. So whatever is made for goals,
// such as counting, orders, novelty, voices, works on landmarks, too.
Task with_landmarks(const Task& task, const std::vector<Fact>& landmarks, const Guard& guard);

}  // namespace sing
