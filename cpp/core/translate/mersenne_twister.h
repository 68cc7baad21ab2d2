// Random numbers as Python's `random` has them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sing::translate {

// The Mersenne Twister (Matsumoto & Nishimura 1998), seeded as by Python's random.Random(seed). The order in which
// Fast Downward's translator looks at actions comes from it, and which invariants are found can depend on that order.
class MersenneTwister {
public:
    explicit MersenneTwister(std::uint32_t seed) {
        state_[0] = 19650218;
        for (std::uint32_t i = 1; i < SIZE; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
        std::size_t i = 1;
        auto advance = [&] {
            if (++i < SIZE) return;
            state_[0] = state_[SIZE - 1];
            i = 1;
        };
        auto spread = [&] { return state_[i - 1] ^ (state_[i - 1] >> 30); };
        for (std::size_t k = 0; k < SIZE; ++k, advance()) state_[i] = (state_[i] ^ (spread() * 1664525u)) + seed;
        for (std::size_t k = 1; k < SIZE; ++k, advance())
            state_[i] = (state_[i] ^ (spread() * 1566083941u)) - static_cast<std::uint32_t>(i);
        state_[0] = 0x8000'0000u;
    }

    // Uniform in [0, bound), bound > 0.
    std::uint32_t below(std::uint32_t bound) {
        const int unused_bits = std::countl_zero(bound);
        std::uint32_t value = next() >> unused_bits;
        while (value >= bound) value = next() >> unused_bits;
        return value;
    }

private:
    static constexpr std::size_t SIZE = 624, MIDDLE = 397;

    std::uint32_t next() {
        if (position_ == SIZE) renew();
        std::uint32_t y = state_[position_++];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9D2C'5680u;
        y ^= (y << 15) & 0xEFC6'0000u;
        return y ^ (y >> 18);
    }

    void renew() {
        for (std::size_t i = 0; i < SIZE; ++i) {
            const std::uint32_t y = (state_[i] & 0x8000'0000u) | (state_[(i + 1) % SIZE] & 0x7FFF'FFFFu);
            state_[i] = state_[(i + MIDDLE) % SIZE] ^ (y >> 1) ^ ((y & 1) ? 0x9908'B0DFu : 0u);
        }
        position_ = 0;
    }

    std::array<std::uint32_t, SIZE> state_;
    std::size_t position_ = SIZE;
};

}  // namespace sing::translate
