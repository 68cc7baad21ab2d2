// The states of earlier layers of a beam.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "base/memory.h"
#include "search/beam_layer.h"
#include "states/state_table.h"

namespace sing {

// A beam leaves out states that an earlier layer has. All layers are remembered, or at least the last `num_layers`:
// then there are two tables, and when one has so many layers it replaces the other, which is forgotten.
class BeamHistory {
public:
    // num_layers 0: all.
    BeamHistory(std::size_t num_words, std::size_t num_layers, MemoryMeter& meter)
        : num_words_(num_words), num_layers_(num_layers), meter_(meter) {
        newer_ = new_table();
    }

    const WordHash& hash() const { return newer_->hash(); }
    void prefetch(std::uint64_t hash) const {
        newer_->prefetch_line(hash);
        if (older_) older_->prefetch_line(hash);
    }
    bool contains(StateTable::Words state, std::uint64_t hash) const {
        return newer_->find(state, hash) != NO_STATE || (older_ && older_->find(state, hash) != NO_STATE);
    }
    // False where memory is full.
    bool add(const BeamLayer& layer) {
        if (num_layers_ > 0 && num_in_newer_ == num_layers_) {
            older_ = std::exchange(newer_, new_table());
            num_in_newer_ = 0;
        }
        ++num_in_newer_;
        constexpr std::size_t ahead = 16;  // states whose lines are fetched before they are used
        for (std::size_t i = 0; i < layer.size(); ++i) {
            if (i + ahead < layer.size()) newer_->prefetch_line(layer.node(i + ahead).hash);
            const auto [outcome, id] = newer_->insert(layer.words(i), layer.node(i).hash, {NO_STATE, NO_OPERATOR});
            if (outcome == StateTable::Outcome::FULL) return false;
        }
        return true;
    }

private:
    std::unique_ptr<StateTable> new_table() const { return std::make_unique<StateTable>(num_words_, meter_, false); }

    std::size_t num_words_;
    std::size_t num_layers_;
    MemoryMeter& meter_;
    std::unique_ptr<StateTable> older_, newer_;
    std::size_t num_in_newer_ = 0;  // layers
};

}  // namespace sing
