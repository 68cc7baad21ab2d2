// Parts of the core that tests alone look at, as the module sing._core.testing.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <numeric>

#include "base/deadline.h"
#include "common.h"
#include "cost_types.h"
#include "goals/goal_orders.h"
#include "heuristics/factored_rules.h"
#include "heuristics/ff_heuristic.h"
#include "heuristics/lm_cut.h"
#include "landmarks/landmarks.h"
#include "networks/kernels.h"
#include "pairs/excluded_pairs.h"
#include "samples/explicit_spaces.h"
#include "samples/make_backward_space.h"
#include "samples/patterns.h"
#include "samples/typed_level.h"
#include "search/beam_rank.h"
#include "search/plan_structure.h"
#include "search_types.h"
#include "states/state_table.h"
#include "symmetries/hash_set.h"
#include "symmetries/orbit_hash.h"
#include "training/trainable_network.h"
#include "training/trainer.h"

namespace sing {
namespace {

class PyStateTable {
public:
    PyStateTable(std::size_t num_words, std::size_t memory_limit_bytes)
        : num_words_(num_words), table_(num_words, meter_) {
        meter_.set_limit(memory_limit_bytes);
    }

    // (id, is_new), or None where the memory limit is reached.
    nb::object insert(const std::vector<std::uint32_t>& words) {
        if (words.size() != num_words_) throw std::invalid_argument("wrong number of words");
        const auto [outcome, id] = table_.insert(words, table_.hash()(words), {NO_STATE, NO_OPERATOR});
        if (outcome == StateTable::Outcome::FULL) return nb::none();
        return nb::make_tuple(index(id), outcome == StateTable::Outcome::INSERTED);
    }
    std::vector<std::uint32_t> state(std::size_t id) const {
        if (id >= table_.size()) throw std::out_of_range("there is no such state");
        const StateTable::Words words = table_.state(StateId{static_cast<std::uint32_t>(id)});
        return {words.begin(), words.end()};
    }
    std::size_t size() const { return table_.size(); }
    std::size_t memory_bytes() const { return meter_.used_bytes(); }

private:
    std::size_t num_words_;
    MemoryMeter meter_;
    StateTable table_;
};

class PyOpenGoals {
public:
    PyOpenGoals(const Task& task, bool with_orders) : states_(task), goals_(task, with_orders, Guard()) {}
    std::int32_t count(const std::vector<Value>& state) { return goals_.count(states_.enter(state)); }
    std::int32_t count_after(const std::vector<Value>& parent, std::int32_t parent_count, std::uint32_t op) {
        const Successors successors = states_.successors(parent, {op});
        if (successors.changes) return goals_.count_after(successors.parent, parent_count, (*successors.changes)[0]);
        return goals_.count_after(successors.parent, parent_count, OperatorId{op});
    }

private:
    PyStates states_;
    OpenGoals goals_;
};

// h_add, which FF computes on its way.
class PyAdditiveHeuristic {
public:
    explicit PyAdditiveHeuristic(const Task& task) : states_(task), ff_(task, Guard()) {}
    nb::object evaluate(const std::vector<Value>& state) {
        return PyHeuristic::to_python(ff_.additive_estimate(states_.enter(state)));
    }

private:
    PyStates states_;
    FFHeuristic ff_;
};

// FF's estimate and, by fact: what it costs, how many operators of the relaxed plan and goals need it, and the operator
// by which the plan makes it. For tasks without conditional effects and axioms.
class PyRelaxedPlan {
public:
    using FactOfPlan = std::tuple<std::optional<Estimate>, std::uint32_t, std::optional<std::uint32_t>>;

    explicit PyRelaxedPlan(const Task& task) : states_(task), ff_(task, Guard()) {}
    std::pair<nb::object, std::vector<FactOfPlan>> evaluate(const std::vector<Value>& state) {
        const Estimate estimate = ff_.evaluate(states_.enter(state));
        std::vector<FactOfPlan> facts;
        for (FactId fact = 0; estimate != DEAD_END && fact < ff_.rules().num_facts(); ++fact) {
            FactOfPlan found{std::nullopt, ff_.num_needs(fact), std::nullopt};
            if (ff_.cost(fact) != DEAD_END) std::get<0>(found) = ff_.cost(fact);
            if (ff_.achiever(fact) != FFHeuristic::NO_RULE) std::get<2>(found) = ff_.achiever(fact);
            facts.push_back(found);
        }
        return {PyHeuristic::to_python(estimate), std::move(facts)};
    }

private:
    PyStates states_;
    FFHeuristic ff_;
};

// The rules of a task without deletes, as they are and factored.
class PyFactoredRules {
public:
    using Rule = std::tuple<std::vector<FactId>, std::vector<FactId>, Estimate>;  // conditions, what it adds, weight

