// (Weighted) A* on the costs of operators: cheaper and cheaper plans, and in the end a proof.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/cost.h"
#include "heuristics/heuristic.h"
#include "heuristics/lower_bound.h"
#include "search/search.h"
#include "symmetries/interchangeable_objects.h"
#include "task/operator_costs.h"
#include "task/task.h"

namespace sing {

struct CostSearchConfig {
    std::uint32_t weight;  // f = g + weight × h
    CostKind order;        // the costs that g in f adds up; bounds and plans always have the real costs
    bool preferred;        // whether the operators that the estimate prefers have a second open list, in turns
    std::uint32_t boost;   // turns that this list gets ahead where an estimate is the least so far
};

struct CostSearchLimits {
    double time_s;             // of this call
    std::size_t memory_bytes;  // that the search may hold
    std::uint64_t work;        // of this call: successors generated, about, and the work of the heuristics
    Cost bound;                // only plans that cost less are looked for; INFINITE_COST: any plan
};

// Counts are those of all calls so far.
struct CostSearchResult {
    SearchStatus status = SearchStatus::EXHAUSTED;
    std::vector<OperatorId> plan;  // where SOLVED
    Cost cost = INFINITE_COST;     // of the plan
    Cost initial_bound = 0;        // what the lower bound says of the initial state
    // Its lower_bound: every plan of the task costs at least so much; INFINITE_COST: there is none.
    SearchStatistics statistics;
};

// Each call of run() looks for a plan that is cheaper than the bound and than all plans that earlier calls returned.
// SOLVED: here is one, and another call goes on from there. EXHAUSTED: there is none, so the cheapest known plan is
// proved cheapest. After a limit of time or work another call goes on, too; after one of memory it ends at once.
//
// `bound` prunes: a state is dropped where the cost of the way to it and the bound of the rest reach the cost that is
// to be undercut. `estimate`, which need not be admissible, orders the open list; null: the bound does. States are
// reopened where a cheaper way to them is found, so that nothing is missed whatever the order. With weight 1, the bound
// as estimate and real costs this is A*, and the lower bound rises with f; otherwise it is that of the initial state
// until the search is exhausted. Dead ends of the estimate are believed.
//
// A state takes 17 bytes beside its words, its origin and its place in the hash table, 4 more with an estimate, 8 more
// where f does not add up real costs, and about 50 more for its orbit where objects are interchangeable.
class CostSearch {
public:
    // All must outlive the search. Interchangeable objects are what they are for Search: of states that become each
    // other when such objects are permuted, only the one that is reached most cheaply is kept.
    CostSearch(const Task& task, LowerBound& bound, Heuristic* estimate, const CostSearchConfig& config,
               const InterchangeableObjects* interchangeable = nullptr);
    ~CostSearch();

    CostSearchResult run(const CostSearchLimits& limits, const ProgressCallback& progress);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sing
