// Full states from partial ones.
#pragma once

#include <functional>

#include "base/guard.h"
#include "samples/samples.h"
#include "task/task.h"

namespace sing {

// What becomes of undefined values: left as they are, random, or from states of forward walks.
enum class Completion { NONE, RANDOM, WALK };

// Gives every undefined variable of these samples a value that contradicts no mutex group; one that has no such value
// stays undefined and makes the sample count as incomplete. Derived values follow. Random numbers depend on the seed
// and on the position of a sample, so the number of threads changes nothing.
//
// Samples that the time is too short for are dropped, from the end. Returns whether that was so. Throws std::bad_alloc
// where what is prepared does not fit.
bool complete_samples(const Task& task, Completion completion, std::uint64_t seed, std::size_t num_threads,
                      const SamplingLimits& limits, const std::function<bool()>& keep_going, Samples& samples);

// Appends states whose every value is random, none contradicting a mutex group, as samples with this label. A draw that
// cannot be completed is left out.
void append_random_states(const Task& task, std::size_t count, std::uint32_t label, std::uint64_t seed,
                          const Guard& guard, Samples& samples);

}  // namespace sing
