// The backward spaces by name.
#pragma once

#include <memory>
#include <string_view>

#include "base/guard.h"
#include "samples/backward_space.h"
#include "task/task.h"

namespace sing {

// "eo": full states and the forward operators. "ei": full states and the inverse operators.
// "r": regression on partial states. Where `consistent_starts`, full states are drawn free of
// mutexes. Throws std::invalid_argument for another name, and where the task has conditional effects or axioms for all
// but "r". The task must outlive the space.
std::unique_ptr<BackwardSpace> make_backward_space(std::string_view name, const Task& task, bool consistent_starts,
                                                   const Guard& guard);

}  // namespace sing
