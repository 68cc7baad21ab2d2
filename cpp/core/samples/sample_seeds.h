// Streams of random numbers, so that parts of a sampling do not depend on each other nor on the number of threads.
#pragma once

#include <cstdint>

#include "base/rng.h"

namespace sing {

// A generator for each number: streams of different numbers do not overlap in practice.
inline Rng rng_for(std::uint64_t seed, std::uint64_t number) {
    Rng mix(seed ^ (0x9E3779B97F4A7C15ull * (number + 1)));
    mix.next();
    return Rng(mix.next());
}

// What random numbers are for, beside searches, whose numbers are small.
enum class Stream : std::uint64_t {
    WALK_STATES = ~std::uint64_t{0} - 1,
    COMPLETION = std::uint64_t{1} << 40,
    RANDOM_STATES = std::uint64_t{1} << 41,
    WALKS = std::uint64_t{1} << 42,
    STRATA = std::uint64_t{1} << 43,
};

inline Rng rng_for(std::uint64_t seed, Stream stream, std::uint64_t number = 0) {
    return rng_for(seed, static_cast<std::uint64_t>(stream) + number);
}

}  // namespace sing
