// Regression through effects without conditions.
#pragma once

#include <memory>

#include "base/guard.h"
#include "samples/backward_space.h"
#include "task/task.h"

namespace sing {

// Partial states, and all operators that achieve one of their facts and contradict none.
std::unique_ptr<BackwardSpace> make_regression_space(const Task& task, const Guard& guard);

}  // namespace sing
