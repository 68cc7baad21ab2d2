#include "samples/completion.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "base/crew.h"
#include "base/rng.h"
#include "samples/sample_seeds.h"
#include "states/partial_state.h"
#include "states/progression.h"
#include "states/successor_generator.h"
#include "states/transitions.h"
#include "task/derived_values.h"

namespace sing {
namespace {

// Samples that are completed with one stream of random numbers.
constexpr std::size_t BLOCK_SIZE = 256;

// States of forward walks from the initial state, not too far out: rows of values.
class WalkStates {
public:
    static constexpr std::size_t COUNT = 1000;

    WalkStates(const Task& task, std::uint64_t seed, const Guard& guard)
        : num_variables_(task.variables.size()), values_(guard.memory()) {
        constexpr std::size_t steps_a_walk = 100;
        const SuccessorGenerator generator(task, guard);
        const Transitions transitions(task, StatePacker(task), guard);
        Progression progression(task, transitions, guard);
        values_.reserve(COUNT * num_variables_);
        Rng rng = rng_for(seed, Stream::WALK_STATES);
        std::vector<Value> state;
        std::vector<OperatorId> operators;
        for (std::size_t i = 0; i < COUNT; ++i) {
            if (i % steps_a_walk == 0 || operators.empty()) state = task.initial_state;
            values_.insert(values_.end(), state.begin(), state.end());
            guard.poll(state.size() + operators.size());
            operators.clear();
            generator.applicable(state, operators);
            if (operators.empty()) continue;
            const OperatorId op = operators[rng.below(static_cast<std::uint32_t>(operators.size()))];
            progression.enter(state);
            progression.advance(state, op);
        }
    }

    std::span<const Value> operator[](std::size_t number) const {
        return std::span(values_).subspan(number * num_variables_, num_variables_);
    }

private:
    std::size_t num_variables_;
    std::pmr::vector<Value> values_;
};

// What the threads share.
struct Shared {
    Shared(const Task& of_task, Completion completion, std::uint64_t of_seed, const Guard& guard)
        : task(of_task), seed(of_seed), mutexes(task, guard), packer(sample_packer(task)), derived(task, guard) {
        if (completion == Completion::WALK) walk_states.emplace(task, seed, guard);
    }

    const Task& task;
    std::uint64_t seed;
    Mutexes mutexes;
    StatePacker packer;
    DerivedValues derived;  // to be copied: it keeps scratch memory
    std::optional<WalkStates> walk_states;
};

// One thread's part.
class Completer {
public:
    explicit Completer(const Shared& shared)
        : shared_(shared),
          derived_(shared.derived),
          partial_(shared.task, shared.mutexes),
          values_(shared.packer.num_variables()) {}

    // How many samples of the block could not be completed.
    std::uint64_t complete_block(std::size_t block, Samples& samples) {
        Rng rng = rng_for(shared_.seed, Stream::COMPLETION, block);
        std::uint64_t num_incomplete = 0;
        const std::size_t end = std::min(samples.size(), (block + 1) * BLOCK_SIZE);
        for (std::size_t i = block * BLOCK_SIZE; i < end; ++i) num_incomplete += !complete(i, rng, samples);
        return num_incomplete;
    }

private:
    bool complete(std::size_t sample, Rng& rng, Samples& samples) {
        const StatePacker& packer = shared_.packer;
        samples.unpack(sample, packer, values_);
        if (std::ranges::find(values_, UNDEFINED) == values_.end()) return true;
        partial_.assign(values_);
        const bool complete =
            shared_.walk_states
                ? partial_.complete_from((*shared_.walk_states)[rng.below(std::uint32_t{WalkStates::COUNT})], rng)
                : partial_.complete_at_random(rng);
        full_.assign(partial_.values().begin(), partial_.values().end());
        if (complete) derived_.complete(full_);
        const auto words = std::span(samples.words).subspan(sample * packer.num_words(), packer.num_words());
        for (std::size_t i = 0; i < values_.size(); ++i)
            if (values_[i] == UNDEFINED) packer.set(words, i, full_[i] + 1);
        return complete;
    }

    const Shared& shared_;
    DerivedValues derived_;
    PartialState partial_;
    std::vector<Value> values_, full_;
};

}  // namespace

bool complete_samples(const Task& task, Completion completion, std::uint64_t seed, std::size_t num_threads,
                      const SamplingLimits& limits, const std::function<bool()>& keep_going, Samples& samples) {
    if (completion == Completion::NONE || samples.size() == 0) return false;
    Deadline deadline(limits.time_s, keep_going);
    MemoryMeter meter(limits.memory_bytes);
    std::optional<Shared> shared;
    try {
        shared.emplace(task, completion, seed, Guard(deadline, meter));
    } catch (const WorkStopped&) {
        samples.truncate(0, sample_packer(task).num_words());
        return true;
    }
    const std::size_t num_blocks = (samples.size() + BLOCK_SIZE - 1) / BLOCK_SIZE;
    std::atomic<std::size_t> next_block{0}, first_missing{num_blocks};
    std::atomic<std::uint64_t> num_incomplete{0};
    run_in_threads(std::min(num_threads, num_blocks), deadline, [&] {
        Completer completer(*shared);
        for (std::size_t block; (block = next_block++) < num_blocks;) {
            if (deadline.has_passed() || deadline.is_time_up()) {  // the least of those that are left counts
                std::size_t least = first_missing;
                while (block < least && !first_missing.compare_exchange_weak(least, block)) {
                }
                return;
            }
            num_incomplete += completer.complete_block(block, samples);
        }
    });
    samples.statistics.num_incomplete += num_incomplete;
    if (first_missing == num_blocks) return false;
    samples.truncate(first_missing * BLOCK_SIZE, shared->packer.num_words());
    return true;
}

void append_random_states(const Task& task, std::size_t count, std::uint32_t label, std::uint64_t seed,
                          const Guard& guard, Samples& samples) {
    const Shared shared(task, Completion::RANDOM, seed, guard);
    guard.take(count * (shared.packer.num_words() * sizeof(StatePacker::Word) + Samples::LINK_BYTES));
    const std::vector<Value> nothing(task.variables.size(), UNDEFINED);
    std::vector<Value> values;
    PartialState partial(task, shared.mutexes);
    DerivedValues derived(shared.derived);
    Rng rng = rng_for(seed, Stream::RANDOM_STATES);
    for (std::size_t i = 0; i < count; ++i) {
        guard.poll(1 + nothing.size());
        partial.assign(nothing);
        if (!partial.complete_at_random(rng)) continue;
        values.assign(partial.values().begin(), partial.values().end());
        derived.complete(values);
        samples.push(values, label, shared.packer);
    }
}

}  // namespace sing
