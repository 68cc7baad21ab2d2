// Heuristics and search for Python.

#include <nanobind/stl/optional.h>

#include <optional>

#include "common.h"
#include "cost_types.h"
#include "heuristics/heuristic.h"
#include "heuristics/make_heuristic.h"
#include "networks/network.h"
#include "networks/voices.h"
#include "search/plan_improver.h"
#include "search/plan_shortener.h"
#include "search_types.h"

namespace sing {
namespace {

// Evaluates a network that is not native by calling Python with [count, inputs] for [count].
std::unique_ptr<PyHeuristic> foreign_heuristic(const Task& task, const Features& features, const nb::callable& function,
                                               PyGuard* guard) {
    auto evaluate = [function, num_inputs = features.num_inputs()](std::span<const float> inputs,
                                                                   std::span<float> outputs) {
        nb::gil_scoped_acquire gil;
        auto rows = to_numpy(std::vector<float>(inputs.begin(), inputs.end()), {outputs.size(), num_inputs});
        const auto estimates = nb::cast<Array<float, 1>>(function(rows));
        if (estimates.size() != outputs.size())
            throw std::invalid_argument("the network gave too many or too few outputs");
        std::copy_n(estimates.data(), outputs.size(), outputs.begin());
    };
    return std::make_unique<PyHeuristic>(
        task, std::make_unique<ForeignNetworkHeuristic>(task, features, std::move(evaluate), PyGuard::of(guard)));
}

// A network on states of a task, its outputs as they are.
class PyNetwork {
public:
    PyNetwork(const Task& task, const Features& features, const Mlp& mlp)
        : states_(task), domain_sizes_(task.domain_sizes()), network_(task, features, mlp, Guard()) {}

    // States are rows of values, [count, variables]; the result is [count, outputs].
    nb::ndarray<nb::numpy, float> evaluate(const Array<std::int32_t, 2>& states) {
        const std::size_t count = states.shape(0);
        if (states.shape(1) != domain_sizes_.size())
            throw std::invalid_argument("the states are those of another task");
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
        const std::span<const float> outputs = network_.evaluate_successors(states_.successors(state, operators));
        return to_numpy(std::vector<float>(outputs.begin(), outputs.end()), {operators.size(), network_.num_outputs()});
    }

private:
    PyStates states_;
    std::vector<Value> domain_sizes_;
    Network network_;
};

std::pair<std::vector<std::uint32_t>, bool> shorten_plan_for_python(
    const Task& task, const std::vector<std::uint32_t>& plan, double time_limit_s, std::size_t memory_limit_bytes,
    std::uint64_t max_generated, const std::function<bool(std::uint64_t)>& progress) {
    std::vector<OperatorId> operators;
    for (std::uint32_t op : plan) operators.push_back(OperatorId{op});
    nb::gil_scoped_release released;
    const ShorteningLimits limits{
        .time_s = time_limit_s, .memory_bytes = memory_limit_bytes, .num_generated = max_generated};
    const ShorterPlan shorter = shorten_plan(task, operators, limits, with_signals<std::uint64_t>(progress));
    return {to_python(shorter.operators), shorter.is_cheapest};
}

class PyPlanImprover {
public:
    PyPlanImprover(const Task& task, std::uint64_t seed, PyGuard* guard)
        : num_operators_(task.operators.size()), improver_(task, seed, PyGuard::of(guard)) {}

