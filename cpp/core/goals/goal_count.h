// Counts the goals that do not hold, from scratch or by what an operator changes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "task/task.h"

namespace sing {

class GoalCount {
public:
    explicit GoalCount(const Task& task) : goal_(task.goal) {
        std::vector<Value> wanted(task.variables.size(), NOT_A_GOAL);
        for (const Fact& fact : goal_) wanted[static_cast<std::size_t>(fact.variable)] = fact.value;
        for (const Operator& op : task.operators) {
            for (const Effect& effect : op.effects) {
                const Value value = wanted[static_cast<std::size_t>(effect.fact.variable)];
                if (value != NOT_A_GOAL)
                    touches_.push({effect.fact.variable, value, effect.fact.value == value ? -1 : 0});
            }
            touches_.close_row();
        }
    }

    std::int32_t unsatisfied(std::span<const Value> state) const {
        std::int32_t count = 0;
        for (const Fact& fact : goal_) count += state[static_cast<std::size_t>(fact.variable)] != fact.value;
        return count;
    }

    // unsatisfied(successor of parent by op) - unsatisfied(parent)
    std::int32_t change(std::span<const Value> parent, OperatorId op) const {
        std::int32_t change = 0;
        for (const Touch& touch : touches_[index(op)])
            change += (parent[static_cast<std::size_t>(touch.variable)] == touch.wanted) + touch.achieves;
        return change;
    }

private:
    static constexpr Value NOT_A_GOAL = -1;
    struct Touch {
        std::int32_t variable;
        Value wanted;
        std::int32_t achieves;  // -1 where the operator makes the goal true, 0 where it does not
    };
    std::vector<Fact> goal_;
    Csr<Touch> touches_;  // by operator: its effects on goal variables
};

}  // namespace sing
