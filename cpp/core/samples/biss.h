// Labels by stratified sampling from both ends, in the manner of BiSS.
#pragma once

#include <functional>

#include "samples/samples.h"
#include "samples/state_types.h"
#include "task/task.h"

namespace sing {

struct BissConfig {
    TypeSystem types;
    std::uint32_t max_types;      // of a level; 0: as many as there are
    std::uint32_t num_probes;     // backward samplings, all of which count
    std::uint32_t max_levels;     // of each sampling in either direction
    std::uint64_t backward_work;  // backward steps of each probe, at most
    std::uint64_t forward_work;   // successors for each state, at most
    std::uint64_t seed;
};

// The starts with labels, in their order. Level by level stratified sampling goes backward from the goal, by
// regression, once for all; and forward from each start, until a state of a level has all facts of a state met
// backward. The label is the least sum of the two levels: the length of a way to the goal, so never below the distance,
// and equal to it where every state is its own type, regression is exact and the work is enough. Starts that meet
// nothing, or have an undefined value, are left out.
//
// Random numbers depend on the seed and on the number of a start, so the number of threads changes nothing.
SamplingStatus label_by_biss(const Task& task, const Samples& starts, const BissConfig& config, std::size_t num_threads,
                             const SamplingLimits& limits, const std::function<bool(std::size_t)>& progress,
                             Samples& samples);

}  // namespace sing
