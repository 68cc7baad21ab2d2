// A hash of packed states that can be updated by what changes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "states/state_packer.h"

namespace sing {

// The sum over the words of word × key: linear, so that changing word i from a to b adds
// change(i, a, b). Its entropy is in the upper bits: mix it before taking some of them.
class WordHash {
public:
    using Word = StatePacker::Word;

    explicit WordHash(std::size_t num_words) {
        constexpr std::uint64_t seed = 0x51A6;
        Rng rng(seed);
        for (std::size_t i = 0; i < num_words; ++i) keys_.push_back(rng.next() | 1);
    }

    std::uint64_t operator()(std::span<const Word> words) const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < words.size(); ++i) sum += keys_[i] * words[i];
        return sum;
    }
    std::uint64_t change(std::size_t word, Word before, Word after) const {
        return keys_[word] * (std::uint64_t{after} - std::uint64_t{before});
    }

    static std::uint64_t mixed(std::uint64_t hash) {
        hash ^= hash >> 32;
        hash *= 0xD6E8FEB86659FD93ull;
        hash ^= hash >> 32;
        return hash * 0xD6E8FEB86659FD93ull;
    }

private:
    std::vector<std::uint64_t> keys_;
};

}  // namespace sing
