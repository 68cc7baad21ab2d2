// FF's estimate of a state for all its successors at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heuristics/ff_heuristic.h"
#include "heuristics/heuristic.h"

namespace sing {

// One relaxed plan for each state that is expanded: its size is the estimate of all successors, and its operators are
// the preferred ones (Helmert 2006, deferred evaluation). Many times faster than FF where states have many successors;
// what it cannot do is tell siblings apart.
class RelaxedPlanHeuristic : public Heuristic {
public:
    RelaxedPlanHeuristic(const Task& task, const Guard& guard) : Heuristic(task, guard), ff_(task, guard) {}

    Estimate evaluate(std::span<const Value> state) override { return ff_.evaluate(state); }
    void evaluate_successors(const Successors& successors, std::span<Estimate> estimates) override;
    std::span<const std::uint8_t> preferred() const override { return preferred_; }
    std::uint64_t work() const override { return ff_.work(); }

private:
    FFHeuristic ff_;
    std::vector<Value> parent_;  // that ff_ has evaluated last: successors come in several batches
    Estimate parent_estimate_ = 0;
    std::vector<std::uint8_t> preferred_;
};

}  // namespace sing
