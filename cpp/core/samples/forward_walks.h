// States of random walks from the initial state.
#pragma once

#include <functional>

#include "samples/samples.h"
#include "task/task.h"

namespace sing {

struct ForwardWalks {
    std::uint32_t count;
    std::uint32_t min_steps, max_steps;  // each walk has a random length between these; dead ends end it early
    std::uint64_t seed;
};

// The last state of each walk, full and with label 0, or of as many walks as there is time and memory for. Walk number
// i depends on the seed and on i alone.
Samples last_states_of_walks(const Task& task, const ForwardWalks& walks, const SamplingLimits& limits,
                             const std::function<bool()>& keep_going);

}  // namespace sing
