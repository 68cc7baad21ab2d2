// The samples that voices learn from, for Python.

#include "samples/goal_samples.h"

#include "common.h"
#include "search_types.h"
#include "training/make_dataset.h"

namespace sing {
namespace {

template <typename T>
nb::ndarray<nb::numpy, T> to_rows(std::vector<T> items, std::size_t num_rows) {
    const std::size_t width = items.size() / std::max<std::size_t>(num_rows, 1);
    return to_numpy(std::move(items), {num_rows, width});
}

}  // namespace

void bind_goal_samples(nb::module_& m) {
    nb::class_<PatternConfig>(m, "PatternConfig")
        .def(nb::init<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t, std::uint32_t,
                      std::uint64_t>(),
             nb::kw_only(), "num_searches"_a, "max_width"_a, "num_walks"_a, "max_steps"_a, "max_facts"_a,
             "max_branching"_a, "seed"_a);
    nb::class_<GoalSamples>(m, "GoalSamples")
        .def("__len__", [](const GoalSamples& samples) { return samples.size; })
        .def_ro("num_patterns", &GoalSamples::num_patterns)
        .def_ro("num_reached", &GoalSamples::num_reached)
        .def_prop_ro(
            "states", [](const GoalSamples& samples) { return to_rows(samples.states, samples.size); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "labels", [](const GoalSamples& samples) { return to_rows(samples.labels, samples.size); },
            nb::rv_policy::automatic)
        .def(
            "dataset",
            [](const GoalSamples& samples, const Features& features, PyGuard* guard) {
                return make_dataset(samples, features, PyGuard::of(guard));
            },
            "features"_a, "guard"_a = nb::none(), nb::call_guard<nb::gil_scoped_release>());
    m.def(
        "make_goal_samples",
        [](const Task& task, const PySearch& search, std::size_t num_states, std::size_t num_completed, bool far_labels,
           const PatternConfig& patterns, std::uint64_t seed, double time_limit_s, std::size_t memory_limit_bytes,
           const std::function<bool()>& progress) {
            nb::gil_scoped_release released;
            const GoalSamplesConfig config{.num_states = num_states,
                                           .num_completed = num_completed,
                                           .far_labels = far_labels,
                                           .patterns = patterns,
                                           .seed = seed};
            const GoalSamplesLimits limits{.time_s = time_limit_s, .memory_bytes = memory_limit_bytes};
            return make_goal_samples(task, search.get(), config, limits, with_signals(progress));
        },
        "task"_a, "search"_a, nb::kw_only(), "num_states"_a, "num_completed"_a, "far_labels"_a, "patterns"_a, "seed"_a,
        "time_limit_s"_a, "memory_limit_bytes"_a, "progress"_a);
}

}  // namespace sing
