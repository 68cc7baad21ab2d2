#include "states/transitions.h"

#include <vector>

namespace sing {

Transitions::Transitions(const Task& task, const StatePacker& packer, const Guard& guard)
    : effects_(guard.memory()), word_changes_(guard.memory()) {
    task.require_supported();
    effects_.reserve(task.operators.size(), task.num_effects());
    std::vector<WordChange> changes;
    constexpr std::uint32_t none = 0xFFFF'FFFFu;
    std::vector<std::uint32_t> change_of_word(packer.num_words(), none);
    for (const Operator& op : task.operators) {
        for (const Effect& effect : op.effects) {
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
        guard.poll(1 + op.effects.size());
    }
}

}  // namespace sing
