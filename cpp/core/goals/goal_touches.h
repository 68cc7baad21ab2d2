// What each operator does to the goals.
#pragma once

#include <cstdint>
#include <vector>

#include "base/csr.h"
#include "task/task.h"

namespace sing {

inline constexpr std::uint32_t NOT_A_GOAL = 0xFFFF'FFFFu;

// By variable: the position in the goal of the fact on it, or NOT_A_GOAL.
inline std::vector<std::uint32_t> goal_of_variable(const Task& task) {
    std::vector<std::uint32_t> goal_of(task.variables.size(), NOT_A_GOAL);
    for (std::uint32_t goal = 0; goal < task.goal.size(); ++goal)
        goal_of[static_cast<std::size_t>(task.goal[goal].variable)] = goal;
    return goal_of;
}

// An effect on the variable of a goal.
struct GoalTouch {
    std::uint32_t goal;
    bool achieves;  // else the goal does not hold after it
};

// By operator.
inline Csr<GoalTouch> goal_touches(const Task& task) {
    const std::vector<std::uint32_t> goal_of = goal_of_variable(task);
    Csr<GoalTouch> touches;
    for (const Operator& op : task.operators) {
        for (const Effect& effect : op.effects)
            if (const std::uint32_t goal = goal_of[static_cast<std::size_t>(effect.fact.variable)]; goal != NOT_A_GOAL)
                touches.push({goal, effect.fact == task.goal[goal]});
        touches.close_row();
    }
    return touches;
}

}  // namespace sing
