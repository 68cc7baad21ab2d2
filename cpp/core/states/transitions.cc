#include "states/transitions.h"

#include <algorithm>

namespace sing {

Transitions::Transitions(const Task& task, const StatePacker& packer) {
    task.require_supported();
    std::vector<WordChange> changes;
    for (const Operator& op : task.operators) {
        changes.clear();
        for (const Effect& effect : op.effects) {
            effects_.push(effect.fact);
            const StatePacker::Field& field = packer.field(effect.fact.variable);
            auto change = std::ranges::find(changes, field.word, &WordChange::word);
            if (change == changes.end()) change = changes.insert(changes.end(), {field.word, ~Word{0}, 0});
            change->keep &= ~(field.mask << field.shift);
            change->set |= static_cast<Word>(effect.fact.value) << field.shift;
        }
        effects_.close_row();
        for (const WordChange& change : changes) word_changes_.push(change);
        word_changes_.close_row();
    }
}

}  // namespace sing
