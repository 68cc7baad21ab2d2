// The landmark-cut heuristic (Helmert & Domshlak 2009), under the real costs of operators.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/guard.h"
#include "heuristics/lower_bound.h"
#include "task/task.h"

namespace sing {

// A landmark: every plan has one of these operators, and what is taken from the cost of each of them for it.
struct OperatorLandmark {
    std::vector<OperatorId> operators;
    Cost cost;
};

// In the task without deletes, each rule hangs on its dearest condition under h_max; of several that are as dear, on
// the one that fewest rules need, which makes landmarks smaller. Where rules that cost nothing lead from a fact to the
// goal, the fact belongs to the goal's zone. The rules that lead into the zone are a landmark: every plan uses one of
// them. The least of their costs is counted and taken from each, and so on until h_max of the goal is 0. The sum is at
// least h_max and at most the cost of an optimal plan without deletes.
//
// Conditional effects and axioms are rules that cost nothing, see RelaxedRules: an operator that is used is paid once,
// whatever its effects, so the estimate stays admissible.
//
// Landmarks of a parent hold for its successor by an operator that is not in them (Pommerening & Helmert 2013). So
// evaluate_successor() counts these first and looks only for what they leave; the estimate of a successor may thus
// depend on its parent. Where a parent has one or two successors only, each is evaluated from scratch.
//
// Costs are divided by their greatest common divisor; numbers have 32 bits where their sum allows it, else 64. Where a
// sum might need more, single costs are taken as less than they are, which is admissible too.
class LmCut : public LowerBound {
public:
    LmCut(const Task& task, const Guard& guard);
    ~LmCut() override;

    Cost evaluate(std::span<const Value> state, Cost enough, const Guard& guard) override;
    Cost enter(std::span<const Value> parent, std::size_t num_successors, const Guard& guard) override;
    Cost evaluate_successor(std::span<const Value> successor, OperatorId op, Cost enough, const Guard& guard) override;
    std::uint64_t work() const override;

    // Those that evaluate() counted, where that was called last.
    std::vector<OperatorLandmark> landmarks() const;

private:
    class Engine;
    template <typename Number>
    class EngineOf;
    std::unique_ptr<Engine> engine_;
    Cost unit_;  // what 1 means in the engine's numbers
    bool uses_parent_ = false;
};

}  // namespace sing