    PyFactoredRules(const Task& task, PyGuard* guard)
        : rules_(task, Guard()), factored_(rules_, {}, PyGuard::of(guard)) {}
    std::size_t num_facts() const { return rules_.num_facts(); }
    std::vector<Rule> originals() const {
        std::vector<Rule> all;
        for (RuleId rule = 0; rule < rules_.size(); ++rule)
            all.push_back(entry(rules_.conditions(rule), rules_.added(rule), rules_.is_operator(rule) ? 1 : 0));
        return all;
    }
    std::vector<Rule> rules() const {
        std::vector<Rule> all;
        for (std::uint32_t rule = 0; rule < factored_.size(); ++rule)
            all.push_back(entry(factored_.conditions(rule), factored_.added(rule), factored_.weight(rule)));
        return all;
    }
    // From num_facts() on: the facts, unions among them, of each union.
    std::vector<std::vector<FactId>> unions() const {
        std::vector<std::vector<FactId>> all;
        for (auto fact = static_cast<FactId>(rules_.num_facts()); fact < factored_.num_facts(); ++fact)
            all.emplace_back(factored_.facts_of(fact).begin(), factored_.facts_of(fact).end());
        return all;
    }
    RuleId origin(std::uint32_t rule, const std::vector<FactId>& reached_by) const {
        return factored_.origin(rule, reached_by);
    }

private:
    static Rule entry(std::span<const FactId> conditions, std::span<const FactId> added, Estimate weight) {
        return {{conditions.begin(), conditions.end()}, {added.begin(), added.end()}, weight};
    }

    RelaxedRules rules_;
    FactoredRules factored_;
};

// LM-cut's estimate of a state and the landmarks that it counts: their operators, and what is taken from the cost of
// each.
class PyLmCut {
public:
    explicit PyLmCut(const Task& task) : states_(task), lm_cut_(task, Guard()) {}
    std::pair<nb::object, std::vector<std::pair<std::vector<std::uint32_t>, Cost>>> evaluate(
        const std::vector<Value>& state) {
        const Cost cost = lm_cut_.evaluate(states_.enter(state), INFINITE_COST, Guard());
        std::vector<std::pair<std::vector<std::uint32_t>, Cost>> landmarks;
        for (const OperatorLandmark& landmark : lm_cut_.landmarks())
            landmarks.emplace_back(to_python(landmark.operators), landmark.cost);
        return {to_python(cost), std::move(landmarks)};
    }

private:
    PyStates states_;
    LmCut lm_cut_;
};

// All backward steps from a partial state (-1: undefined): (operator, state before it).
std::vector<std::pair<std::uint32_t, std::vector<Value>>> backward_steps(const Task& task,
                                                                         const std::string& space_name,
                                                                         const std::vector<Value>& values,
                                                                         std::uint64_t seed) {
    if (values.size() != task.variables.size()) throw std::invalid_argument("wrong number of values");
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] < UNDEFINED || values[i] >= task.variables[i].domain_size())
            throw std::invalid_argument("variable " + std::to_string(i) + " has no such value");
    const auto space = make_backward_space(space_name, task, false, Guard());
    const Mutexes mutexes(task, Guard());
    PartialState state(task, mutexes);
    state.assign(values);
    std::vector<OperatorId> candidates;
    space->candidates(state, candidates);
    std::vector<std::pair<std::uint32_t, std::vector<Value>>> steps;
    Rng rng(seed);
    for (OperatorId op : candidates) {
        std::vector<Change> changes;
        if (!space->step(op, state, rng, changes)) continue;
        steps.emplace_back(static_cast<std::uint32_t>(op), std::vector(state.values().begin(), state.values().end()));
        BackwardSpace::undo(state, changes);
    }
    return steps;
}

