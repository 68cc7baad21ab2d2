// Goals, patterns and samples for Python.

#include "samples/goal_samples.h"

#include "common.h"
#include "training/dataset.h"
#include "goals/goal_orders.h"
#include "search_types.h"

namespace sing {
namespace {

class PyOpenGoals {
public:
    PyOpenGoals(const Task& task, bool with_orders)
        : check_(task), num_operators_(task.operators.size()), goals_(task, with_orders) {}
    std::int32_t count(const std::vector<Value>& state) const {
        check_(state);
        return goals_.count(state);
    }
    std::int32_t count_after(const std::vector<Value>& parent, std::int32_t parent_count, std::uint32_t op) const {
        check_(parent);
        return goals_.count_after(parent, parent_count, checked_operators({op}, num_operators_).front());
    }

private:
    StateCheck check_;
    std::size_t num_operators_;
    OpenGoals goals_;
};

template <typename T>
nb::ndarray<nb::numpy, T> to_rows(std::vector<T> items, std::size_t num_rows) {
    const std::size_t width = items.size() / std::max<std::size_t>(num_rows, 1);
    return to_numpy(std::move(items), {num_rows, width});
}

// Input vectors and labels to train on.
std::unique_ptr<Dataset> to_dataset(const GoalSamples& samples, const Features& features) {
    auto data = std::make_unique<Dataset>();
    data->num_inputs = features.num_inputs();
    data->num_outputs = samples.labels.size() / std::max<std::size_t>(samples.size, 1);
    data->labels = samples.labels;
    const bool is_binary = features.is_binary();
    const std::size_t num_variables = features.num_variables();
    if (samples.states.size() != samples.size * num_variables)
        throw std::invalid_argument("the features are those of another task");
    for (std::size_t row = 0; row < samples.size; ++row) {
        for (std::size_t variable = 0; variable < num_variables; ++variable)
            add_input(features.of(variable, samples.states[row * num_variables + variable]), is_binary, *data);
        data->offsets.push_back(data->inputs.size());
    }
    return data;
}

}  // namespace

void bind_goal_samples(nb::module_& m) {
    nb::class_<Pattern>(m, "Pattern")
        .def_ro("goal", &Pattern::goal)
        .def_ro("depth", &Pattern::depth)
        .def_ro("is_shortest", &Pattern::is_shortest)
        .def_prop_ro("facts", [](const Pattern& pattern) { return to_python(pattern.facts); });
    nb::class_<PatternConfig>(m, "PatternConfig")
        .def(nb::init<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t, std::uint32_t,
                      std::uint64_t>(),
             nb::kw_only(), "num_searches"_a, "max_width"_a, "num_walks"_a, "max_steps"_a, "max_facts"_a, "max_branching"_a, "seed"_a);
    m.def(
        "find_patterns",
        [](const Task& task, const PatternConfig& config, double time_limit_s, const std::function<bool()>& progress) {
            nb::gil_scoped_release released;
            Deadline deadline(time_limit_s, with_signals(progress));
            return find_patterns(task, config, deadline);
        },
        "task"_a, "config"_a, nb::kw_only(), "time_limit_s"_a, "progress"_a);
    nb::class_<PyOpenGoals>(m, "OpenGoals")
        .def(nb::init<const Task&, bool>(), "task"_a, "with_orders"_a)
        .def("count", &PyOpenGoals::count, "state"_a)
        .def("count_after", &PyOpenGoals::count_after, "parent"_a, "parent_count"_a, "operator"_a)
        .def_static("find_orders", &OpenGoals::find_orders, "task"_a);

    nb::class_<GoalSamples>(m, "GoalSamples")
        .def("__len__", [](const GoalSamples& samples) { return samples.size; })
        .def_ro("num_patterns", &GoalSamples::num_patterns)
        .def_ro("num_reached", &GoalSamples::num_reached)
        .def_prop_ro(
            "states",
            [](const GoalSamples& samples) { return to_rows(samples.states, samples.size); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "labels",
            [](const GoalSamples& samples) { return to_rows(samples.labels, samples.size); }, nb::rv_policy::automatic)
        .def("dataset", &to_dataset, "features"_a);
    m.def(
        "make_goal_samples",
        [](const Task& task, const PySearch& search, std::size_t num_states, std::size_t num_completed, bool far_labels,
           const PatternConfig& patterns, std::uint64_t seed, double time_limit_s, const std::function<bool()>& progress) {
            nb::gil_scoped_release released;
            const GoalSamplesConfig config{.num_states = num_states,
                                           .num_completed = num_completed,
                                           .far_labels = far_labels,
                                           .patterns = patterns,
                                           .seed = seed};
            return make_goal_samples(task, search.get(), config, time_limit_s, with_signals(progress));
        },
        "task"_a, "search"_a, nb::kw_only(), "num_states"_a, "num_completed"_a, "far_labels"_a, "patterns"_a, "seed"_a, "time_limit_s"_a,
        "progress"_a);
}

}  // namespace sing
