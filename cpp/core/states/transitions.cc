#include "states/transitions.h"

#include <algorithm>

namespace sing {

Transitions::Transitions(const Task& task, const StatePacker& packer, const Guard& guard)
    : effects_(guard.memory()),
      word_changes_(guard.memory()),
      conditional_(guard.memory()),
      conditions_(guard.memory()) {
    effects_.reserve(task.operators.size(), task.num_effects());
    const bool has_conditions = task.has_conditional_effects();
    std::vector<WordChange> changes;
    constexpr std::uint32_t none = 0xFFFF'FFFFu;
    std::vector<std::uint32_t> change_of_word(packer.num_words(), none);
    for (const Operator& op : task.operators) {
        for (const Effect& effect : op.effects) {
            if (!effect.conditions.empty()) continue;
            effects_.push(effect.fact);
            const StatePacker::Field& field = packer.field(effect.fact.variable);
            std::uint32_t& position = change_of_word[field.word];
            if (position == none) {
                position = static_cast<std::uint32_t>(changes.size());
                changes.push_back({field.word, ~Word{0}, 0});
            }
            changes[position].keep &= ~(field.mask << field.shift);
            changes[position].set |= static_cast<Word>(effect.fact.value) << field.shift;
        }
        effects_.close_row();
        word_changes_.push_row(changes);
        for (const WordChange& change : changes) change_of_word[change.word] = none;
        changes.clear();
        if (has_conditions) read_conditional(op);
        guard.poll(1 + op.effects.size());
    }
    if (has_conditions)
        for (std::size_t i = 0; i < task.variables.size(); ++i)
            fields_.push_back(packer.field(static_cast<std::int32_t>(i)));
}

// A conditional effect before an unconditional one on its variable never shows.
void Transitions::read_conditional(const Operator& op) {
    std::vector<Fact> variables;  // of effects that show, with the position of the effect
    for (std::size_t i = 0; i < op.effects.size(); ++i)
        if (op.effects[i].conditions.empty())
            variables.push_back({op.effects[i].fact.variable, static_cast<std::int32_t>(i)});
    std::ranges::sort(variables);
    const std::size_t num_unconditional = variables.size();
    for (std::size_t i = 0; i < op.effects.size(); ++i) {
        const Effect& effect = op.effects[i];
        if (effect.conditions.empty()) continue;
        const auto unconditional = std::span(variables).first(num_unconditional);
        const auto same = std::ranges::lower_bound(unconditional, effect.fact.variable, {}, &Fact::variable);
        const bool is_shared = same != unconditional.end() && same->variable == effect.fact.variable;
        if (is_shared && same->value > static_cast<std::int32_t>(i)) continue;
        if (conditions_.num_rows() == 0 ||
            !std::ranges::equal(conditions_[conditions_.num_rows() - 1], effect.conditions))
            conditions_.push_row(effect.conditions);
        conditional_.push({effect.fact, static_cast<std::uint32_t>(conditions_.num_rows() - 1)});
        variables.push_back({effect.fact.variable, static_cast<std::int32_t>(i)});
    }
    conditional_.close_row();
    std::ranges::sort(variables);
    sets_again_.push_back(std::ranges::adjacent_find(variables, {}, &Fact::variable) != variables.end());
}

void Transitions::append_effects(OperatorId op, std::span<const Value> state, std::vector<Fact>& effects) const {
    const std::size_t first = effects.size();
    effects.insert(effects.end(), effects_[index(op)].begin(), effects_[index(op)].end());
    if (!has_conditions()) return;
    const bool sets_again = sets_again_[index(op)];
    for (const auto& [fact, conditions] : conditional_[index(op)]) {
        if (!holds(conditions, state)) continue;
        const auto same = sets_again ? std::ranges::find(effects.begin() + static_cast<std::ptrdiff_t>(first),
                                                         effects.end(), fact.variable, &Fact::variable)
                                     : effects.end();
        if (same == effects.end())
            effects.push_back(fact);
        else
            *same = fact;
    }
}

std::uint64_t Transitions::apply_conditional(OperatorId op, std::span<const Value> parent, std::span<Word> state,
                                             std::uint64_t hash, const WordHash& hashing) const {
    for (const auto& [fact, conditions] : conditional_[index(op)]) {
        if (!holds(conditions, parent)) continue;
        const StatePacker::Field& field = fields_[static_cast<std::size_t>(fact.variable)];
        const Word before = state[field.word];
        const Word after = (before & ~(field.mask << field.shift)) | (static_cast<Word>(fact.value) << field.shift);
        state[field.word] = after;
        hash += hashing.change(field.word, before, after);
    }
    return hash;
}

}  // namespace sing
