// A layer of a beam: states with what led to them.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/cost.h"
#include "base/ids.h"
#include "base/memory.h"
#include "search/beam_rank.h"
#include "states/state_packer.h"
#include "states/word_hash.h"

namespace sing {

// What is known of a state of a layer beside its words.
struct BeamNode {
    std::uint64_t hash;    // WordHash of its words
    std::uint64_t rank;    // beam_rank(); the beam keeps the least
    Cost cost;             // of the way that led here
    std::uint32_t parent;  // position in the layer before
    OperatorId op;         // that led here from there
};

// Different states in the order in which they were added. A layer holds each state once: a small hash table of
// positions finds it again. Memory is counted by the meter; where it is full, std::bad_alloc is thrown.
class BeamLayer {
public:
    using Word = StatePacker::Word;
    using Words = std::span<const Word>;

    BeamLayer(std::size_t num_words, MemoryMeter& meter)
        : num_words_(num_words), words_(&meter), nodes_(&meter), slots_(&meter) {}

    std::size_t size() const { return nodes_.size(); }
    Words words(std::size_t position) const { return Words(words_).subspan(position * num_words_, num_words_); }
    const BeamNode& node(std::size_t position) const { return nodes_[position]; }
    BeamNode& node(std::size_t position) { return nodes_[position]; }
    std::span<const BeamNode> nodes() const { return nodes_; }

    void clear();
    // Where the state is there already, it takes the cheaper way to it and keeps its place.
    void add(Words words, const BeamNode& node);
    // Keeps so many states of least rank, of equal ones the first, in the order they have, and no dead ends. Whether
    // others were left out.
    bool keep_best(std::size_t count);

    // Bytes that a state takes in a layer that grows, at the most.
    static std::size_t bytes_per_state(std::size_t num_words) {
        constexpr std::size_t slack = 2, slots_per_state = 4;  // vectors double
        return slack * (num_words * sizeof(Word) + sizeof(BeamNode)) + slots_per_state * sizeof(std::uint32_t);
    }

private:
    static constexpr std::uint32_t FREE = 0xFFFF'FFFFu;

    std::size_t slot_of(Words words, std::uint64_t hash) const;
    void place_all(std::size_t num_slots);

    std::size_t num_words_;
    std::pmr::vector<Word> words_;
    std::pmr::vector<BeamNode> nodes_;
    std::pmr::vector<std::uint32_t> slots_;  // positions; a power of two, at most half of them used
    std::vector<std::uint64_t> ranks_;       // scratch
};

}  // namespace sing
