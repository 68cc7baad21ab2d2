// The order in which derived variables can be computed.
#pragma once

#include <cstdint>
#include <vector>

#include "base/guard.h"
#include "task/task.h"

namespace sing {

// A strongly connected component of "has an axiom with a condition on". Components are numbered so that each depends on
// none after it. They are finer than the layers of a task.
struct Stratum {
    std::uint32_t number = 0;
    bool is_in_cycle = false;  // the variable depends on itself
};

// By variable.
std::vector<Stratum> find_strata(const Task& task, const Guard& guard);

}  // namespace sing
