// Which states of a layer a beam keeps.
#pragma once

#include <bit>
#include <cstdint>

#include "states/word_hash.h"

namespace sing {

// Which of two states of equal estimate is better: the one where this is less. It follows from the state and the seed.
inline std::uint32_t beam_tie(std::uint64_t state_hash, std::uint64_t seed) {
    return static_cast<std::uint32_t>(WordHash::mixed(state_hash ^ WordHash::mixed(seed + 1)));
}

inline constexpr std::uint64_t DEAD_END_RANK = 0xFFFF'FFFF'FFFF'FFFFu;

// Less for the better state: novelty first, then the estimate, then the tie. Estimates are 0 or more, so that their
// bits are ordered as they are, and the first bit is free.
inline std::uint64_t beam_rank(float estimate, bool is_novel, std::uint64_t state_hash, std::uint64_t seed) {
    const std::uint64_t bits = std::bit_cast<std::uint32_t>(estimate) | (is_novel ? 0 : std::uint32_t{1} << 31);
    return bits << 32 | beam_tie(state_hash, seed);
}

}  // namespace sing
