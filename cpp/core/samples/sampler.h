// Backward searches that collect states with their depth: the training samples.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "samples/backward_space.h"
#include "states/state_packer.h"
#include "states/word_hash.h"
#include "task/derived_values.h"

namespace sing {

enum class Strategy { DFS, RANDOM_WALK };
// Which states of a depth-first search are samples: all that are generated, or those on expanded paths.
enum class Collection { GENERATED, EXPANDED };
// What becomes of undefined values: left as they are, random, or from states of forward walks.
enum class Completion { NONE, RANDOM, WALK };

struct SamplerConfig {
    std::string space;  // see make_backward_space()
    Strategy strategy;
    Collection collection;
    Completion completion;
    std::uint32_t num_searches;
    std::uint32_t num_samples;  // a search, its start included
    std::uint32_t max_depth;
    bool consistent_starts;
    std::uint64_t seed;
};

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
    std::vector<std::uint32_t> depths;
    std::vector<std::uint32_t> parents;  // the sample one step closer to the goal, or NO_PARENT
    std::vector<OperatorId> operators;   // that leads there, or NO_OPERATOR
    SamplerStatistics statistics;

    std::size_t size() const { return depths.size(); }
    // The values of one sample, UNDEFINED where it has none.
    void unpack(std::size_t sample, const StatePacker& packer, std::span<Value> values) const {
        const std::size_t num_words = packer.num_words();
        packer.unpack(std::span(words).subspan(sample * num_words, num_words), values);
        for (Value& value : values) --value;
    }
    // Keeps the first samples only. They include their parents, so links stay whole.
    void truncate(std::size_t size, std::size_t num_words) {
        words.resize(size * num_words);
        depths.resize(size);
        parents.resize(size);
        operators.resize(size);
        statistics.num_steps = static_cast<std::uint64_t>(
            std::ranges::count_if(parents, [](std::uint32_t parent) { return parent != NO_PARENT; }));
    }
    std::size_t memory_bytes() const {
        return words.size() * sizeof(StatePacker::Word) + size() * (2 * sizeof(std::uint32_t) + sizeof(OperatorId));
    }
};

enum class SamplingStatus { COMPLETE, OUT_OF_TIME, OUT_OF_MEMORY, INTERRUPTED };

struct SamplingLimits {
    double time_s;
    std::size_t memory_bytes;  // for the samples
};

// Runs the searches. Each draws its random numbers from the seed and its own number, so samples
// are the same however many threads share the work.
class Sampler {
public:
    // Throws std::invalid_argument where the configuration is malformed or the task has none of its space, see
    // make_backward_space(). The task must outlive the sampler.
    Sampler(const Task& task, const SamplerConfig& config, const Guard& guard);

    // `progress(number of samples)` is called about ten times a second; returning false stops.
    SamplingStatus run(std::size_t num_threads, const SamplingLimits& limits,
                       const std::function<bool(std::size_t)>& progress, Samples& samples) const;

    const StatePacker& packer() const { return packer_; }
    const BackwardSpace& space() const { return *space_; }
    const Mutexes& mutexes() const { return mutexes_; }

private:
    static constexpr std::size_t NUM_WALK_STATES = 1000;

    class Worker;
    struct Shared;

    void make_walk_states(const Guard& guard);
    std::span<const Value> walk_state(std::size_t number) const {
        return std::span(walk_states_).subspan(number * task_.variables.size(), task_.variables.size());
    }

    const Task& task_;
    SamplerConfig config_;
    Mutexes mutexes_;
    StatePacker packer_;
    std::unique_ptr<BackwardSpace> space_;
    DerivedValues derived_;                // to be copied: it keeps scratch memory
    std::pmr::vector<Value> walk_states_;  // [NUM_WALK_STATES, variables]; empty unless completing from them
};

}  // namespace sing
