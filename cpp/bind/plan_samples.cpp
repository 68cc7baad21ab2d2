// Samples that searches make, for Python.

#include "samples/plan_samples.h"

#include "common.h"
#include "sample_types.h"
#include "samples/biss.h"
#include "samples/forward_walks.h"
#include "search_types.h"

namespace sing {
namespace {

// Samples along plans, and what became of each start.
struct PyPlanSamples {
    std::unique_ptr<PySamples> samples;
    std::vector<std::int32_t> lengths;
    std::uint64_t work;
};

PyPlanSamples sample_plans_for_python(const Task& task, const std::vector<PyHeuristic*>& heuristics,
                                      const PySamples& starts, const std::vector<std::string>& queues, Ties ties,
                                      bool goal_orders, std::uint32_t boost, FromPlan from_plan, std::uint64_t max_work,
                                      std::uint64_t seed, double time_limit_s, std::size_t memory_limit_bytes,
                                      const std::function<bool(std::size_t)>& progress) {
    std::vector<Heuristic*> own;
    for (PyHeuristic* heuristic : heuristics) own.push_back(&heuristic->get());
    if (own.empty()) throw std::invalid_argument("searches need a heuristic");
    const PlanSamplesConfig config{
        .search =
            {.queues = queues, .ties = ties, .boost = boost, .goal_orders = goal_orders, .max_links = 0, .seed = seed},
        .from_plan = from_plan,
        .max_work = max_work};
    nb::gil_scoped_release released;
    const SamplingLimits limits{.time_s = time_limit_s, .memory_bytes = memory_limit_bytes};
    PlanSamples found = sample_plans(task, own, starts.samples, config, limits, with_signals<std::size_t>(progress));
    auto samples = std::make_unique<PySamples>(starts, std::move(found.samples));
    samples->status = found.status;
    return {std::move(samples), std::move(found.lengths), found.work};
}

}  // namespace

void bind_plan_samples(nb::module_& m) {
    nb::enum_<TypeSystem>(m, "TypeSystem")
        .value("STATES", TypeSystem::STATES)
        .value("GOALS", TypeSystem::GOALS)
        .value("CHILDREN", TypeSystem::CHILDREN);
    m.def(
        "label_by_biss",
        [](const Task& task, const PySamples& starts, TypeSystem types, std::uint32_t max_types,
           std::uint32_t num_probes, std::uint32_t max_levels, std::uint64_t backward_work, std::uint64_t forward_work,
           std::uint64_t seed, std::size_t num_threads, double time_limit_s, std::size_t memory_limit_bytes,
           const std::function<bool(std::size_t)>& progress) {
            nb::gil_scoped_release released;
            const BissConfig config{.types = types,
                                    .max_types = max_types,
                                    .num_probes = num_probes,
                                    .max_levels = max_levels,
                                    .backward_work = backward_work,
                                    .forward_work = forward_work,
                                    .seed = seed};
            auto result = std::make_unique<PySamples>(starts, Samples());
            result->status = label_by_biss(task, starts.samples, config, num_threads,
                                           {.time_s = time_limit_s, .memory_bytes = memory_limit_bytes},
                                           with_signals<std::size_t>(progress), result->samples);
            return result;
        },
        "task"_a, "starts"_a, nb::kw_only(), "types"_a, "max_types"_a, "num_probes"_a, "max_levels"_a,
        "backward_work"_a, "forward_work"_a, "seed"_a, "num_threads"_a, "time_limit_s"_a, "memory_limit_bytes"_a,
        "progress"_a);
    nb::enum_<FromPlan>(m, "FromPlan")
        .value("ALL", FromPlan::ALL)
        .value("FIRST", FromPlan::FIRST)
        .value("ONE", FromPlan::ONE);
    nb::class_<PyPlanSamples>(m, "PlanSamples")
        .def("take_samples", [](PyPlanSamples& self) { return std::move(self.samples); })
        .def_prop_ro(
            "lengths", [](const PyPlanSamples& self) { return to_numpy(std::vector(self.lengths)); },
            nb::rv_policy::automatic)
        .def_ro("work", &PyPlanSamples::work);
    m.def("sample_plans", &sample_plans_for_python, "task"_a, "heuristics"_a, "starts"_a, nb::kw_only(), "queues"_a,
          "ties"_a, "goal_orders"_a, "boost"_a, "from_plan"_a, "max_work"_a, "seed"_a, "time_limit_s"_a,
          "memory_limit_bytes"_a, "progress"_a);
    m.def(
        "last_states_of_walks",
        [](const Task& task, std::uint32_t count, std::uint32_t min_steps, std::uint32_t max_steps, std::uint64_t seed,
           double time_limit_s, std::size_t memory_limit_bytes, const std::function<bool()>& progress) {
            nb::gil_scoped_release released;
            auto samples = std::make_unique<PySamples>(task);
            samples->samples = last_states_of_walks(
                task, {.count = count, .min_steps = min_steps, .max_steps = max_steps, .seed = seed},
                {.time_s = time_limit_s, .memory_bytes = memory_limit_bytes}, with_signals<>(progress));
            return samples;
        },
        "task"_a, nb::kw_only(), "count"_a, "min_steps"_a, "max_steps"_a, "seed"_a, "time_limit_s"_a,
        "memory_limit_bytes"_a, "progress"_a);
}

}  // namespace sing
