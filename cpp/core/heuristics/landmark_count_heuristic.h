// How many landmarks are still to be achieved.
#pragma once

#include <span>

#include "goals/facts_needed_again.h"
#include "goals/goals.h"
#include "heuristics/heuristic.h"

namespace sing {

// On a task with landmarks as goals: the number of open goals and of facts that are needed again (Richter, Helmert &
// Westphal 2008). On another task it counts the open goals.
class LandmarkCountHeuristic : public Heuristic {
public:
    LandmarkCountHeuristic(const Task& task, const Guard& guard)
        : Heuristic(task, guard), goals_(task, guard), needed_again_(task.needed_again, task.variables.size(), guard) {}

    Estimate evaluate(std::span<const Value> state) override {
        return goals_.num_open(state) + needed_again_.count(state);
    }
    void evaluate_successors(const Successors& successors, std::span<Estimate> estimates) override {
        const Estimate num_open = goals_.num_open(successors.parent);
        needed_again_.set_parent(successors.parent);
        for (std::size_t i = 0; i < estimates.size(); ++i) {
            const std::span<const Fact> facts = changes(successors, i);
            estimates[i] = num_open + goals_.change(successors.parent, facts) + needed_again_.count_after(facts);
        }
    }

private:
    Goals goals_;
    FactsNeededAgain needed_again_;
};

}  // namespace sing
