// Finds the operators applicable in a state without looking at the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "csr.h"
#include "task.h"

namespace sing {

// A decision tree over preconditions. A node holds the operators whose preconditions are all
// tested on the way to it, and tests on further variables, each leading to a child by value.
// Operators are sorted into the tree by their most widely used precondition variables first:
// in a sliding-tile puzzle every move mentions the blank, so the root asks for the blank alone.
class SuccessorGenerator {
public:
    explicit SuccessorGenerator(const Task& task);

    // Appends the applicable operators, always in the same order for the same state.
    void applicable(std::span<const Value> state, std::vector<OperatorId>& operators) const {
        visit(ROOT, state.data(), operators);
    }

private:
    using NodeId = std::uint32_t;
    static constexpr NodeId ROOT = 0;
    static constexpr NodeId NO_NODE = 0xFFFF'FFFFu;
    static constexpr Value ANY_VALUE = -1;

    struct Test {
        std::int32_t variable;
        Value only_value;     // the one value with a child, or ANY_VALUE
        std::uint32_t child;  // that child, or where in jumps_ the children by value begin
    };
    struct Builder;

    void visit(NodeId node, const Value* state, std::vector<OperatorId>& operators) const {
        for (OperatorId op : operators_[node]) operators.push_back(op);
        for (const Test& test : tests_[node]) {
            const Value value = state[test.variable];
            if (test.only_value != ANY_VALUE) {
                if (value == test.only_value) visit(test.child, state, operators);
            } else if (const NodeId child = jumps_[test.child + static_cast<std::uint32_t>(value)]; child != NO_NODE) {
                visit(child, state, operators);
            }
        }
    }

    Csr<OperatorId> operators_;  // by node
    Csr<Test> tests_;            // by node
    std::vector<NodeId> jumps_;
};

}  // namespace sing
