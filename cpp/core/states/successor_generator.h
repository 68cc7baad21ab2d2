// Finds the operators applicable in a state.
#pragma once

#include <span>
#include <vector>

#include "states/condition_tree.h"
#include "task/task.h"

namespace sing {

// A decision tree over preconditions, most widely used variables first: in a sliding-tile puzzle
// every move mentions the blank, so the root asks for the blank alone.
class SuccessorGenerator {
public:
    explicit SuccessorGenerator(const Task& task);
    // For operators with other preconditions, one list each.
    SuccessorGenerator(const Task& task, std::span<const std::vector<Fact>> preconditions);

    // Appends the applicable operators, always in the same order for the same state.
    void applicable(std::span<const Value> state, std::vector<OperatorId>& operators) const {
        tree_.visit<false>(root_, state, [&](ConditionTree::Item op) { operators.push_back(OperatorId{op}); });
    }

private:
    ConditionTree tree_;
    ConditionTree::NodeId root_;
};

}  // namespace sing
