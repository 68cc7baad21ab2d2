#include "search/beam_layer.h"

#include <algorithm>
#include <new>

namespace sing {

void BeamLayer::clear() {
    words_.clear();
    nodes_.clear();
    std::ranges::fill(slots_, FREE);
}

// Where the state is, or the free slot where it belongs.
std::size_t BeamLayer::slot_of(Words words, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = WordHash::mixed(hash) & mask;; slot = (slot + 1) & mask) {
        const std::uint32_t position = slots_[slot];
        if (position == FREE) return slot;
        if (nodes_[position].hash == hash && std::ranges::equal(this->words(position), words)) return slot;
    }
}

void BeamLayer::place_all(std::size_t num_slots) {
    slots_.assign(num_slots, FREE);
    for (std::size_t position = 0; position < nodes_.size(); ++position)
        slots_[slot_of(words(position), nodes_[position].hash)] = static_cast<std::uint32_t>(position);
}

void BeamLayer::add(Words words, const BeamNode& node) {
    constexpr std::size_t first_num_slots = 1024;
    if (nodes_.size() >= FREE) throw std::bad_alloc();
    if (2 * nodes_.size() >= slots_.size()) place_all(std::max(first_num_slots, 2 * slots_.size()));
    std::uint32_t& position = slots_[slot_of(words, node.hash)];
    if (position != FREE) {
        if (node.cost < nodes_[position].cost)
            nodes_[position] = {node.hash, nodes_[position].rank, node.cost, node.parent, node.op};
        return;
    }
    position = static_cast<std::uint32_t>(nodes_.size());
    words_.insert(words_.end(), words.begin(), words.end());
    nodes_.push_back(node);
}

bool BeamLayer::keep_best(std::size_t count) {
    ranks_.clear();
    for (const BeamNode& node : nodes_)
        if (node.rank != DEAD_END_RANK) ranks_.push_back(node.rank);
    const bool is_cut = count < ranks_.size();
    count = std::min(count, ranks_.size());
    if (count == size()) return false;
    std::uint64_t greatest = DEAD_END_RANK;  // that is kept
    std::size_t num_equal = 0;               // of that rank: so many are kept
    if (is_cut) {
        const auto last = ranks_.begin() + static_cast<std::ptrdiff_t>(count);
        std::ranges::nth_element(ranks_, last);
        greatest = *last;
        num_equal = count - static_cast<std::size_t>(
                                std::count_if(ranks_.begin(), last, [&](auto rank) { return rank < greatest; }));
    }
    std::size_t num_kept = 0;
    for (std::size_t position = 0; position < nodes_.size() && num_kept < count; ++position) {
        const std::uint64_t rank = nodes_[position].rank;
        if (rank > greatest || (rank == greatest && num_equal == 0)) continue;
        if (rank == greatest) --num_equal;
        nodes_[num_kept] = nodes_[position];
        std::copy_n(words_.begin() + static_cast<std::ptrdiff_t>(position * num_words_), num_words_,
                    words_.begin() + static_cast<std::ptrdiff_t>(num_kept * num_words_));
        ++num_kept;
    }
    nodes_.resize(num_kept, BeamNode{});
    words_.resize(num_kept * num_words_);
    place_all(slots_.size());
    return is_cut;
}

}  // namespace sing
