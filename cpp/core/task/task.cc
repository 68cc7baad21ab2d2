#include "task/task.h"

#include <algorithm>
#include <stdexcept>
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

std::string Task::unsupported_feature() const {
    if (!axioms.empty())
        return "axioms, which come from derived predicates and from quantified, disjunctive or empty goals and "
               "conditions";
    for (const Operator& op : operators) {
        if (std::ranges::any_of(op.effects, [](const Effect& e) { return !e.conditions.empty(); }))
            return "conditional effects ('when')";
    }
    return "";
}

void Task::require_supported() const {
    const std::string feature = unsupported_feature();
    if (!feature.empty()) throw std::invalid_argument("the task has " + feature + ": not supported");
}

}  // namespace sing
