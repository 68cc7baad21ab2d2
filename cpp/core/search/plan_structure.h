// What the steps of a plan need of each other.
#pragma once

#include <span>
#include <vector>

#include "base/ids.h"
#include "base/rng.h"
#include "task/task.h"

namespace sing {

// The facts that must hold so that the steps can be executed one after the other and reach the goal: the goal,
// regressed through them from the last to the first. Sorted. The task must have neither conditional effects nor axioms.
std::vector<Fact> facts_needed(const Task& task, std::span<const OperatorId> steps);

// The same steps in another order that leads through the plan's last state, too: no two change places of which one
// changes a variable that the other has a condition or an effect on. Steps that need each other come close to each
// other in it, such as all that one of several trucks does. The task must not have axioms.
std::vector<OperatorId> reordered(const Task& task, std::span<const OperatorId> plan, Rng& rng);

}  // namespace sing