// Each with its preconditions and, for each variable it sets, the values it may take.
auto inverse_operators_for_python(const Task& task) {
    std::vector<std::pair<PyFacts, std::vector<std::pair<int, std::vector<Value>>>>> result;
    const InverseOperators inverses(task, Guard());
    for (std::uint32_t i = 0; i < task.operators.size(); ++i) {
        std::vector<std::pair<int, std::vector<Value>>> effects;
        for (const InverseOperators::Effect& effect : inverses.effects(OperatorId{i})) {
            std::vector<Value> values;
            for (std::uint32_t k = 0; k < inverses.num_values(effect); ++k) values.push_back(inverses.value(effect, k));
            effects.emplace_back(effect.after.variable, std::move(values));
        }
        const std::span<const Fact> preconditions = inverses.preconditions(OperatorId{i});
        result.emplace_back(to_python(std::vector(preconditions.begin(), preconditions.end())), std::move(effects));
    }
    return result;
}

// The mean loss over all samples and its gradients by the weights.
std::pair<double, Mlp> loss_and_gradients(const Mlp& mlp, const Dataset& data, const Loss& loss) {
    if (data.num_inputs != mlp.num_inputs() || data.num_outputs != mlp.num_outputs())
        throw std::invalid_argument("the network does not fit the dataset");
    TrainableNetwork network(mlp);
    std::vector<std::uint32_t> samples(data.size());
    std::iota(samples.begin(), samples.end(), 0u);
    const std::span<const float> outputs = network.forward(data, samples);
    double sum = 0, count = 0;
    for (float label : data.labels) count += !std::isnan(label);
    std::vector<float> slopes(outputs.size());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        if (std::isnan(data.labels[k])) continue;
        sum += loss.value(outputs[k], data.labels[k]);
        slopes[k] = static_cast<float>(loss.slope(outputs[k], data.labels[k]) / count);
    }
    network.backward(data, samples, slopes);
    return {sum / count, network.gradients()};
}

void select_kernels_by_name(const std::string& name) {
    for (std::size_t i = 0; const Kernels* kernels = available_kernels(i); ++i)
        if (kernels->name == name) return select_kernels(*kernels);
    throw std::invalid_argument("this machine has no kernels '" + name + "'");
}

void bind_deadline(nb::module_& m) {
    nb::class_<Deadline> deadline(m, "Deadline");
    nb::enum_<Deadline::End>(deadline, "End")
        .value("NONE", Deadline::End::NONE)
        .value("TIME_UP", Deadline::End::TIME_UP)
        .value("STOPPED", Deadline::End::STOPPED);
    deadline
        .def(nb::init<double, std::function<bool()>, Deadline::Clock>(), nb::kw_only(), "time_s"_a, "keep_going"_a,
             "clock"_a)
        .def("passed", &Deadline::passed, "work"_a)
        .def("passed_now", &Deadline::passed_now)
        .def("begin_other_work", &Deadline::begin_other_work)
        .def("stop", &Deadline::stop)
        .def_prop_ro("interval", &Deadline::interval)
        .def_prop_ro("end", &Deadline::end)
        .def_prop_ro("has_passed", &Deadline::has_passed)
        .def_prop_ro("is_time_up", &Deadline::is_time_up)
        .def_prop_ro("elapsed_s", &Deadline::elapsed_s);
}

// Landmarks as lists of facts, and orders as pairs of a fact and a landmark's position; None without a relaxed plan.
nb::object find_landmarks_for_python(const Task& task, std::size_t max_facts) {
    const std::optional<Landmarks> found = find_landmarks(task, max_facts, Guard());
    if (!found) return nb::none();
    std::vector<PyFacts> sets;
    for (const Landmark& landmark : found->sets) sets.push_back(to_python(landmark));
    std::vector<std::pair<PyFact, std::size_t>> orders;
    for (const LandmarkOrder& order : found->orders)
        orders.emplace_back(PyFact{order.fact.variable, order.fact.value}, order.landmark);
    return nb::cast(std::pair(std::move(sets), std::move(orders)));
}

// The hashes of a state and of its successors, each from the changes to the state.
class PyOrbitHash {
public:
    PyOrbitHash(const Task& task, const InterchangeableObjects& objects)
        : check_(task),
          num_operators_(task.operators.size()),
          transitions_(task, StatePacker(task), Guard()),
          hash_(objects, task, Guard()) {}

    std::uint64_t of(const std::vector<Value>& state) {
        check_(state);
        return hash_(state);
    }
    std::vector<std::uint64_t> after(const std::vector<Value>& state, const std::vector<std::uint32_t>& operators) {
        check_(state);
        hash_.set_parent(state);
        std::vector<std::uint64_t> hashes;
        for (OperatorId op : checked_operators(operators, num_operators_))
            hashes.push_back(hash_.after(transitions_.effects(op)));
        return hashes;
    }

private:
    StateCheck check_;
    std::size_t num_operators_;
    Transitions transitions_;
    OrbitHash hash_;
};

