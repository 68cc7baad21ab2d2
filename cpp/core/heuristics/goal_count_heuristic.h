// Goal count.
#pragma once

#include "goals/goals.h"
#include "heuristics/heuristic.h"

namespace sing {

// The number of goals that do not hold.
class GoalCountHeuristic : public Heuristic {
public:
    GoalCountHeuristic(const Task& task, const Guard& guard) : Heuristic(task, guard), goals_(task, guard) {}
    Estimate evaluate(std::span<const Value> state) override { return goals_.num_open(state); }
    void evaluate_successors(const Successors& successors, std::span<Estimate> estimates) override {
        const Estimate parent = goals_.num_open(successors.parent);
        for (std::size_t i = 0; i < estimates.size(); ++i)
            estimates[i] = parent + (successors.changes ? goals_.change(successors.parent, (*successors.changes)[i])
                                                        : goals_.change(successors.parent, successors.operators[i]));
    }

private:
    Goals goals_;
};

}  // namespace sing
