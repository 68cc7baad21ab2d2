// Finds the operators applicable in a state.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "states/condition_tree.h"
#include "task/task.h"

namespace sing {

// A decision tree over preconditions, most widely used variables first: in a sliding-tile puzzle
// every move mentions the blank, so the root asks for the blank alone.
class SuccessorGenerator {
public:
    using PreconditionsOf = std::function<std::span<const Fact>(std::size_t op)>;

    SuccessorGenerator(const Task& task, const Guard& guard);
    // For operators with other preconditions than the task's.
    SuccessorGenerator(const Task& task, const PreconditionsOf& preconditions_of, const Guard& guard);

    // Appends the applicable operators, always in the same order for the same state.
    void applicable(std::span<const Value> state, std::vector<OperatorId>& operators) const {
        tree_.visit<ConditionTree::Undefined::NEVER>(root_, state,
                                                     [&](std::uint32_t op) { operators.push_back(OperatorId{op}); });
    }

    // The same for a state some of whose variables are undefined: the operators whose preconditions all hold.
    void applicable_to_partial(std::span<const Value> state, std::vector<OperatorId>& operators) const {
        tree_.visit<ConditionTree::Undefined::FAILS>(root_, state,
                                                     [&](std::uint32_t op) { operators.push_back(OperatorId{op}); });
    }

private:
    static Csr<Fact> sorted_conditions(const Task& task, const PreconditionsOf& preconditions_of, const Guard& guard);

    ConditionTree tree_;
    ConditionTree::NodeId root_;
};

}  // namespace sing
