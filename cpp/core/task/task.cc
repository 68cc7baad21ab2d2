#include "task/task.h"

#include <algorithm>
#include <stdexcept>

namespace sing {

std::vector<Value> Task::domain_sizes() const {
    std::vector<Value> sizes;
    for (const Variable& variable : variables) sizes.push_back(variable.domain_size());
    return sizes;
}

bool Task::is_atom(Fact fact) const {
    const Variable& variable = variables[static_cast<std::size_t>(fact.variable)];
    return variable.value_names[static_cast<std::size_t>(fact.value)].starts_with("Atom ");
}

std::string Task::unsupported_feature() const {
    // Decision trees over preconditions are as deep as there are preconditions.
    constexpr std::size_t max_preconditions = 10'000;
    if (!axioms.empty())
        return "axioms, which come from derived predicates and from quantified, disjunctive or empty goals and "
               "conditions";
    for (const Operator& op : operators) {
        if (std::ranges::any_of(op.effects, [](const Effect& e) { return !e.conditions.empty(); }))
            return "conditional effects ('when')";
        if (op.preconditions.size() > max_preconditions) return "an operator with more than 10,000 preconditions";
    }
    return "";
}

void Task::require_supported() const {
    const std::string feature = unsupported_feature();
    if (!feature.empty()) throw std::invalid_argument("the task has " + feature + ": not supported");
}

}  // namespace sing
