// Regression through conditional effects and axioms.
#pragma once

#include <memory>

#include "base/guard.h"
#include "samples/backward_space.h"
#include "task/task.h"

namespace sing {

// Partial states hold ordinary facts only, and whatever is chosen on the way holds in all full states that agree:
// - A derived fact is replaced by the conditions of one of its axioms, chosen at random, and a default by the opposite
// of
//   one condition of each axiom. "Not this value" becomes another value, chosen at random.
// - A step over an operator chooses one effect that achieves a fact of the state; its conditions are needed before. For
//   each other fact on a variable that the operator may set, it chooses whether an effect achieves it or it was there
//   before. Of each effect that would undo either, one condition is denied.
// A step is refused where such choices contradict each other; other choices may not.
//
// The task must outlive the space.
std::unique_ptr<BackwardSpace> make_general_regression(const Task& task, const Guard& guard);

}  // namespace sing
