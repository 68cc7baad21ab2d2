#include "task/execution.h"

#include <algorithm>

#include "task/derived_values.h"

namespace sing {

namespace {

// Copying so many values takes a unit of work.
constexpr std::size_t VARIABLES_PER_UNIT = 32;

}  // namespace

Execution execute(const Task& task, std::span<const OperatorId> operators, const Guard& guard) {
    Execution execution;
    DerivedValues derived(task, guard);
    std::vector<Value> state = task.initial_state, before;
    auto holds = [](const Fact& fact, const std::vector<Value>& values) {
        return values[static_cast<std::size_t>(fact.variable)] == fact.value;
    };
    auto require = [&](std::span<const Fact> facts) {
        for (const Fact& fact : facts)
            if (!holds(fact, state)) execution.missing.push_back(fact);
        return execution.missing.empty();
    };
    for (OperatorId id : operators) {
        const Operator& op = task.operators[index(id)];
        if (!require(op.preconditions)) return execution;
        before = state;
        for (const Effect& effect : op.effects) {
            if (std::ranges::all_of(effect.conditions, [&](const Fact& fact) { return holds(fact, before); }))
                state[static_cast<std::size_t>(effect.fact.variable)] = effect.fact.value;
            guard.poll(1 + effect.conditions.size());
        }
        derived.complete(state);
        const std::uint64_t cost = task.uses_costs ? static_cast<std::uint64_t>(op.cost) : 1;
        execution.cost_low += cost;
        execution.cost_high += execution.cost_low < cost;  // carried over
        ++execution.num_steps;
        guard.poll(1 + op.preconditions.size() + state.size() / VARIABLES_PER_UNIT);
    }
    require(task.goal);
    return execution;
}

}  // namespace sing
