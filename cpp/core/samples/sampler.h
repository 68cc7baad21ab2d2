// Backward searches that collect states with their depth: the training samples.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "samples/backward_space.h"
#include "samples/samples.h"

namespace sing {

// BFS_WALKS: breadth first for a share of the samples, then random walks from the states that it did not expand.
enum class Strategy { DFS, RANDOM_WALK, BFS_WALKS };
// Which states of a depth-first search are samples: all that are generated, or those on expanded paths.
enum class Collection { GENERATED, EXPANDED };

struct SamplerConfig {
    std::string space;  // see make_backward_space()
    Strategy strategy;
    Collection collection;
    std::uint32_t num_searches;
    std::uint32_t num_samples;        // a search, its start included
    std::uint32_t num_breadth_first;  // of these, where the strategy is BFS_WALKS
    std::uint32_t max_depth;
    bool consistent_starts;
    std::uint64_t seed;
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
    class Worker;
    struct Shared;

    const Task& task_;
    SamplerConfig config_;
    Mutexes mutexes_;
    StatePacker packer_;
    std::unique_ptr<BackwardSpace> space_;
};

}  // namespace sing
