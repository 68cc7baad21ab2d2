// Eager greedy best-first search.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/guard.h"
#include "goals/goal_orders.h"
#include "heuristics/heuristic.h"
#include "search/link.h"
#include "search/open_list.h"
#include "states/state_packer.h"
#include "states/successor_generator.h"
#include "states/transitions.h"
#include "symmetries/interchangeable_objects.h"
#include "task/task.h"

namespace sing {

// Defaults of everything that can be chosen stand in Python's configuration classes alone, here and in all of the core.
struct SearchConfig {
    std::vector<std::string> queues;  // see QueueOrder; they take turns
    Ties ties;
    std::uint32_t boost;    // turns that the queues of preferred states get where an estimate or o is the least so far
    bool goal_orders;       // whether the key o counts goals that hold too early as open, see OpenGoals
    std::size_t max_links;  // so many steps are kept, see Search::links()
    std::uint64_t seed;
};

struct SearchLimits {
    double time_s;
    std::size_t memory_bytes;  // what run() may allocate, to prepare the search and for its states
    std::uint64_t work;        // successors generated, about, and the heuristic's work
};

// CUT: no state is left, but some were left out before, as beams do.
enum class SearchStatus { SOLVED, EXHAUSTED, OUT_OF_TIME, OUT_OF_MEMORY, OUT_OF_WORK, INTERRUPTED, CUT };

struct SearchStatistics {
    std::uint64_t num_expanded = 0;
    std::uint64_t num_evaluated = 0;
    std::uint64_t num_generated = 0;
    std::uint64_t num_registered = 0;
    std::size_t memory_bytes = 0;  // allocated by the search
    Estimate best_estimate = DEAD_END;
    std::int32_t fewest_open_goals = 0;
    Cost lower_bound = 0;  // of the costs of plans, where the search knows one
    double time_s = 0;
};

struct SearchResult {
    SearchStatus status = SearchStatus::EXHAUSTED;
    std::vector<OperatorId> plan;  // meaningful when SOLVED
    Estimate initial_estimate = DEAD_END;
    SearchStatistics statistics;
};

// Called about ten times a second; returning false stops the search as INTERRUPTED.
using ProgressCallback = std::function<bool(const SearchStatistics&)>;

// What a search prepares by the size of its task. Searches of one task, also in several threads, can share it.
class SearchParts {
public:
    SearchParts(const Task& task, bool goal_orders, const Guard& guard);

    StatePacker packer;
    Transitions transitions;
    SuccessorGenerator generator;
    OpenGoals goals;
};

// Expands states in the order of the open list until a goal state is generated. Unit costs; a
// state is never reopened. EXHAUSTED means that no plan exists.
class Search {
public:
    // The task and the heuristic must outlive the search. Throws std::invalid_argument where the configuration is
    // malformed.
    //
    // Where interchangeable objects are given, one is kept of the states that become each other when such objects are
    // permuted: the first, and of several successors of one state the one that the heuristic prefers. The objects may
    // be those of another task, one whose variables come first in this one, with the same plans. They must outlive the
    // search.
    Search(const Task& task, Heuristic& heuristic, const SearchConfig& config,
           const InterchangeableObjects* interchangeable = nullptr);
    ~Search();

    // Prepares the search and runs it, once.
    SearchResult run(const SearchLimits& limits, const ProgressCallback& progress);

    // Searches from another state than the task's initial one, derived values included; to be called before run().
    void start_from(std::vector<Value> state);
    // The same as run() from another state. The parts must be of this task, with goal orders or
    // without as the search is, and outlive it.
    SearchResult run_from(std::span<const Value> state, const SearchParts& parts, const SearchLimits& limits,
                          const ProgressCallback& progress);

    // What run() has seen. States are numbered in the order they were met, the initial one is 0.
    std::size_t num_states() const;
    std::size_t num_variables() const;
    // Keeps scratch memory for derived values, so that one thread at a time may call it.
    void unpack(StateId id, std::span<Value> values) const;
    // Of an ordinary variable.
    Value value(StateId id, std::int32_t variable) const;
    // All steps from each of the first states expanded, as many as there is room for; from the last of them perhaps
    // only some, where memory ended the search.
    std::span<const Link> links() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sing