// Which of the hashes are new, in a set that grows.
std::vector<bool> insert_hashes(const std::vector<std::uint64_t>& hashes, std::size_t memory_limit_bytes) {
    MemoryMeter meter(memory_limit_bytes);
    HashSet set(&meter);
    std::vector<bool> are_new;
    for (std::uint64_t hash : hashes) are_new.push_back(set.insert(hash));
    return are_new;
}

// Pairs of facts, the lower one first, and dead operators; None where the work is too little for any of it.
nb::object excluded_pairs_for_python(const Task& task, std::size_t max_work) {
    const std::optional<ExcludedPairs> found = find_excluded_pairs(task, max_work, Guard());
    if (!found) return nb::none();
    PyFacts facts;
    for (std::int32_t variable = 0; const Variable& each : task.variables) {
        for (Value value = 0; value < each.domain_size(); ++value) facts.emplace_back(variable, value);
        ++variable;
    }
    std::vector<std::pair<PyFact, PyFact>> pairs;
    for (FactId a = 0; a < facts.size(); ++a)
        for (FactId b = a; b < facts.size(); ++b)
            if (found->excluded(a, b)) pairs.emplace_back(facts[a], facts[b]);
    return nb::cast(std::pair(std::move(pairs), found->is_dead));
}

// For each entry: the fact, the variable that says that it has held, and goals.
std::vector<std::tuple<PyFact, int, PyFacts>> needed_again_for_python(const Task& task) {
    std::vector<std::tuple<PyFact, int, PyFacts>> entries;
    for (const NeededAgain& entry : task.needed_again)
        entries.emplace_back(PyFact{entry.fact.variable, entry.fact.value}, entry.has_held, to_python(entry.before));
    return entries;
}

void bind_goals_and_patterns(nb::module_& m) {
    m.def("needed_again", &needed_again_for_python, "task"_a);
    m.def("find_landmarks", &find_landmarks_for_python, "task"_a, nb::kw_only(), "max_facts"_a,
          nb::sig("def find_landmarks(task: sing._core.Task, *, max_facts: int) -> "
                  "tuple[list[list[tuple[int, int]]], list[tuple[tuple[int, int], int]]] | None"));
    m.def("excluded_pairs", &excluded_pairs_for_python, "task"_a, nb::kw_only(), "max_work"_a,
          nb::sig("def excluded_pairs(task: sing._core.Task, *, max_work: int) -> "
                  "tuple[list[tuple[tuple[int, int], tuple[int, int]]], list[bool]] | None"));
    nb::class_<PyOrbitHash>(m, "OrbitHash")
        .def(nb::init<const Task&, const InterchangeableObjects&>(), "task"_a, "objects"_a, nb::keep_alive<1, 2>(),
             nb::keep_alive<1, 3>())
        .def("of", &PyOrbitHash::of, "state"_a)
        .def("after", &PyOrbitHash::after, "state"_a, "operators"_a);
    m.def("insert_hashes", &insert_hashes, "hashes"_a, nb::kw_only(), "memory_limit_bytes"_a);
    nb::class_<PyOpenGoals>(m, "OpenGoals")
        .def(nb::init<const Task&, bool>(), "task"_a, nb::kw_only(), "with_orders"_a)
        .def("count", &PyOpenGoals::count, "state"_a)
        .def("count_after", &PyOpenGoals::count_after, "parent"_a, "parent_count"_a, "operator"_a)
        .def_static("find_orders", [](const Task& task) { return OpenGoals::find_orders(task, Guard()); }, "task"_a);
    nb::class_<Pattern>(m, "Pattern")
        .def_ro("goal", &Pattern::goal)
        .def_ro("depth", &Pattern::depth)
        .def_ro("is_shortest", &Pattern::is_shortest)
        .def_prop_ro("facts", [](const Pattern& pattern) { return to_python(pattern.facts); });
    m.def(
        "find_patterns",
        [](const Task& task, const PatternConfig& config, double time_limit_s, std::size_t memory_limit_bytes) {
            Deadline deadline(time_limit_s, [] { return true; });
            MemoryMeter meter(memory_limit_bytes);
            return find_patterns(task, config, deadline, meter);
        },
        "task"_a, "config"_a, nb::kw_only(), "time_limit_s"_a, "memory_limit_bytes"_a);
}

}  // namespace

