// Cheaper plans from a plan: removes needless operators and detours of a greedy search.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "task/task.h"

namespace sing {

struct ShorteningLimits {
    double time_s;
    std::size_t memory_bytes;
    std::uint64_t num_generated;  // successors; where they alone end it, the same plan comes out every time
};

// Two steps in turns, as long as they help:
// - operators that others do not need are left out: an operator is dropped, with all that no longer apply
//   after it, where the goal is still reached (Nakhost & Müller 2010, action elimination);
// - the states around the plan are explored breadth first, and a cheapest plan through them is taken, of cheapest ones
//   one with fewest operators (the same, plan neighbourhood graph search). A neighbourhood that did not help is
//   explored again twice as large.
//
// `plan` must lead from the task's initial state to its goal; what comes back does too, is never dearer, and never has
// more operators where it costs the same. Where costs are not used this is about the number of operators.
// `progress(successors generated)`, called about ten times a second, returns false to stop. Throws
// std::invalid_argument where the plan is wrong.
struct ShorterPlan {
    std::vector<OperatorId> operators;
    bool is_cheapest;  // all that can be reached was looked at, or it costs next to nothing
};
ShorterPlan shorten_plan(const Task& task, std::span<const OperatorId> plan, const ShorteningLimits& limits,
                         const std::function<bool(std::uint64_t)>& progress);

}  // namespace sing
