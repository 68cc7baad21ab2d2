// Heuristics and search for Python.

#include "search.h"

#include "common.h"
#include "dataset.h"
#include "ff_heuristic.h"
#include "goal_orders.h"
#include "heuristic.h"
#include "lessons.h"
#include "network.h"
#include "plan_shortener.h"
#include "voices.h"

namespace sing {
namespace {

std::vector<OperatorId> checked_operators(const std::vector<std::uint32_t>& operators, std::size_t num_operators) {
    std::vector<OperatorId> ids;
    for (std::uint32_t op : operators) {
        if (op >= num_operators) throw std::out_of_range("there is no such operator");
        ids.push_back(OperatorId{op});
    }
    return ids;
}

class PyHeuristic {
public:
    PyHeuristic(const Task& task, std::unique_ptr<Heuristic> heuristic)
        : check_(task), num_operators_(task.operators.size()), heuristic_(std::move(heuristic)) {}

    nb::object evaluate(const std::vector<Value>& state) {
        check_(state);
        return to_python(heuristic_->evaluate(state));
    }
    nb::object additive_estimate(const std::vector<Value>& state) {
        check_(state);
        auto* ff = dynamic_cast<FFHeuristic*>(heuristic_.get());
        if (!ff) throw std::invalid_argument("only the ff heuristic has an additive estimate");
        return to_python(ff->additive_estimate(state));
    }
    // For each operator: the estimate of the successor that it leads to, and whether the heuristic prefers it.
    std::vector<std::pair<nb::object, bool>> evaluate_successors(const std::vector<Value>& state,
                                                                 const std::vector<std::uint32_t>& operators) {
        check_(state);
        const std::vector<OperatorId> ids = checked_operators(operators, num_operators_);
        std::vector<Estimate> estimates(ids.size());
        heuristic_->evaluate_successors({state, ids}, estimates);
        const std::span<const std::uint8_t> preferred = heuristic_->preferred();
        std::vector<std::pair<nb::object, bool>> result;
        for (std::size_t i = 0; i < ids.size(); ++i)
            result.emplace_back(to_python(estimates[i]), !preferred.empty() && preferred[i]);
        return result;
    }
    Heuristic& get() { return *heuristic_; }

    static nb::object to_python(Estimate estimate) {
        return estimate == DEAD_END ? nb::none() : nb::object(nb::int_(estimate));
    }

private:
    StateCheck check_;
    std::size_t num_operators_;
    std::unique_ptr<Heuristic> heuristic_;
};

// Evaluates a network that is not native by calling Python with [count, inputs] for [count].
std::unique_ptr<PyHeuristic> foreign_heuristic(const Task& task, const Features& features, nb::callable function) {
    auto evaluate = [function, num_inputs = features.num_inputs()](std::span<const float> inputs,
                                                                   std::span<float> outputs) {
        nb::gil_scoped_acquire gil;
        auto rows = to_numpy(std::vector<float>(inputs.begin(), inputs.end()), {outputs.size(), num_inputs});
        const auto estimates = nb::cast<Array<float, 1>>(function(rows));
        if (estimates.size() != outputs.size()) throw std::invalid_argument("the network gave too many or too few outputs");
        std::copy_n(estimates.data(), outputs.size(), outputs.begin());
    };
    return std::make_unique<PyHeuristic>(task,
                                         std::make_unique<ForeignNetworkHeuristic>(task, features, std::move(evaluate)));
}

// A network on states of a task, its outputs as they are.
class PyNetwork {
public:
    PyNetwork(const Task& task, const Features& features, const Mlp& mlp)
        : check_(task), domain_sizes_(task.domain_sizes()), num_operators_(task.operators.size()), network_(task, features, mlp) {}

