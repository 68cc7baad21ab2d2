// FF's estimate of a state for all its successors at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heuristics/ff_heuristic.h"
#include "heuristics/heuristic.h"
#include "heuristics/plan_adjustment.h"
#include "task/operator_costs.h"

namespace sing {

// One relaxed plan for each state that is expanded: its size is the estimate of all successors, and its operators are
// the preferred ones (Helmert 2006, deferred evaluation). Many times faster than FF where states have many successors;
// what it cannot do is tell siblings apart. Where it adjusts, the estimate of each successor is that size and what the
// successor does to the plan, see PlanAdjustment, and at least 1.
//
// Where it counts costs, relaxed plans are made of cheap operators, see cost_weights(), and the estimate is the sum of
// their costs, or of their costs and one for each; the largest estimate stands for what is more.
class RelaxedPlanHeuristic : public Heuristic {
public:
    enum class Siblings { ALIKE, ADJUSTED };

    // Adjusts where it counts operators.
    RelaxedPlanHeuristic(const Task& task, CostKind costs, Siblings siblings, const Guard& guard);

    Estimate evaluate(std::span<const Value> state) override;
    void evaluate_successors(const Successors& successors, std::span<Estimate> estimates) override;
    std::span<const std::uint8_t> preferred() const override { return preferred_; }
    std::uint64_t work() const override { return ff_.work(); }

private:
    FFHeuristic ff_;
    std::optional<PlanAdjustment> adjustment_;  // where siblings are told apart
    std::vector<Cost> costs_;                   // by operator; empty: each costs 1
    std::vector<Value> parent_;                 // that ff_ has evaluated last: successors come in several batches
    Estimate parent_estimate_ = 0;
    std::vector<std::uint8_t> preferred_;
};

}  // namespace sing
