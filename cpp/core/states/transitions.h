// What operators do to states, compiled for speed.
#pragma once

#include <span>

#include "base/csr.h"
#include "base/guard.h"
#include "states/state_packer.h"
#include "states/word_hash.h"

namespace sing {

// An operator's effects, as facts and as masks on packed words: an operator that sets three
// variables of one word is one and-or on that word.
class Transitions {
public:
    using Word = StatePacker::Word;

    // Throws std::invalid_argument where the task has an unsupported feature.
    Transitions(const Task& task, const StatePacker& packer, const Guard& guard);

    std::span<const Fact> effects(OperatorId op) const { return effects_[index(op)]; }

    // Applies `op` in place and returns the state's new hash.
    std::uint64_t apply(OperatorId op, std::span<Word> state, std::uint64_t hash, const WordHash& hashing) const {
        for (const WordChange& change : word_changes_[index(op)]) {
            const Word before = state[change.word];
            const Word after = (before & change.keep) | change.set;
            state[change.word] = after;
            hash += hashing.change(change.word, before, after);
        }
        return hash;
    }

private:
    struct WordChange {
        std::uint32_t word;
        Word keep;
        Word set;
    };
    Csr<Fact> effects_;
    Csr<WordChange> word_changes_;
};

}  // namespace sing
