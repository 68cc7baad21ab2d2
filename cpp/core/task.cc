#include "task.h"

#include <algorithm>
#include <stdexcept>

namespace sing {

bool Task::has_conditional_effects() const {
    return std::ranges::any_of(operators, [](const Operator& op) {
        return std::ranges::any_of(op.effects, [](const Effect& e) { return !e.conditions.empty(); });
    });
}

void Task::require_plain() const {
    if (!axioms.empty()) throw std::invalid_argument("the task has axioms, which are not supported");
    if (has_conditional_effects())
        throw std::invalid_argument("the task has conditional effects, which are not supported");
}

}  // namespace sing