    // States are rows of values, [count, variables]; the result is [count, outputs].
    nb::ndarray<nb::numpy, float> evaluate(const Array<std::int32_t, 2>& states) {
        const std::size_t count = states.shape(0);
        if (states.shape(1) != domain_sizes_.size()) throw std::invalid_argument("the states are those of another task");
        std::vector<float> outputs;
        outputs.reserve(count * network_.num_outputs());
        for (std::size_t i = 0; i < count; ++i) {
            const std::span<const Value> state(states.data() + i * domain_sizes_.size(), domain_sizes_.size());
            for (std::size_t variable = 0; variable < state.size(); ++variable)
                if (state[variable] < 0 || state[variable] >= domain_sizes_[variable])
                    throw std::invalid_argument("a state has a value that its variable does not have");
            const std::span<const float> row = network_.evaluate(state);
            outputs.insert(outputs.end(), row.begin(), row.end());
        }
        return to_numpy(std::move(outputs), {count, network_.num_outputs()});
    }
    nb::ndarray<nb::numpy, float> evaluate_successors(const std::vector<Value>& state,
                                                      const std::vector<std::uint32_t>& operators) {
        check_(state);
        const std::vector<OperatorId> ids = checked_operators(operators, num_operators_);
        const std::span<const float> outputs = network_.evaluate_successors({state, ids});
        return to_numpy(std::vector<float>(outputs.begin(), outputs.end()), {ids.size(), network_.num_outputs()});
    }

private:
    StateCheck check_;
    std::vector<Value> domain_sizes_;
    std::size_t num_operators_;
    Network network_;
};

class PySearch {
public:
    PySearch(const Task& task, PyHeuristic& heuristic, std::vector<std::string> queues, Ties ties, bool goal_orders,
             std::size_t max_links, std::uint64_t seed)
        : search_(task, heuristic.get(), {std::move(queues), ties, goal_orders, max_links, seed}) {}

    const Search& get() const { return search_; }

    SearchResult run(double time_limit_s, std::size_t memory_limit_bytes, std::uint64_t max_generated,
                     const std::function<bool(const SearchStatistics&)>& progress) {
        if (std::exchange(has_run_, true)) throw std::invalid_argument("a search runs only once");
        nb::gil_scoped_release released;
        return search_.run({time_limit_s, memory_limit_bytes, max_generated}, with_signals<SearchStatistics>(progress));
    }

