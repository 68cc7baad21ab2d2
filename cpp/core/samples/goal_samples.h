// What voices are trained on: states with their distance to each goal, as far as it is known.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "samples/patterns.h"
#include "search/search.h"
#include "task/task.h"

namespace sing {

struct GoalSamplesConfig {
    std::size_t num_states;     // states of the search, at most
    std::size_t num_completed;  // patterns made full states, at most
    bool far_labels;            // see below
    PatternConfig patterns;
    std::uint64_t seed;
};

// Two kinds of states.
// - Expanded states of a search. The label for a goal is the number of steps, among those the search has seen, to a
//   state where the goal holds; for a goal that holds nowhere, to a state where a pattern does, and its depth. With
//   `far_labels` a state that leads to neither counts as one step further than those that do and than the patterns of
//   searches.
// - Patterns, their undefined values taken from states of the search as far as mutexes allow. They have a label for the
//   goal of the pattern only: the least depth of its patterns that hold.
// A goal that already holds in a state gets no label there, because the search never evaluates its head.
struct GoalSamples {
    std::vector<Value> states;  // [size, variables]
    std::vector<float> labels;  // [size, goals]; NaN: none
    std::size_t size = 0;
    std::size_t num_patterns = 0;
    std::size_t num_reached = 0;  // goals that the search has seen hold
};

struct GoalSamplesLimits {
    double time_s;
    std::size_t memory_bytes;  // for what regression and matching prepare
};

// From a search of the same task that has run and kept links. Half of the time is for regression at most; where time is
// up or `keep_going` says no (see Deadline) there are fewer samples, or none.
GoalSamples make_goal_samples(const Task& task, const Search& search, const GoalSamplesConfig& config,
                              const GoalSamplesLimits& limits, const std::function<bool()>& keep_going);

}  // namespace sing
