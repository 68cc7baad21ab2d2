// Packed successors of one state, a block of them at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/ids.h"
#include "states/state_table.h"
#include "states/transitions.h"

namespace sing {

// All successors of a block are hashed before the first is looked up, so that the cache misses of the lookups overlap.
class SuccessorBlock {
public:
    // Some states have many thousands of successors.
    static constexpr std::size_t MAX_SIZE = 256;

    explicit SuccessorBlock(std::pmr::memory_resource* memory) : words_(memory) {}

    // The successors of a state of the table, whose values are given too.
    void generate(StateTable::Words parent, std::uint64_t parent_hash, std::span<const Value> values,
                  std::span<const OperatorId> operators, const Transitions& transitions, const StateTable& table) {
        num_words_ = parent.size();
        words_.resize(operators.size() * num_words_);
        hashes_.resize(operators.size());
        for (std::size_t i = 0; i < operators.size(); ++i) {
            const auto successor = std::span(words_).subspan(i * num_words_, num_words_);
            std::ranges::copy(parent, successor.begin());
            hashes_[i] = transitions.apply(operators[i], successor, parent_hash, table.hash());
            if (transitions.has_conditions())
                hashes_[i] = transitions.apply_conditional(operators[i], values, successor, hashes_[i], table.hash());
            table.prefetch_line(hashes_[i]);
        }
        for (std::uint64_t hash : hashes_) table.prefetch_state(hash);
    }

    StateTable::Words words(std::size_t i) const { return std::span(words_).subspan(i * num_words_, num_words_); }
    std::uint64_t hash(std::size_t i) const { return hashes_[i]; }

private:
    std::size_t num_words_ = 0;
    std::pmr::vector<StateTable::Word> words_;
    std::vector<std::uint64_t> hashes_;
};

}  // namespace sing