    std::vector<std::uint32_t> improve(const std::vector<std::uint32_t>& plan, double time_limit_s,
                                       std::uint64_t max_work,
                                       const std::function<bool(std::uint64_t, std::int64_t)>& progress) {
        const std::vector<OperatorId> operators = checked_operators(plan, num_operators_);
        nb::gil_scoped_release released;
        return to_python(improver_.improve(operators, {.time_s = time_limit_s, .work = max_work},
                                           with_signals<std::uint64_t, Cost>(progress)));
    }
    std::size_t window_length() const { return improver_.window_length(); }
    bool is_exhausted() const { return improver_.is_exhausted(); }
    std::uint64_t work() const { return improver_.work(); }

private:
    std::size_t num_operators_;
    PlanImprover improver_;
};

}  // namespace

void bind_search(nb::module_& m) {
    nb::class_<PyHeuristic>(m, "Heuristic")
        .def_static(
            "named",
            [](const Task& task, const std::string& name, PyGuard* guard) {
                return std::make_unique<PyHeuristic>(task, make_heuristic(name, task, PyGuard::of(guard)));
            },
            "task"_a, "name"_a, "guard"_a = nb::none(), nb::keep_alive<0, 1>(), nb::keep_alive<0, 3>(),
            nb::call_guard<nb::gil_scoped_release>())
        .def_static(
            "network",
            [](const Task& task, const Features& features, const Mlp& mlp, PyGuard* guard) {
                return std::make_unique<PyHeuristic>(
                    task, std::make_unique<NetworkHeuristic>(task, features, mlp, PyGuard::of(guard)));
            },
            "task"_a, "features"_a, "mlp"_a, "guard"_a = nb::none(), nb::keep_alive<0, 4>(),
            nb::call_guard<nb::gil_scoped_release>())
        .def_static(
            "voices",
            [](const Task& task, const Features& features, const Mlp& mlp, PyGuard* guard) {
                return std::make_unique<PyHeuristic>(
                    task, std::make_unique<VoicesHeuristic>(task, features, mlp, PyGuard::of(guard)));
            },
            "task"_a, "features"_a, "mlp"_a, "guard"_a = nb::none(), nb::keep_alive<0, 4>(),
            nb::call_guard<nb::gil_scoped_release>())
        .def_static("foreign", &foreign_heuristic, "task"_a, "features"_a, "evaluate"_a, "guard"_a = nb::none(),
                    nb::keep_alive<0, 4>(),
                    nb::sig("def foreign(task: Task, features: Features, "
                            "evaluate: typing.Callable[..., typing.Any], guard: Guard | None = None) -> Heuristic"))
        .def("evaluate", &PyHeuristic::evaluate, "state"_a,
             nb::sig("def evaluate(self, state: collections.abc.Sequence[int]) -> int | None"))
        .def("evaluate_successors", &PyHeuristic::evaluate_successors, "state"_a, "operators"_a,
             nb::sig("def evaluate_successors(self, state: collections.abc.Sequence[int], "
                     "operators: collections.abc.Sequence[int]) -> list[tuple[int | None, bool]]"))
        .def_prop_ro("work", [](PyHeuristic& heuristic) { return heuristic.get().work(); });

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
        .value("INTERRUPTED", SearchStatus::INTERRUPTED)
        .value("CUT", SearchStatus::CUT);

    nb::class_<SearchStatistics>(m, "SearchStatistics")
        .def(
            "__init__",
            [](SearchStatistics* self, std::uint64_t num_expanded, std::uint64_t num_evaluated,
               std::uint64_t num_generated, std::uint64_t num_registered, std::size_t memory_bytes,
               std::optional<Estimate> best_estimate, std::int32_t fewest_open_goals, double time_s) {
                new (self) SearchStatistics{.num_expanded = num_expanded,
                                            .num_evaluated = num_evaluated,
                                            .num_generated = num_generated,
                                            .num_registered = num_registered,
                                            .memory_bytes = memory_bytes,
                                            .best_estimate = best_estimate.value_or(DEAD_END),
                                            .fewest_open_goals = fewest_open_goals,
                                            .time_s = time_s};
            },
            nb::kw_only(), "num_expanded"_a, "num_evaluated"_a, "num_generated"_a, "num_registered"_a, "memory_bytes"_a,
            "best_estimate"_a, "fewest_open_goals"_a, "time_s"_a)
        .def_ro("num_expanded", &SearchStatistics::num_expanded)
        .def_ro("num_evaluated", &SearchStatistics::num_evaluated)
        .def_ro("num_generated", &SearchStatistics::num_generated)
        .def_ro("num_registered", &SearchStatistics::num_registered)
        .def_ro("memory_bytes", &SearchStatistics::memory_bytes)
        .def_ro("fewest_open_goals", &SearchStatistics::fewest_open_goals)
        .def_ro("time_s", &SearchStatistics::time_s)
        .def_prop_ro(
            "lower_bound", [](const SearchStatistics& s) { return to_python(s.lower_bound); },
            nb::sig("def lower_bound(self) -> int | None"))
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

    m.def("queue_keys", [] {
        std::vector<std::pair<std::string, std::string>> keys;
        for (const KeyDescription& key : KEYS) keys.emplace_back(std::string(1, key.letter), std::string(key.meaning));
        return keys;
    });
    m.def("shorten_plan", &shorten_plan_for_python, "task"_a, "plan"_a, nb::kw_only(), "time_limit_s"_a,
          "memory_limit_bytes"_a, "max_generated"_a, "progress"_a);

    nb::class_<BeamStatistics>(m, "BeamStatistics")
        .def_ro("search", &BeamStatistics::search)
        .def_ro("num_layers", &BeamStatistics::num_layers)
        .def_ro("widest", &BeamStatistics::widest)
        .def_ro("narrowest", &BeamStatistics::narrowest)
        .def_ro("is_complete", &BeamStatistics::is_complete);

    nb::class_<BeamResult>(m, "BeamResult")
        .def_ro("status", &BeamResult::status)
        .def_ro("statistics", &BeamResult::statistics)
        .def_prop_ro("plan", [](const BeamResult& result) { return to_python(result.plan); })
        .def_prop_ro(
            "initial_estimate", [](const BeamResult& r) { return PyHeuristic::to_python(r.initial_estimate); },
            nb::sig("def initial_estimate(self) -> int | None"));

    m.attr("INFINITE_COST") = INFINITE_COST;
    nb::class_<PyBeamSearch>(m, "BeamSearch")
        .def(
            "__init__",
            [](PyBeamSearch* self, const Task& task, const nb::tuple& heuristics, std::size_t width,
               std::size_t history, bool novelty, std::uint64_t seed, std::size_t round) {
                const BeamConfig config{
                    .width = width, .history = history, .novelty = novelty, .seed = seed, .round = round};
                new (self) PyBeamSearch(task, heuristics, config);
            },
            "task"_a, "heuristics"_a, nb::kw_only(), "width"_a, "history"_a, "novelty"_a, "seed"_a, "round"_a,
            nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
            nb::sig("def __init__(self, task: Task, heuristics: tuple[Heuristic, ...], *, width: int, history: int, "
                    "novelty: bool, seed: int, round: int) -> None"))
        .def("run", &PyBeamSearch::run, nb::kw_only(), "time_limit_s"_a, "memory_limit_bytes"_a, "max_work"_a,
             "cost_limit"_a, "progress"_a);

    nb::class_<PyPlanImprover>(m, "PlanImprover")
        .def(nb::init<const Task&, std::uint64_t, PyGuard*>(), "task"_a, "seed"_a, "guard"_a = nb::none(),
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>(), nb::call_guard<nb::gil_scoped_release>())
        .def("improve", &PyPlanImprover::improve, "plan"_a, nb::kw_only(), "time_limit_s"_a, "max_work"_a, "progress"_a)
        .def_prop_ro("work", &PyPlanImprover::work)
        .def_prop_ro("window_length", &PyPlanImprover::window_length)
        .def_prop_ro("is_exhausted", &PyPlanImprover::is_exhausted);

    nb::class_<PySearch>(m, "Search")
        .def(nb::init<const Task&, PyHeuristic&, std::vector<std::string>, Ties, bool, std::uint32_t, std::size_t,
                      std::uint64_t, const InterchangeableObjects*>(),
             "task"_a, "heuristic"_a, nb::kw_only(), "queues"_a, "ties"_a, "goal_orders"_a, "boost"_a, "max_links"_a,
             "seed"_a, "interchangeable"_a = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
             nb::keep_alive<1, 10>())
        .def("start_from", &PySearch::start_from, "state"_a)
        .def("run", &PySearch::run, nb::kw_only(), "time_limit_s"_a, "memory_limit_bytes"_a, "max_work"_a, "progress"_a)
        .def_prop_ro("num_states", [](const PySearch& search) { return search.get().num_states(); })
        .def("state", &PySearch::state, "id"_a)
        .def_prop_ro("links", &PySearch::links);
}

}  // namespace sing
