// States along plans that searches find, labelled with their distance to the goal along the plan.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "heuristics/heuristic.h"
#include "samples/samples.h"
#include "search/search.h"
#include "task/task.h"

namespace sing {

// Which states of a plan become samples: all, the first, or one of them at random.
enum class FromPlan { ALL, FIRST, ONE };

struct PlanSamplesConfig {
    SearchConfig search;  // every search has a seed of its own, made of this one and of its number
    FromPlan from_plan;
    std::uint64_t max_work;  // of each search, as in SearchLimits
};

struct PlanSamples {
    static constexpr std::int32_t NOT_SOLVED = -1, NO_PLAN = -2, NOT_SEARCHED = -3;

    Samples samples;  // a plan's goal state first; the states before it name the next one as their parent
    SamplingStatus status = SamplingStatus::COMPLETE;
    std::vector<std::int32_t> lengths;  // by start: of the plan found, or one of the above
    std::uint64_t work = 0;             // of all searches that ended
};

// Searches for a plan from each of these states, with as many threads as there are heuristics; each thread has one for
// itself. A search depends on its state and its number alone and is bounded by its work, so the samples are the same
// with any number of threads, unless time or memory ends one of the searches. A start with an undefined value is not
// searched.
PlanSamples sample_plans(const Task& task, std::span<Heuristic* const> heuristics, const Samples& starts,
                         const PlanSamplesConfig& config, const SamplingLimits& limits,
                         const std::function<bool(std::size_t)>& progress);

}  // namespace sing
