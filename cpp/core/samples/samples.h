// States with labels, packed: what all samplers make and all trainers learn from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "states/state_packer.h"
#include "task/task.h"

namespace sing {

struct SamplerStatistics {
    std::uint64_t num_searches = 0;       // that were run
    std::uint64_t num_without_start = 0;  // of these: no start with a backward step was found
    std::uint64_t num_redraws = 0;        // starts that were drawn again
    std::uint64_t num_dead_ends = 0;      // states without any new successor
    std::uint64_t num_steps = 0;          // backward steps that gave a sample
    std::uint64_t num_inexact = 0;        // of these: forward does not lead back
    std::uint64_t num_incomplete = 0;     // samples with a variable that no value was consistent for
    void add(const SamplerStatistics& other);
};

// Samples in the order they were collected. State i is words [i * num_words, (i + 1) * num_words),
// packed as value + 1, so that 0 is an undefined value.
struct Samples {
    static constexpr std::uint32_t NO_PARENT = 0xFFFF'FFFFu;

    std::vector<StatePacker::Word> words;
    std::vector<std::uint32_t> labels;   // as sampled: the depth; see also lower_labels()
    std::vector<std::uint32_t> parents;  // the sample one step closer to the goal, or NO_PARENT
    std::vector<OperatorId> operators;   // that leads there, or NO_OPERATOR
    SamplerStatistics statistics;

    std::size_t size() const { return labels.size(); }
    // The values of one sample, UNDEFINED where it has none.
    void unpack(std::size_t sample, const StatePacker& packer, std::span<Value> values) const {
        const std::size_t num_words = packer.num_words();
        packer.unpack(std::span(words).subspan(sample * num_words, num_words), values);
        for (Value& value : values) --value;
    }
    // One more sample, without a parent.
    void push(std::span<const Value> values, std::uint32_t label, const StatePacker& packer) {
        const std::size_t begin = words.size();
        words.resize(begin + packer.num_words());
        const auto own = std::span(words).subspan(begin);
        for (std::size_t i = 0; i < packer.num_variables(); ++i) packer.set(own, i, values[i] + 1);
        labels.push_back(label);
        parents.push_back(NO_PARENT);
        operators.push_back(NO_OPERATOR);
    }
    // Keeps the first samples only. They include their parents, so links stay whole.
    void truncate(std::size_t size, std::size_t num_words) {
        words.resize(size * num_words);
        labels.resize(size);
        parents.resize(size);
        operators.resize(size);
        statistics.num_steps = static_cast<std::uint64_t>(
            std::ranges::count_if(parents, [](std::uint32_t parent) { return parent != NO_PARENT; }));
    }
    // The samples at these positions, without parents.
    Samples chosen(std::span<const std::uint32_t> positions, std::size_t num_words) const;
    // Appends samples whose parents are counted from their own first.
    void append(const Samples& other);
    std::size_t memory_bytes() const { return words.size() * sizeof(StatePacker::Word) + size() * LINK_BYTES; }

    // Of each sample, beside its words.
    static constexpr std::size_t LINK_BYTES = 2 * sizeof(std::uint32_t) + sizeof(OperatorId);
};

// Packs the states of samples: one more than each domain, because 0 stands for "undefined".
StatePacker sample_packer(const Task& task);

enum class SamplingStatus { COMPLETE, OUT_OF_TIME, OUT_OF_MEMORY, INTERRUPTED };

struct SamplingLimits {
    double time_s;
    std::size_t memory_bytes;  // for the samples
};

}  // namespace sing
