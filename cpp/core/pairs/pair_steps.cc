#include "pairs/pair_steps.h"

#include <algorithm>

namespace sing {

std::map<std::int32_t, Value> last_effects(const Operator& op) {
    std::map<std::int32_t, Value> effects;
    for (const Effect& effect : op.effects) effects[effect.fact.variable] = effect.fact.value;
    return effects;
}

PairSteps::PairSteps(const Task& task, const FactIndex& fact_id, Direction direction, const Guard& guard)
    : from_(guard.memory()), to_(guard.memory()), changed_(guard.memory()), choices_(guard.memory()) {
    const bool is_forward = direction == Direction::FORWARD;
    Csr<FactId>& before = is_forward ? from_ : to_;
    Csr<FactId>& after = is_forward ? to_ : from_;
    for (const Operator& op : task.operators) {
        const std::map<std::int32_t, Value> effects = last_effects(op);
        for (const Fact& fact : op.preconditions) {
            before.push(fact_id(fact));
            if (!effects.contains(fact.variable)) after.push(fact_id(fact));
        }
        for (const auto& [variable, value] : effects) {
            const Value size = task.variables[static_cast<std::size_t>(variable)].domain_size();
            const FactId first = fact_id({variable, 0});
            const FactRange range{first, first + static_cast<FactId>(size)};
            after.push(fact_id({variable, value}));
            changed_.push(range);
            const bool is_known =
                std::ranges::find(op.preconditions, variable, &Fact::variable) != op.preconditions.end();
            if (!is_forward && !is_known) choices_.push(range);
        }
        guard.poll(1 + op.preconditions.size() + effects.size());
        from_.close_row();
        to_.close_row();
        changed_.close_row();
        choices_.close_row();
    }
}

}  // namespace sing
