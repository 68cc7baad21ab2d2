#include "samples/plan_samples.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "base/crew.h"
#include "samples/sample_seeds.h"
#include "states/progression.h"

namespace sing {
namespace {

// Of the memory, for the samples; the searches share the rest.
constexpr std::size_t SAMPLES_SHARE = 4;

// What the threads share.
struct Shared {
    Shared(const Task& of_task, const Samples& of_starts, const PlanSamplesConfig& of_config,
           const SamplingLimits& limits, const std::function<bool(std::size_t)>& progress)
        : task(of_task),
          starts(of_starts),
          config(of_config),
          deadline(limits.time_s, [this, &progress] { return progress(num_samples); }),
          meter(limits.memory_bytes),
          packer(sample_packer(task)),
          parts(of_starts.size()),
          lengths(of_starts.size(), PlanSamples::NOT_SEARCHED) {}

    void stop(SamplingStatus why) {
        SamplingStatus expected = SamplingStatus::COMPLETE;
        status.compare_exchange_strong(expected, why);
        deadline.stop();
    }

    const Task& task;
    const Samples& starts;
    const PlanSamplesConfig& config;
    Deadline deadline;
    MemoryMeter meter;
    StatePacker packer;
    std::optional<SearchParts> search_parts;
    std::size_t bytes_a_search = 0, max_sample_bytes = 0;
    std::atomic<std::uint32_t> next_start{0};
    std::atomic<std::size_t> num_samples{0}, num_bytes{0};
    std::atomic<std::uint64_t> work{0};
    std::atomic<SamplingStatus> status{SamplingStatus::COMPLETE};
    std::vector<Samples> parts;  // by start
    std::vector<std::int32_t> lengths;
};

// One thread's part.
class Worker {
public:
    Worker(Shared& shared, Heuristic& heuristic)
        : shared_(shared),
          heuristic_(heuristic),
          progression_(shared.task, shared.search_parts->transitions, Guard()),
          values_(shared.packer.num_variables()) {}

    void run() {
        while (!shared_.deadline.has_passed()) {
            const std::uint32_t number = shared_.next_start++;
            if (number >= shared_.starts.size()) return;
            shared_.starts.unpack(number, shared_.packer, values_);
            if (std::ranges::find(values_, UNDEFINED) != values_.end()) continue;
            progression_.enter(values_);
            search(number);
        }
    }

private:
    void search(std::uint32_t number) {
        rng_ = rng_for(shared_.config.search.seed, number);
        SearchConfig config = shared_.config.search;
        config.seed = rng_.next();
        Search search(shared_.task, heuristic_, config);
        const SearchLimits limits{.time_s = shared_.deadline.time_s() - shared_.deadline.elapsed_s(),
                                  .memory_bytes = shared_.bytes_a_search,
                                  .work = shared_.config.max_work};
        const std::uint64_t work_before = heuristic_.work();
        const SearchResult found =
            search.run_from(values_, *shared_.search_parts, limits,
                            [&](const SearchStatistics&) { return !shared_.deadline.has_passed(); });
        if (found.status == SearchStatus::OUT_OF_TIME) shared_.stop(SamplingStatus::OUT_OF_TIME);
        if (found.status == SearchStatus::OUT_OF_TIME || found.status == SearchStatus::INTERRUPTED) return;
        shared_.work += found.statistics.num_generated + heuristic_.work() - work_before;
        if (found.status == SearchStatus::SOLVED)
            add_plan(number, found.plan);
        else
            shared_.lengths[number] =
                found.status == SearchStatus::EXHAUSTED ? PlanSamples::NO_PLAN : PlanSamples::NOT_SOLVED;
    }

    void add_plan(std::uint32_t number, std::span<const OperatorId> plan) {
        shared_.lengths[number] = static_cast<std::int32_t>(plan.size());
        Samples& part = shared_.parts[number];
        collect(plan, part);
        shared_.num_samples += part.size();
        const std::size_t bytes = part.memory_bytes();
        if (shared_.num_bytes.fetch_add(bytes) + bytes > shared_.max_sample_bytes)
            shared_.stop(SamplingStatus::OUT_OF_MEMORY);
    }

    // The states are met from the first on and kept from the last on, so that parents come before their children.
    void collect(std::span<const OperatorId> plan, Samples& part) {
        const auto length = static_cast<std::uint32_t>(plan.size());
        const FromPlan kind = shared_.config.from_plan;
        const std::uint32_t wanted = kind == FromPlan::ONE ? rng_.below(length + 1) : 0;
        Samples forward;
        for (std::uint32_t step = 0; step <= length; ++step) {
            if (kind == FromPlan::ALL || step == wanted) forward.push(values_, length - step, shared_.packer);
            if (step < length) progression_.advance(values_, plan[step]);
        }
        std::vector<std::uint32_t> backward(forward.size());
        for (std::uint32_t i = 0; i < backward.size(); ++i)
            backward[i] = static_cast<std::uint32_t>(backward.size()) - 1 - i;
        part = forward.chosen(backward, shared_.packer.num_words());
        if (kind != FromPlan::ALL) return;
        for (std::uint32_t i = 1; i <= length; ++i) {
            part.parents[i] = i - 1;
            part.operators[i] = plan[length - i];
        }
    }

    Shared& shared_;
    Heuristic& heuristic_;
    Progression progression_;
    Rng rng_{0};
    std::vector<Value> values_;
};

PlanSamples joined(Shared& shared) {
    PlanSamples result;
    for (Samples& part : shared.parts) {
        result.samples.append(part);
        part = {};
    }
    result.status = shared.status;
    if (result.status == SamplingStatus::COMPLETE && shared.deadline.has_passed())
        result.status =
            shared.deadline.end() == Deadline::End::TIME_UP ? SamplingStatus::OUT_OF_TIME : SamplingStatus::INTERRUPTED;
    result.lengths = std::move(shared.lengths);
    result.work = shared.work;
    return result;
}

}  // namespace

PlanSamples sample_plans(const Task& task, std::span<Heuristic* const> heuristics, const Samples& starts,
                         const PlanSamplesConfig& config, const SamplingLimits& limits,
                         const std::function<bool(std::size_t)>& progress) {
    Shared shared(task, starts, config, limits, progress);
    try {
        shared.search_parts.emplace(task, config.search.goal_orders, Guard(shared.deadline, shared.meter));
        const std::size_t left = limits.memory_bytes - std::min(limits.memory_bytes, shared.meter.used_bytes());
        shared.max_sample_bytes = left / SAMPLES_SHARE / 2;  // joining the parts holds them twice for a moment
        shared.bytes_a_search = (left - left / SAMPLES_SHARE) / heuristics.size();
        std::atomic<std::size_t> next_heuristic{0};
        run_in_threads(heuristics.size(), shared.deadline,
                       [&] { Worker(shared, *heuristics[next_heuristic++]).run(); });
    } catch (const WorkStopped&) {
        return joined(shared);
    } catch (const std::bad_alloc&) {
        shared.stop(SamplingStatus::OUT_OF_MEMORY);
    }
    return joined(shared);
}

}  // namespace sing
