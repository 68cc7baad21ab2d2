// What operators do to states, compiled for speed.
#pragma once

#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "states/state_packer.h"
#include "states/word_hash.h"

namespace sing {

// An operator's effects, as facts and as masks on packed words: an operator that sets three
// variables of one word is one and-or on that word. Conditional effects follow one by one.
class Transitions {
public:
    using Word = StatePacker::Word;

    Transitions(const Task& task, const StatePacker& packer, const Guard& guard);

    // Those without conditions.
    std::span<const Fact> effects(OperatorId op) const { return effects_[index(op)]; }
    bool has_conditions() const { return !conditions_.items().empty(); }
    // Appends the effects that take place in a state, at most one for each variable.
    void append_effects(OperatorId op, std::span<const Value> state, std::vector<Fact>& effects) const;

    // Applies the effects without conditions in place and returns the state's new hash.
    std::uint64_t apply(OperatorId op, std::span<Word> state, std::uint64_t hash, const WordHash& hashing) const {
        for (const WordChange& change : word_changes_[index(op)]) {
            const Word before = state[change.word];
            const Word after = (before & change.keep) | change.set;
            state[change.word] = after;
            hash += hashing.change(change.word, before, after);
        }
        return hash;
    }
    // Then applies those whose conditions hold in the parent.
    std::uint64_t apply_conditional(OperatorId op, std::span<const Value> parent, std::span<Word> state,
                                    std::uint64_t hash, const WordHash& hashing) const;

private:
    struct WordChange {
        std::uint32_t word;
        Word keep;
        Word set;
    };
    struct Conditional {
        Fact fact;
        std::uint32_t conditions;  // row
    };

    void read_conditional(const Operator& op);
    bool holds(std::uint32_t conditions, std::span<const Value> state) const {
        for (const Fact& fact : conditions_[conditions])
            if (state[static_cast<std::size_t>(fact.variable)] != fact.value) return false;
        return true;
    }

    Csr<Fact> effects_;             // by operator, without conditions
    Csr<WordChange> word_changes_;  // by operator
    Csr<Conditional> conditional_;  // by operator, in the order of the task; later ones override earlier ones
    Csr<Fact> conditions_;          // rows that effects name; neighbours often share one
    std::vector<char> sets_again_;  // by operator: whether a conditional effect shares its variable with another effect
    std::vector<StatePacker::Field> fields_;  // by variable
};

}  // namespace sing
