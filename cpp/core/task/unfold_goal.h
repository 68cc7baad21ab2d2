// Goals in the terms that operators change.
#pragma once

#include "base/guard.h"
#include "task/task.h"

namespace sing {

// Replaces derived goals by conjunctions that hold in the same states: a derived fact with one axiom by the conditions
// of that axiom, and a default whose axioms have one condition each by the opposites of these, where they are on
// variables of two values. Example: "all passengers are served" comes from the translator as the default of "some
// passenger is not", and becomes a goal for each passenger, so that goals can be counted. Variables that depend on
// themselves stay.
//
// The goal stays as it is where it would ask for two values of a variable.
void unfold_goal(Task& task, const Guard& guard);

}  // namespace sing
