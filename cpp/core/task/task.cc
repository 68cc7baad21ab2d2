#include "task/task.h"

#include <algorithm>
#include <string_view>

namespace sing {
namespace {

constexpr std::string_view ATOM_PREFIX = "Atom ";

}  // namespace

std::vector<Value> Task::domain_sizes() const {
    std::vector<Value> sizes;
    for (const Variable& variable : variables) sizes.push_back(variable.domain_size());
    return sizes;
}

std::size_t Task::num_effects() const {
    std::size_t count = 0;
    for (const Operator& op : operators) count += op.effects.size();
    return count;
}

std::size_t Task::num_atoms() const {
    std::size_t count = 0;
    for (const Variable& variable : variables)
        for (const std::string& name : variable.value_names) count += name.starts_with(ATOM_PREFIX);
    return count;
}

bool Task::is_atom(Fact fact) const {
    const Variable& variable = variables[static_cast<std::size_t>(fact.variable)];
    return variable.value_names[static_cast<std::size_t>(fact.value)].starts_with(ATOM_PREFIX);
}

bool Task::has_conditional_effects() const {
    return std::ranges::any_of(operators, [](const Operator& op) {
        return std::ranges::any_of(op.effects, [](const Effect& effect) { return !effect.conditions.empty(); });
    });
}

}  // namespace sing
