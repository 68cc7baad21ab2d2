#include "samples/forward_walks.h"

#include <stdexcept>
#include <vector>

#include "base/guard.h"
#include "samples/sample_seeds.h"
#include "states/progression.h"
#include "states/successor_generator.h"
#include "states/transitions.h"

namespace sing {

namespace {

void append_last_states(const Task& task, const ForwardWalks& walks, const Guard& guard, Samples& samples) {
    const SuccessorGenerator generator(task, guard);
    const Transitions transitions(task, StatePacker(task), guard);
    const StatePacker packer = sample_packer(task);
    Progression progression(task, transitions, guard);
    std::vector<Value> state;
    std::vector<OperatorId> operators;
    for (std::uint32_t number = 0; number < walks.count; ++number) {
        guard.take(packer.num_words() * sizeof(StatePacker::Word) + Samples::LINK_BYTES);
        Rng rng = rng_for(walks.seed, Stream::WALKS, number);
        std::uint32_t steps = walks.min_steps + rng.below(walks.max_steps - walks.min_steps + 1);
        state = task.initial_state;
        progression.enter(state);
        for (; steps > 0; --steps) {
            operators.clear();
            generator.applicable(state, operators);
            guard.poll(1 + state.size() / 8 + operators.size());
            if (operators.empty()) break;
            progression.advance(state, operators[rng.below(static_cast<std::uint32_t>(operators.size()))]);
        }
        samples.push(state, 0, packer);
    }
}

}  // namespace

Samples last_states_of_walks(const Task& task, const ForwardWalks& walks, const SamplingLimits& limits,
                             const std::function<bool()>& keep_going) {
    if (walks.min_steps > walks.max_steps) throw std::invalid_argument("walks have at most fewer steps than at least");
    Deadline deadline(limits.time_s, keep_going);
    MemoryMeter meter(limits.memory_bytes);
    Samples samples;
    try {
        append_last_states(task, walks, Guard(deadline, meter), samples);
    } catch (const WorkStopped&) {
        return samples;
    } catch (const std::bad_alloc&) {
        return samples;
    }
    return samples;
}

}  // namespace sing
