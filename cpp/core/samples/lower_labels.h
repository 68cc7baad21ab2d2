// Better labels from what samples say of each other.
#pragma once

#include <functional>

#include "base/guard.h"
#include "samples/samples.h"
#include "task/task.h"

namespace sing {

struct Lowering {
    bool by_equals;      // equal samples all get the least of their labels
    bool by_successors;  // and no label is more than one above that of a sample that holds in a successor
};

// Lowers labels until nothing changes. A sample that says less than another holds where the other does, so a partial
// state's operator leads to every sample whose facts all hold after it; only operators whose preconditions hold for
// certain are looked at. Labels that were lengths of ways to the goal stay that, and so stay at or above the distance.
//
// Successors are looked at only where operators change the same facts in every state. They are given up where the steps
// between samples do not fit the memory; where the time is up, those found so far count. Returns whether there was time
// for all. Throws std::bad_alloc where equal samples could not be found.
bool lower_labels(const Task& task, const Lowering& lowering, std::size_t num_threads, const SamplingLimits& limits,
                  const std::function<bool()>& keep_going, Samples& samples);

}  // namespace sing
