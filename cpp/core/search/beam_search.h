// Beam search: breadth first, with only the best states of each layer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/cost.h"
#include "heuristics/heuristic.h"
#include "search/search.h"
#include "task/task.h"

namespace sing {

struct BeamConfig {
    std::size_t width;    // states of a layer at the most; 0: as many as memory allows
    std::size_t history;  // earlier layers whose states do not come again, at the least; 0: all
    bool novelty;         // whether novel states come before others
    std::uint64_t seed;   // which of states with equal estimates are kept
    std::size_t round;    // successors, about, that are generated before the best of them are kept
};

struct BeamLimits {
    SearchLimits search;
    Cost cost;  // a plan must cost less
};

struct BeamStatistics {
    SearchStatistics search;     // of states that were kept: num_registered
    std::size_t num_layers = 0;  // after the initial state's; a plan has as many steps
    std::size_t widest = 0;      // states of the layer that has most
    std::size_t narrowest = 0;   // that memory made of the width; the width where it never did
    bool is_complete = true;     // whether no state was left out but for its cost or as one that was there already
};

struct BeamResult {
    // CUT: the beam is empty, and states had been left out. EXHAUSTED: there is no plan that costs less than the limit.
    SearchStatus status = SearchStatus::EXHAUSTED;
    std::vector<OperatorId> plan;  // meaningful when SOLVED
    Estimate initial_estimate = DEAD_END;
    BeamStatistics statistics;
};

using BeamProgress = std::function<bool(const BeamStatistics&)>;

// From each layer, which begins with the initial state, all successors are generated. Those that an earlier layer has,
// dead ends, and those that cost too much are left out. Of the others the `width` best make the next layer: those of
// least estimate, where it is a network's not rounded. A hash of the state and the seed decides between equal ones. The
// first goal state ends the search. States are novel if they have a fact that no kept state with as many open goals
// had.
//
// So one seed gives one plan whatever the number of threads, and a beam that is never full finds a shortest plan. Each
// layer may take a part of the memory that is left: where the width would need more, the layer is narrower.
class BeamSearch {
public:
    // A thread for each heuristic; all must be the same, and outlive the search with the task.
    BeamSearch(const Task& task, std::vector<Heuristic*> heuristics, const BeamConfig& config);
    ~BeamSearch();

    // Runs once. `progress`, called about ten times a second, returns false to stop.
    BeamResult run(const BeamLimits& limits, const BeamProgress& progress);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sing