void bind_testing(nb::module_& m) {
    // Items (state, type, weight) added one by one, as the states and weights of the level.
    m.def(
        "typed_level",
        [](const std::vector<std::tuple<std::vector<Value>, std::uint64_t, double>>& items, std::uint32_t max_types,
           std::uint64_t seed) {
            Rng rng(seed);
            TypedLevel level(items.empty() ? 0 : std::get<0>(items.front()).size(), max_types);
            for (const auto& [state, type, weight] : items) level.add(state, type, weight, rng);
            std::vector<std::pair<std::vector<Value>, double>> result;
            for (std::size_t i = 0; i < level.size(); ++i)
                result.emplace_back(std::vector(level.state(i).begin(), level.state(i).end()), level.weight(i));
            return result;
        },
        "items"_a, nb::kw_only(), "max_types"_a, "seed"_a);
    nb::class_<PyStateTable>(m, "StateTable")
        .def(nb::init<std::size_t, std::size_t>(), nb::kw_only(), "num_words"_a, "memory_limit_bytes"_a)
        .def("insert", &PyStateTable::insert, "words"_a)
        .def("state", &PyStateTable::state, "id"_a)
        .def("__len__", &PyStateTable::size)
        .def_prop_ro("memory_bytes", &PyStateTable::memory_bytes);
    nb::class_<PyAdditiveHeuristic>(m, "AdditiveHeuristic")
        .def(nb::init<const Task&>(), "task"_a)
        .def("evaluate", &PyAdditiveHeuristic::evaluate, "state"_a);
    nb::class_<PyRelaxedPlan>(m, "RelaxedPlan")
        .def(nb::init<const Task&>(), "task"_a)
        .def("evaluate", &PyRelaxedPlan::evaluate, "state"_a);
    nb::class_<PyFactoredRules>(m, "FactoredRules")
        .def(nb::init<const Task&, PyGuard*>(), "task"_a, "guard"_a = nb::none(), nb::keep_alive<1, 3>())
        .def_prop_ro("num_facts", &PyFactoredRules::num_facts)
        .def_prop_ro("originals", &PyFactoredRules::originals)
        .def_prop_ro("rules", &PyFactoredRules::rules)
        .def_prop_ro("unions", &PyFactoredRules::unions)
        .def("origin", &PyFactoredRules::origin, "rule"_a, "reached_by"_a);
    nb::class_<PyLmCut>(m, "LmCut")
        .def(nb::init<const Task&>(), "task"_a)
        .def("evaluate", &PyLmCut::evaluate, "state"_a,
             nb::sig("def evaluate(self, state: collections.abc.Sequence[int]) -> "
                     "tuple[int | None, list[tuple[list[int], int]]]"));
    bind_deadline(m);
    bind_goals_and_patterns(m);
    m.def(
        "beam_tie",
        [](const Task& task, const std::vector<Value>& state, std::uint64_t seed) {
            StateCheck{task}(state);
            const StatePacker packer(task);
            std::vector<StatePacker::Word> words(packer.num_words());
            packer.pack(state, words);
            return beam_tie(WordHash(packer.num_words())(words), seed);
        },
        "task"_a, "state"_a, "seed"_a);
    m.def("backward_steps", &backward_steps, "task"_a, "space"_a, "state"_a, "seed"_a = 0);
    m.def("inverse_operators", &inverse_operators_for_python, "task"_a);
    m.def("random_mlp", &random_mlp, "data"_a, "config"_a, nb::kw_only(), "attempt"_a, "scale"_a);
    m.def("loss_and_gradients", &loss_and_gradients, "mlp"_a, "data"_a, "loss"_a);
    m.def(
        "facts_needed",
        [](const Task& task, const std::vector<std::uint32_t>& steps) {
            return to_python(facts_needed(task, checked_operators(steps, task.operators.size())));
        },
        "task"_a, "steps"_a);
    m.def(
        "reordered",
        [](const Task& task, const std::vector<std::uint32_t>& plan, std::uint64_t seed) {
            Rng rng(seed);
            return to_python(reordered(task, checked_operators(plan, task.operators.size()), rng));
        },
        "task"_a, "plan"_a, "seed"_a);
    m.def("select_kernels", &select_kernels_by_name, "name"_a);
}

}  // namespace sing
