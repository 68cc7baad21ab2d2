// Backward search and its samples for Python.

#include "common.h"
#include "sample_types.h"
#include "samples/sampler.h"

namespace sing {
namespace {

class PySampler {
public:
    PySampler(const Task& task, const std::string& space, Strategy strategy, Collection collection,
              std::uint32_t num_searches, std::uint32_t num_samples, std::uint32_t num_breadth_first,
              std::uint32_t max_depth, bool consistent_starts, std::uint64_t seed, PyGuard* guard)
        : task_(task),
          sampler_(task,
                   {.space = space,
                    .strategy = strategy,
                    .collection = collection,
                    .num_searches = num_searches,
                    .num_samples = num_samples,
                    .num_breadth_first = num_breadth_first,
                    .max_depth = max_depth,
                    .consistent_starts = consistent_starts,
                    .seed = seed},
                   PyGuard::of(guard)) {}

    std::size_t bytes_per_sample() const {
        return sampler_.packer().num_words() * sizeof(StatePacker::Word) + Samples::LINK_BYTES;
    }

    std::unique_ptr<PySamples> run(std::size_t num_threads, double time_limit_s, std::size_t memory_limit_bytes,
                                   const std::function<bool(std::size_t)>& progress) const {
        auto result = std::make_unique<PySamples>(task_);
        nb::gil_scoped_release released;
        const SamplingLimits limits{.time_s = time_limit_s, .memory_bytes = memory_limit_bytes};
        result->status = sampler_.run(num_threads, limits, with_signals<std::size_t>(progress), result->samples);
        return result;
    }

private:
    const Task& task_;
    Sampler sampler_;
};

}  // namespace

void bind_sampling(nb::module_& m) {
    nb::enum_<Strategy>(m, "Strategy")
        .value("DFS", Strategy::DFS)
        .value("RANDOM_WALK", Strategy::RANDOM_WALK)
        .value("BFS_WALKS", Strategy::BFS_WALKS);
    nb::enum_<Collection>(m, "Collection")
        .value("GENERATED", Collection::GENERATED)
        .value("EXPANDED", Collection::EXPANDED);
    nb::enum_<Completion>(m, "Completion")
        .value("NONE", Completion::NONE)
        .value("RANDOM", Completion::RANDOM)
        .value("WALK", Completion::WALK);
    nb::enum_<SamplingStatus>(m, "SamplingStatus")
        .value("COMPLETE", SamplingStatus::COMPLETE)
        .value("OUT_OF_TIME", SamplingStatus::OUT_OF_TIME)
        .value("OUT_OF_MEMORY", SamplingStatus::OUT_OF_MEMORY)
        .value("INTERRUPTED", SamplingStatus::INTERRUPTED);

    nb::class_<SamplerStatistics>(m, "SamplerStatistics")
        .def_ro("num_searches", &SamplerStatistics::num_searches)
        .def_ro("num_without_start", &SamplerStatistics::num_without_start)
        .def_ro("num_redraws", &SamplerStatistics::num_redraws)
        .def_ro("num_dead_ends", &SamplerStatistics::num_dead_ends)
        .def_ro("num_steps", &SamplerStatistics::num_steps)
        .def_ro("num_inexact", &SamplerStatistics::num_inexact)
        .def_ro("num_incomplete", &SamplerStatistics::num_incomplete);

    nb::class_<PySamples>(m, "Samples")
        .def("__len__", [](const PySamples& self) { return self.samples.size(); })
        .def_ro("status", &PySamples::status)
        .def_prop_ro("statistics", [](const PySamples& self) { return self.samples.statistics; })
        .def_prop_ro("memory_bytes", [](const PySamples& self) { return self.samples.memory_bytes(); })
        .def_prop_ro("labels", &PySamples::labels, nb::rv_policy::automatic)
        .def_prop_ro("parents", &PySamples::parents, nb::rv_policy::automatic)
        .def_prop_ro("operators", &PySamples::operators, nb::rv_policy::automatic)
        .def("firsts", &PySamples::firsts, "guard"_a = nb::none())
        .def("chosen", &PySamples::chosen, "selection"_a)
        .def("append", &PySamples::append, "other"_a)
        .def("bits", &PySamples::bits, "selection"_a, "guard"_a = nb::none())
        .def("values", &PySamples::values, "selection"_a)
        .def("dataset", &PySamples::dataset, "selection"_a, "features"_a, "guard"_a = nb::none())
        .def("lower", &PySamples::lower, "task"_a, nb::kw_only(), "by_equals"_a, "by_successors"_a, "num_threads"_a,
             "time_limit_s"_a, "memory_limit_bytes"_a, "progress"_a)
        .def("complete", &PySamples::complete, "task"_a, "completion"_a, nb::kw_only(), "seed"_a, "num_threads"_a,
             "time_limit_s"_a, "memory_limit_bytes"_a, "progress"_a)
        .def("append_random", &PySamples::append_random, "task"_a, "count"_a, nb::kw_only(), "label"_a, "seed"_a,
             "guard"_a = nb::none(), nb::call_guard<nb::gil_scoped_release>())
        .def("relabel", &PySamples::relabel, "selection"_a, nb::kw_only(), "labels"_a, "task"_a, "features"_a, "mlp"_a,
             "judge"_a.none(), "num_threads"_a, "time_limit_s"_a, "memory_limit_bytes"_a, "progress"_a);

    nb::class_<PySampler>(m, "Sampler")
        .def(nb::init<const Task&, const std::string&, Strategy, Collection, std::uint32_t, std::uint32_t,
                      std::uint32_t, std::uint32_t, bool, std::uint64_t, PyGuard*>(),
             "task"_a, nb::kw_only(), "space"_a, "strategy"_a, "collection"_a, "num_searches"_a, "num_samples"_a,
             "num_breadth_first"_a, "max_depth"_a, "consistent_starts"_a, "seed"_a, "guard"_a = nb::none(),
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 12>(), nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("bytes_per_sample", &PySampler::bytes_per_sample)
        .def("run", &PySampler::run, nb::kw_only(), "num_threads"_a, "time_limit_s"_a, "memory_limit_bytes"_a,
             "progress"_a);
}

}  // namespace sing
