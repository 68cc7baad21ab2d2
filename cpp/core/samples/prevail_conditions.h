// What operators need of variables that they change, and of those that they do not.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "task/task.h"

namespace sing {

// The value that an operator needs a variable to have, or UNDEFINED.
inline Value needed(const Operator& op, std::int32_t variable) {
    const auto found = std::ranges::lower_bound(op.preconditions, variable, {}, &Fact::variable);
    return found == op.preconditions.end() || found->variable != variable ? UNDEFINED : found->value;
}

// The preconditions that an operator leaves as they are.
class PrevailConditions {
public:
    explicit PrevailConditions(const Task& task) : is_changed_(task.variables.size()) {}

    std::span<const Fact> operator()(const Operator& op) {
        for (const Effect& effect : op.effects) is_changed_[static_cast<std::size_t>(effect.fact.variable)] = true;
        facts_.clear();
        for (const Fact& fact : op.preconditions)
            if (!is_changed_[static_cast<std::size_t>(fact.variable)]) facts_.push_back(fact);
        for (const Effect& effect : op.effects) is_changed_[static_cast<std::size_t>(effect.fact.variable)] = false;
        return facts_;
    }

private:
    std::vector<bool> is_changed_;  // by variable
    std::vector<Fact> facts_;
};

}  // namespace sing
