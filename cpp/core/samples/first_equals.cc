#include "samples/first_equals.h"

#include <algorithm>

#include "states/word_hash.h"

namespace sing {

std::vector<std::uint32_t> first_equals(const Samples& samples, std::size_t num_words,
                                        const std::function<void(std::span<StatePacker::Word>)>& simplify,
                                        const Guard& guard) {
    struct Slot {
        std::uint32_t sample_plus_one = 0;  // 0 is free
        std::uint32_t hash = 0;             // states are compared only where it agrees
    };
    std::size_t num_slots = 64;
    while (num_slots < 2 * samples.size()) num_slots *= 2;
    std::pmr::vector<Slot> slots(num_slots, Slot{}, guard.memory());
    const WordHash hash_of(num_words);
    std::vector<StatePacker::Word> words(num_words), other_words(num_words);
    const auto load = [&](std::size_t sample, std::vector<StatePacker::Word>& into) {
        std::copy_n(samples.words.begin() + static_cast<std::ptrdiff_t>(sample * num_words), num_words, into.begin());
        simplify(into);
    };
    const auto is_equal = [&](const Slot& slot, std::uint32_t hash) {
        if (slot.hash != hash) return false;
        load(slot.sample_plus_one - 1, other_words);
        return words == other_words;
    };
    std::vector<std::uint32_t> firsts;
    guard.take(samples.size() * sizeof(std::uint32_t));
    firsts.reserve(samples.size());
    for (std::uint32_t sample = 0; sample < samples.size(); ++sample) {
        load(sample, words);
        const std::uint64_t mixed = WordHash::mixed(hash_of(words));
        const auto hash = static_cast<std::uint32_t>(mixed);
        std::size_t place = mixed >> 32 & (num_slots - 1);
        while (slots[place].sample_plus_one != 0 && !is_equal(slots[place], hash))
            place = (place + 1) & (num_slots - 1);
        if (slots[place].sample_plus_one == 0) slots[place] = {sample + 1, hash};
        firsts.push_back(slots[place].sample_plus_one - 1);
        guard.poll(1 + num_words);
    }
    return firsts;
}

}  // namespace sing
