#include "task/execution.h"

namespace sing {

Execution execute(const Task& task, std::span<const OperatorId> operators, const Guard& guard) {
    Execution execution;
    std::vector<Value> state = task.initial_state;
    auto require = [&](std::span<const Fact> facts) {
        for (const Fact& fact : facts)
            if (state[static_cast<std::size_t>(fact.variable)] != fact.value) execution.missing.push_back(fact);
        return execution.missing.empty();
    };
    for (OperatorId id : operators) {
        const Operator& op = task.operators[index(id)];
        if (!require(op.preconditions)) return execution;
        for (const Effect& effect : op.effects)
            state[static_cast<std::size_t>(effect.fact.variable)] = effect.fact.value;
        const std::uint64_t cost = task.uses_costs ? static_cast<std::uint64_t>(op.cost) : 1;
        execution.cost_low += cost;
        execution.cost_high += execution.cost_low < cost;  // carried over
        ++execution.num_steps;
        guard.poll(1 + op.preconditions.size() + op.effects.size());
    }
    require(task.goal);
    return execution;
}

}  // namespace sing
