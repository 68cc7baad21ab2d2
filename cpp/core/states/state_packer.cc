#include "states/state_packer.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

namespace sing {

namespace {

std::vector<Value> stored_sizes(const Task& task) {
    std::vector<Value> sizes;
    for (const Variable& variable : task.variables) sizes.push_back(variable.is_derived() ? 1 : variable.domain_size());
    return sizes;
}

}  // namespace

StatePacker::StatePacker(const Task& task) : StatePacker(stored_sizes(task)) {}

StatePacker::StatePacker(std::span<const Value> domain_sizes) : fields_(domain_sizes.size()) {
    constexpr std::uint32_t word_bits = 32;
    auto bits_of = [&](std::size_t variable) {
        return static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint32_t>(domain_sizes[variable] - 1)));
    };
    // Widest first, each into the first word with room for it.
    std::vector<std::size_t> order(fields_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, bits_of);
    std::vector<std::uint32_t> used_bits;
    std::size_t first_with_room = 0;
    std::uint32_t last_bits = word_bits;
    for (std::size_t variable : order) {
        const std::uint32_t bits = bits_of(variable);
        if (bits < last_bits) first_with_room = 0;  // narrower fields may fit where wider ones did not
        last_bits = bits;
        while (first_with_room < used_bits.size() && used_bits[first_with_room] + bits > word_bits) ++first_with_room;
        if (first_with_room == used_bits.size()) used_bits.push_back(0);
        const Word mask = static_cast<Word>((std::uint64_t{1} << bits) - 1);
        const std::uint32_t shift = mask == 0 ? 0 : used_bits[first_with_room];
        fields_[variable] = {static_cast<std::uint32_t>(first_with_room), shift, mask};
        used_bits[first_with_room] += bits;
    }
    num_words_ = std::max<std::size_t>(1, used_bits.size());
}

void StatePacker::pack(std::span<const Value> values, std::span<Word> words) const {
    assert(values.size() == fields_.size() && words.size() == num_words_);
    std::ranges::fill(words, 0);
    for (std::size_t i = 0; i < fields_.size(); ++i)
        words[fields_[i].word] |= (static_cast<Word>(values[i]) & fields_[i].mask) << fields_[i].shift;
}

void StatePacker::unpack(std::span<const Word> words, std::span<Value> values) const {
    assert(values.size() == fields_.size() && words.size() == num_words_);
    for (std::size_t i = 0; i < fields_.size(); ++i)
        values[i] = static_cast<Value>((words[fields_[i].word] >> fields_[i].shift) & fields_[i].mask);
}

}  // namespace sing
