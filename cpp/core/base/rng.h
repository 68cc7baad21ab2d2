// Seeded random numbers that are the same on every machine and standard library.
#pragma once

#include <cstdint>

namespace sing {

// SplitMix64: one 64-bit word of state, passes BigCrush, and any seed is a good seed.
// Example: Rng rng(7); rng.below(6) is a fair die that always rolls the same sequence.
class Rng {
public:
    explicit Rng(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15ull;
        std::uint64_t x = state_;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
        return x ^ (x >> 31);
    }

    // Uniform in [0, bound), bound > 0. Multiply-shift; the bias is below bound / 2^32.
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32); }

private:
    std::uint64_t state_;
};

}  // namespace sing
