// Sets of facts as bits, and a symmetric relation between facts as rows of them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/guard.h"
#include "task/fact_index.h"

namespace sing {

using BitWord = std::uint64_t;
inline constexpr std::size_t BITS_PER_WORD = 64;

inline std::size_t num_bit_words(std::size_t num_bits) { return (num_bits + BITS_PER_WORD - 1) / BITS_PER_WORD; }
inline BitWord bit_of(FactId fact) { return BitWord{1} << (fact % BITS_PER_WORD); }
inline bool has_bit(std::span<const BitWord> bits, FactId fact) {
    return (bits[fact / BITS_PER_WORD] & bit_of(fact)) != 0;
}
inline void set_bit(std::span<BitWord> bits, FactId fact) { bits[fact / BITS_PER_WORD] |= bit_of(fact); }
inline void keep_bits(std::span<BitWord> bits, std::span<const BitWord> kept) {
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] &= kept[i];
}
inline void drop_bits(std::span<BitWord> bits, std::span<const BitWord> dropped) {
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] &= ~dropped[i];
}

// The words that facts from `first` up to `end`, which is more, have bits in: visit(position, bits of that word).
template <typename Visit>
void for_each_word(FactId first, FactId end, Visit&& visit) {
    const std::size_t last_word = (end - 1) / BITS_PER_WORD;
    for (std::size_t i = first / BITS_PER_WORD; i <= last_word; ++i) {
        BitWord bits = ~BitWord{0};
        if (i == first / BITS_PER_WORD) bits &= ~BitWord{0} << (first % BITS_PER_WORD);
        if (i == last_word) bits &= ~BitWord{0} >> (BITS_PER_WORD - 1 - (end - 1) % BITS_PER_WORD);
        visit(i, bits);
    }
}
inline void set_bits(std::span<BitWord> bits, FactId first, FactId end) {
    for_each_word(first, end, [&](std::size_t i, BitWord some) { bits[i] |= some; });
}
inline void clear_bits(std::span<BitWord> bits, FactId first, FactId end) {
    for_each_word(first, end, [&](std::size_t i, BitWord some) { bits[i] &= ~some; });
}
inline bool have_common_bits(std::span<const BitWord> bits, std::span<const BitWord> others) {
    bool has_any = false;
    for (std::size_t i = 0; i < bits.size(); ++i) has_any |= (bits[i] & others[i]) != 0;
    return has_any;
}
inline std::size_t count_bits(std::span<const BitWord> bits, FactId first, FactId end) {
    std::size_t count = 0;
    for_each_word(first, end, [&](std::size_t i, BitWord some) {
        count += static_cast<std::size_t>(std::popcount(bits[i] & some));
    });
    return count;
}

// The facts of one word of bits, in order.
template <typename Visit>
void for_each_bit(BitWord word, std::size_t position, Visit&& visit) {
    for (; word != 0; word &= word - 1)
        visit(static_cast<FactId>(position * BITS_PER_WORD) + static_cast<FactId>(std::countr_zero(word)));
}

// The pair of a fact with itself stands for the fact. Bits beyond the last fact are 0.
class PairMatrix {
public:
    PairMatrix(std::size_t num_facts, const Guard& guard)
        : num_facts_(num_facts),
          num_words_(num_bit_words(num_facts)),
          bits_(num_facts * num_words_, 0, guard.memory()) {}

    std::size_t num_facts() const { return num_facts_; }
    std::size_t num_words() const { return num_words_; }  // of a row
    bool operator()(FactId a, FactId b) const { return has_bit((*this)[a], b); }
    bool operator()(FactId fact) const { return (*this)(fact, fact); }
    std::span<const BitWord> operator[](FactId fact) const { return {bits_.data() + fact * num_words_, num_words_}; }

    // For whoever keeps the relation symmetric.
    std::span<BitWord> row(FactId fact) { return {bits_.data() + fact * num_words_, num_words_}; }
    void add(FactId a, FactId b) {
        set_bit(row(a), b);
        set_bit(row(b), a);
    }

private:
    std::size_t num_facts_;
    std::size_t num_words_;
    std::pmr::vector<BitWord> bits_;
};

}  // namespace sing