    std::vector<Value> state(std::uint32_t id) const {
        if (id >= search_.num_states()) throw std::out_of_range("the search has no such state");
        std::vector<Value> values(search_.num_variables());
        search_.unpack(StateId{id}, values);
        return values;
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> links() const {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
        for (const Link& link : search_.links())
            pairs.emplace_back(static_cast<std::uint32_t>(link.from), static_cast<std::uint32_t>(link.to));
        return pairs;
    }

private:
    Search search_;
    bool has_run_ = false;
};

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

// Input vectors and labels to train on.
std::unique_ptr<Dataset> to_dataset(const Lessons& lessons, const Features& features) {
    auto data = std::make_unique<Dataset>();
    data->num_inputs = features.num_inputs();
    data->num_outputs = lessons.labels.size() / std::max<std::size_t>(lessons.size, 1);
    data->labels = lessons.labels;
    const bool is_binary = features.is_binary();
    const std::size_t num_variables = features.num_variables();
    if (lessons.states.size() != lessons.size * num_variables)
        throw std::invalid_argument("the features are those of another task");
    for (std::size_t row = 0; row < lessons.size; ++row) {
        for (std::size_t variable = 0; variable < num_variables; ++variable) {
            const Feature& feature = features.of(variable, lessons.states[row * num_variables + variable]);
            if (feature.input == Feature::NONE || feature.coefficient == 0) continue;
            data->inputs.push_back(feature.input);
            if (!is_binary) data->coefficients.push_back(feature.coefficient);
        }
        data->offsets.push_back(data->inputs.size());
    }
    return data;
}

void bind_lessons(nb::module_& m) {
    nb::class_<Pattern>(m, "Pattern")
        .def_ro("goal", &Pattern::goal)
        .def_ro("depth", &Pattern::depth)
        .def_ro("is_shortest", &Pattern::is_shortest)
        .def_prop_ro("facts", [](const Pattern& pattern) { return to_python(pattern.facts); });
    nb::class_<PatternConfig>(m, "PatternConfig")
        .def(nb::init<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t, std::uint32_t,
                      std::uint64_t>(),
             "num_searches"_a, "max_width"_a, "num_walks"_a, "max_steps"_a, "max_facts"_a, "max_branching"_a, "seed"_a);
    m.def(
        "find_patterns",
        [](const Task& task, const PatternConfig& config, double time_limit_s, const std::function<bool()>& progress) {
            nb::gil_scoped_release released;
            Deadline deadline(time_limit_s, with_signals(progress));
            return find_patterns(task, config, deadline);
        },
        "task"_a, "config"_a, "time_limit_s"_a, "progress"_a);
    nb::class_<PyOpenGoals>(m, "OpenGoals")
        .def(nb::init<const Task&, bool>(), "task"_a, "with_orders"_a)
        .def("count", &PyOpenGoals::count, "state"_a)
        .def("count_after", &PyOpenGoals::count_after, "parent"_a, "parent_count"_a, "operator"_a)
        .def_static("find_orders", &OpenGoals::find_orders, "task"_a);

    nb::class_<Lessons>(m, "Lessons")
        .def("__len__", [](const Lessons& lessons) { return lessons.size; })
        .def_ro("num_patterns", &Lessons::num_patterns)
        .def_ro("num_reached", &Lessons::num_reached)
        .def_prop_ro(
            "states",
            [](const Lessons& lessons) {
                const std::size_t num_variables = lessons.states.size() / std::max<std::size_t>(lessons.size, 1);
                return to_numpy(std::vector(lessons.states), {lessons.size, num_variables});
            },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "labels",
            [](const Lessons& lessons) {
                const std::size_t num_goals = lessons.labels.size() / std::max<std::size_t>(lessons.size, 1);
                return to_numpy(std::vector(lessons.labels), {lessons.size, num_goals});
            },
            nb::rv_policy::automatic)
        .def("dataset", &to_dataset, "features"_a);
    m.def(
        "make_lessons",
        [](const Task& task, const PySearch& search, std::size_t num_seen, std::size_t num_completed, bool far_labels,
           const PatternConfig& patterns, std::uint64_t seed, double time_limit_s, const std::function<bool()>& progress) {
            nb::gil_scoped_release released;
            return make_lessons(task, search.get(), {num_seen, num_completed, far_labels, patterns, seed}, time_limit_s,
                                with_signals(progress));
        },
        "task"_a, "search"_a, "num_seen"_a, "num_completed"_a, "far_labels"_a, "patterns"_a, "seed"_a, "time_limit_s"_a,
        "progress"_a);
}

std::pair<std::vector<std::uint32_t>, bool> shorten_plan_for_python(const Task& task, const std::vector<std::uint32_t>& plan,
                                                   double time_limit_s, std::size_t memory_limit_bytes,
                                                   std::uint64_t max_generated,
                                                   const std::function<bool(std::uint64_t)>& progress) {
    std::vector<OperatorId> operators;
    for (std::uint32_t op : plan) operators.push_back(OperatorId{op});
    nb::gil_scoped_release released;
    const ShorterPlan shorter = shorten_plan(task, operators, {time_limit_s, memory_limit_bytes, max_generated},
                                             with_signals<std::uint64_t>(progress));
    return {to_python(shorter.operators), shorter.is_shortest};
}

}  // namespace

void bind_search(nb::module_& m) {
    nb::class_<PyHeuristic>(m, "Heuristic")
        .def_static(
            "named",
            [](const Task& task, const std::string& name) {
                return std::make_unique<PyHeuristic>(task, make_heuristic(name, task));
            },
            "task"_a, "name"_a, nb::keep_alive<0, 1>())
        .def_static(
            "network",
            [](const Task& task, const Features& features, const Mlp& mlp) {
                return std::make_unique<PyHeuristic>(task, std::make_unique<NetworkHeuristic>(task, features, mlp));
            },
            "task"_a, "features"_a, "mlp"_a)
        .def_static(
            "voices",
            [](const Task& task, const Features& features, const Mlp& mlp) {
                return std::make_unique<PyHeuristic>(task, std::make_unique<VoicesHeuristic>(task, features, mlp));
            },
            "task"_a, "features"_a, "mlp"_a)
        .def_static("foreign", &foreign_heuristic, "task"_a, "features"_a, "evaluate"_a,
                    nb::sig("def foreign(task: Task, features: Features, "
                            "evaluate: typing.Callable[..., typing.Any]) -> Heuristic"))
        .def("evaluate", &PyHeuristic::evaluate, "state"_a,
             nb::sig("def evaluate(self, state: collections.abc.Sequence[int]) -> int | None"))
        .def("evaluate_successors", &PyHeuristic::evaluate_successors, "state"_a, "operators"_a,
             nb::sig("def evaluate_successors(self, state: collections.abc.Sequence[int], "
                     "operators: collections.abc.Sequence[int]) -> list[tuple[int | None, bool]]"))
        .def("additive_estimate", &PyHeuristic::additive_estimate, "state"_a,
             nb::sig("def additive_estimate(self, state: collections.abc.Sequence[int]) -> int | None"));

    nb::class_<PyNetwork>(m, "Network")
        .def(nb::init<const Task&, const Features&, const Mlp&>(), "task"_a, "features"_a, "mlp"_a)
        .def("evaluate", &PyNetwork::evaluate, "states"_a)
        .def("evaluate_successors", &PyNetwork::evaluate_successors, "state"_a, "operators"_a);

    nb::enum_<Ties>(m, "Ties").value("FIFO", Ties::FIFO).value("RANDOM", Ties::RANDOM);

    nb::enum_<SearchStatus>(m, "SearchStatus")
        .value("SOLVED", SearchStatus::SOLVED)
        .value("EXHAUSTED", SearchStatus::EXHAUSTED)
        .value("OUT_OF_TIME", SearchStatus::OUT_OF_TIME)
        .value("OUT_OF_MEMORY", SearchStatus::OUT_OF_MEMORY)
        .value("OUT_OF_WORK", SearchStatus::OUT_OF_WORK)
        .value("INTERRUPTED", SearchStatus::INTERRUPTED);

    nb::class_<SearchStatistics>(m, "SearchStatistics")
        .def_ro("num_expanded", &SearchStatistics::num_expanded)
        .def_ro("num_evaluated", &SearchStatistics::num_evaluated)
        .def_ro("num_generated", &SearchStatistics::num_generated)
        .def_ro("num_registered", &SearchStatistics::num_registered)
        .def_ro("memory_bytes", &SearchStatistics::memory_bytes)
        .def_ro("fewest_open_goals", &SearchStatistics::fewest_open_goals)
        .def_ro("time_s", &SearchStatistics::time_s)
        .def_prop_ro(
            "best_estimate", [](const SearchStatistics& s) { return PyHeuristic::to_python(s.best_estimate); },
            nb::sig("def best_estimate(self) -> int | None"));

    nb::class_<SearchResult>(m, "SearchResult")
        .def_ro("status", &SearchResult::status)
        .def_ro("statistics", &SearchResult::statistics)
        .def_prop_ro("plan", [](const SearchResult& result) { return to_python(result.plan); })
        .def_prop_ro(
            "initial_estimate", [](const SearchResult& r) { return PyHeuristic::to_python(r.initial_estimate); },
            nb::sig("def initial_estimate(self) -> int | None"));

    m.def("shorten_plan", &shorten_plan_for_python, "task"_a, "plan"_a, "time_limit_s"_a, "memory_limit_bytes"_a,
          "max_generated"_a, "progress"_a);

    nb::class_<PySearch>(m, "Search")
        .def(nb::init<const Task&, PyHeuristic&, std::vector<std::string>, Ties, bool, std::size_t, std::uint64_t>(),
             "task"_a, "heuristic"_a, "queues"_a, "ties"_a, "goal_orders"_a, "max_links"_a, "seed"_a,
             nb::keep_alive<1, 3>())
        .def("run", &PySearch::run, "time_limit_s"_a, "memory_limit_bytes"_a, "max_generated"_a, "progress"_a)
        .def_prop_ro("num_states", [](const PySearch& search) { return search.get().num_states(); })
        .def("state", &PySearch::state, "id"_a)
        .def_prop_ro("links", &PySearch::links);

    bind_lessons(m);
}

}  // namespace sing
