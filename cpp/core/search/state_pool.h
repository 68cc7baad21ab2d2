// The states of one small search, all forgotten at once before the next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "states/state_packer.h"
#include "states/word_hash.h"

namespace sing {

// Numbers packed states 0, 1, 2, … and finds them again by hash. Forgetting costs next to nothing, while a StateTable
// takes its memory from the system and gives it back: too slow for searches of some hundred states.
class StatePool {
public:
    using Word = StatePacker::Word;

    StatePool(std::size_t num_words, std::pmr::memory_resource* memory)
        : hash_(num_words), num_words_(num_words), words_(memory), hashes_(memory), slots_(FIRST_SLOTS, 0, memory) {}

    const WordHash& hash() const { return hash_; }
    std::size_t size() const { return hashes_.size(); }
    // Valid until the next insertion.
    std::span<const Word> state(std::uint32_t id) const { return {words_.data() + id * num_words_, num_words_}; }

    // The state's id, and whether it is new. `hash` must be hash()(state).
    std::pair<std::uint32_t, bool> insert(std::span<const Word> state, std::uint64_t hash) {
        std::size_t slot = find(state, hash);
        if (slots_[slot] != 0) return {slots_[slot] - 1, false};
        if (2 * (size() + 1) > slots_.size()) {
            grow();
            slot = find(state, hash);
        }
        words_.insert(words_.end(), state.begin(), state.end());
        hashes_.push_back(hash);
        slots_[slot] = static_cast<std::uint32_t>(size());
        return {slots_[slot] - 1, true};
    }

    void clear() {
        words_.clear();
        hashes_.clear();
        slots_.assign(FIRST_SLOTS, 0);
    }

private:
    static constexpr std::size_t FIRST_SLOTS = 1 << 10;

    // Where the state is, or the empty slot where it belongs.
    std::size_t find(std::span<const Word> state, std::uint64_t hash) const {
        std::size_t slot = WordHash::mixed(hash) & (slots_.size() - 1);
        for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
            const std::uint32_t id = slots_[slot] - 1;
            if (hashes_[id] == hash && std::ranges::equal(this->state(id), state)) break;
        }
        return slot;
    }

    void grow() {
        slots_.assign(4 * slots_.size(), 0);
        for (std::uint32_t id = 0; id < size(); ++id) {
            std::size_t slot = WordHash::mixed(hashes_[id]) & (slots_.size() - 1);
            while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = id + 1;
        }
    }

    WordHash hash_;
    std::size_t num_words_;
    std::pmr::vector<Word> words_;
    std::pmr::vector<std::uint64_t> hashes_;  // by state
    std::pmr::vector<std::uint32_t> slots_;   // ids + 1; 0: empty
};

}  // namespace sing
