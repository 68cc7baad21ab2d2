// The goals of a task: which of them hold in a state, and what operators do to them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "base/ids.h"
#include "task/task.h"

namespace sing {

// Position of a fact in Task::goal.
using GoalId = std::uint32_t;
inline constexpr GoalId NO_GOAL = 0xFFFF'FFFFu;

// An effect on the variable of a goal. It repeats the goal's fact so that counting reads nothing else but the state.
struct GoalEffect {
    GoalId goal;
    std::int32_t variable;
    Value wanted;
    bool achieves;  // else the goal does not hold after it
};

// A goal is open where it does not hold. Example: a search counts the open goals of the initial state once, and for
// each successor adds what the operator changes.
class Goals {
public:
    Goals(const Task& task, const Guard& guard)
        : goal_(task.goal), goal_of_(task.variables.size(), NO_GOAL), effects_(guard.memory()) {
        for (GoalId goal = 0; goal < goal_.size(); ++goal)
            goal_of_[static_cast<std::size_t>(goal_[goal].variable)] = goal;
        for (const Operator& op : task.operators) {
            for (const Effect& effect : op.effects)
                for_effects({&effect.fact, 1}, [&](const GoalEffect& on_goal) { effects_.push(on_goal); });
            effects_.close_row();
            guard.poll(1 + op.effects.size());
        }
    }

    std::size_t size() const { return goal_.size(); }
    Fact operator[](GoalId goal) const { return goal_[goal]; }
    // The goal on a variable, or NO_GOAL.
    GoalId on_variable(std::int32_t variable) const { return goal_of_[static_cast<std::size_t>(variable)]; }
    // Also those with conditions.
    std::span<const GoalEffect> effects(OperatorId op) const { return effects_[index(op)]; }

    bool is_open(GoalId goal, std::span<const Value> state) const {
        return state[static_cast<std::size_t>(goal_[goal].variable)] != goal_[goal].value;
    }
    std::int32_t num_open(std::span<const Value> state) const {
        std::int32_t count = 0;
        for (const Fact& fact : goal_) count += state[static_cast<std::size_t>(fact.variable)] != fact.value;
        return count;
    }
    // Calls visit(GoalEffect) for each of these facts that is on the variable of a goal.
    template <typename Visit>
    void for_effects(std::span<const Fact> facts, const Visit& visit) const {
        for (const Fact& fact : facts)
            if (const GoalId goal = on_variable(fact.variable); goal != NO_GOAL)
                visit(GoalEffect{goal, fact.variable, goal_[goal].value, fact == goal_[goal]});
    }
    // num_open(successor that differs from its parent by these facts) - num_open(parent)
    std::int32_t change(std::span<const Value> parent, std::span<const Fact> facts) const {
        std::int32_t change = 0;
        for_effects(facts, [&](const GoalEffect& effect) {
            change += (parent[static_cast<std::size_t>(effect.variable)] == effect.wanted) - effect.achieves;
        });
        return change;
    }
    // The same for the successor by op, where its effects have no conditions and no goal is derived.
    std::int32_t change(std::span<const Value> parent, OperatorId op) const {
        std::int32_t change = 0;
        for (const GoalEffect& effect : effects(op))
            change += (parent[static_cast<std::size_t>(effect.variable)] == effect.wanted) - effect.achieves;
        return change;
    }

private:
    std::vector<Fact> goal_;
    std::vector<GoalId> goal_of_;  // by variable
    Csr<GoalEffect> effects_;      // by operator
};

}  // namespace sing
