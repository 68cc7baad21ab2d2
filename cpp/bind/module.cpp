// The core as the Python module sing._core. Conversions and checks only; no planning happens here.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fact_index.h"
#include "ff_heuristic.h"
#include "heuristic.h"
#include "sampler.h"
#include "sas_reader.h"
#include "search.h"
#include "state_packer.h"
#include "state_table.h"
#include "successor_generator.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace sing;

namespace {

using PyFact = std::pair<int, int>;
using PyFacts = std::vector<PyFact>;

PyFacts to_python(const std::vector<Fact>& facts) {
    PyFacts result;
    for (const Fact& fact : facts) result.emplace_back(fact.variable, fact.value);
    return result;
}

const Operator& operator_at(const Task& task, std::size_t position) {
    if (position >= task.operators.size()) throw std::out_of_range("there is no such operator");
    return task.operators[position];
}

// A state from Python is data from outside: its length and values are checked.
class StateCheck {
public:
    explicit StateCheck(const Task& task) : domain_sizes_(task.domain_sizes()) {}
    void operator()(const std::vector<Value>& state) const {
        if (state.size() != domain_sizes_.size())
            throw std::invalid_argument("a state of this task has " + std::to_string(domain_sizes_.size()) +
                                        " values, not " + std::to_string(state.size()));
        for (std::size_t i = 0; i < state.size(); ++i)
            if (state[i] < 0 || state[i] >= domain_sizes_[i])
                throw std::invalid_argument("variable " + std::to_string(i) + " has no value " +
                                            std::to_string(state[i]));
    }

private:
    std::vector<Value> domain_sizes_;
};

class PyStateSpace {
public:
    explicit PyStateSpace(const Task& task) : check_(task), packer_(task), generator_(task) {}

    std::vector<std::uint32_t> pack(const std::vector<Value>& state) const {
        check_(state);
        std::vector<std::uint32_t> words(packer_.num_words());
        packer_.pack(state, words);
        return words;
    }
    std::vector<Value> unpack(const std::vector<std::uint32_t>& words) const {
        if (words.size() != packer_.num_words()) throw std::invalid_argument("wrong number of words");
        std::vector<Value> state(packer_.num_variables());
        packer_.unpack(words, state);
        return state;
    }
    std::vector<std::uint32_t> applicable(const std::vector<Value>& state) const {
        check_(state);
        std::vector<OperatorId> operators;
        generator_.applicable(state, operators);
        std::vector<std::uint32_t> result;
        for (OperatorId op : operators) result.push_back(static_cast<std::uint32_t>(op));
        return result;
    }

private:
    StateCheck check_;
    StatePacker packer_;
    SuccessorGenerator generator_;
};

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

class PyHeuristic {
public:
    PyHeuristic(const Task& task, const std::string& name) : check_(task), heuristic_(make_heuristic(name, task)) {}

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
    Heuristic& get() { return *heuristic_; }

    static nb::object to_python(Estimate estimate) {
        return estimate == DEAD_END ? nb::none() : nb::object(nb::int_(estimate));
    }

private:
    StateCheck check_;
    std::unique_ptr<Heuristic> heuristic_;
};

class PySearch {
public:
    PySearch(const Task& task, PyHeuristic& heuristic, std::vector<std::string> queues, Ties ties, std::uint64_t seed)
        : search_(task, heuristic.get(), {std::move(queues), ties, seed}) {}

    SearchResult run(double time_limit_s, std::size_t memory_limit_bytes,
                     const std::function<bool(const SearchStatistics&)>& progress) {
        if (std::exchange(has_run_, true)) throw std::invalid_argument("a search runs only once");
        // Python's signal handlers run here, so Ctrl-C works even where no callback looks for it.
        auto poll = [&](const SearchStatistics& statistics) {
            nb::gil_scoped_acquire gil;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            return progress(statistics);
        };
        nb::gil_scoped_release released;
        return search_.run({time_limit_s, memory_limit_bytes}, poll);
    }

private:
    Search search_;
    bool has_run_ = false;
};

// Hands a vector's memory to NumPy without copying it.
template <typename T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& items, std::vector<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(items));
    nb::capsule owner(owned, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
    return nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner);
}

class PySamples {
public:
    using Selection = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

    PySamples(const Task& task, const StatePacker& packer) : packer_(packer), fact_id_(task) {
        for (std::size_t i = 0; i < task.variables.size(); ++i) {
            for (Value value = 0; value < task.variables[i].domain_size(); ++value) {
                const Fact fact{static_cast<std::int32_t>(i), value};
                atom_of_fact_.push_back(task.is_atom(fact) ? num_atoms_++ : NO_ATOM);
                if (!task.is_atom(fact)) negations_.push_back(fact);
            }
        }
    }

    Samples samples;
    SamplingStatus status = SamplingStatus::COMPLETE;

    // One bit per atom, lowest bit first, [count, ⌈num_atoms / 8⌉]; negated and undefined values have none.
    nb::ndarray<nb::numpy, std::uint8_t> bits(const Selection& selection) const {
        const std::size_t num_bytes = (num_atoms_ + 7) / 8;
        std::vector<std::uint8_t> bytes(selection.size() * num_bytes);
        for_each(selection, [&](std::size_t row, std::size_t variable, Value value) {
            if (value == UNDEFINED) return;
            const std::uint32_t atom = atom_of_fact_[fact_id_(variable, value)];
            if (atom != NO_ATOM)
                bytes[row * num_bytes + atom / 8] |= static_cast<std::uint8_t>(1u << (atom % 8));
        });
        return to_numpy(std::move(bytes), {selection.size(), num_bytes});
    }

    // The value of each variable, -1 where it is undefined, [count, num_variables].
    nb::ndarray<nb::numpy, std::int32_t> values(const Selection& selection) const {
        std::vector<std::int32_t> values(selection.size() * packer_.num_variables());
        for_each(selection, [&](std::size_t row, std::size_t variable, Value value) {
            values[row * packer_.num_variables() + variable] = value;
        });
        return to_numpy(std::move(values), {selection.size(), packer_.num_variables()});
    }

    nb::ndarray<nb::numpy, std::uint32_t> depths() const { return column(samples.depths); }
    nb::ndarray<nb::numpy, std::uint32_t> parents() const { return column(samples.parents); }
    nb::ndarray<nb::numpy, std::uint32_t> operators() const {
        std::vector<std::uint32_t> operators;
        for (OperatorId op : samples.operators) operators.push_back(static_cast<std::uint32_t>(op));
        return column(std::move(operators));
    }
    // For each sample the first one with the same atoms: a negated value is as good as none.
    nb::ndarray<nb::numpy, std::uint32_t> firsts() const {
        auto drop_negations = [&](std::span<StatePacker::Word> words) {
            for (const Fact& fact : negations_) {
                const StatePacker::Field& field = packer_.field(fact.variable);
                const StatePacker::Word value = (words[field.word] >> field.shift) & field.mask;
                if (value == static_cast<StatePacker::Word>(fact.value + 1))
                    packer_.set(words, static_cast<std::size_t>(fact.variable), 0);
            }
        };
        return column(first_equals(samples, packer_.num_words(), drop_negations));
    }

private:
    static constexpr std::uint32_t NO_ATOM = 0xFFFF'FFFFu;

    static nb::ndarray<nb::numpy, std::uint32_t> column(std::vector<std::uint32_t> items) {
        const std::size_t size = items.size();
        return to_numpy(std::move(items), {size});
    }

    template <typename Visit>
    void for_each(const Selection& selection, Visit visit) const {
        std::vector<Value> state(packer_.num_variables());
        for (std::size_t row = 0; row < selection.size(); ++row) {
            const std::uint32_t sample = selection(row);
            if (sample >= samples.size()) throw std::out_of_range("there is no such sample");
            const std::size_t num_words = packer_.num_words();
            packer_.unpack(std::span(samples.words).subspan(sample * num_words, num_words), state);
            for (std::size_t variable = 0; variable < state.size(); ++variable) visit(row, variable, state[variable] - 1);
        }
    }

    StatePacker packer_;
    FactIndex fact_id_;
    std::vector<std::uint32_t> atom_of_fact_;  // NO_ATOM for negations
    std::vector<Fact> negations_;
    std::uint32_t num_atoms_ = 0;
};

class PySampler {
public:
    PySampler(const Task& task, const std::string& space, Strategy strategy, Collection collection,
              Completion completion, std::uint32_t num_searches, std::uint32_t num_samples, std::uint32_t max_depth,
              bool consistent_starts, std::uint64_t seed)
        : task_(task),
          sampler_(task, {space, strategy, collection, completion, num_searches, num_samples, max_depth,
                          consistent_starts, seed}) {}

    std::size_t bytes_per_sample() const {
        return sampler_.packer().num_words() * sizeof(StatePacker::Word) + 2 * sizeof(std::uint32_t) + sizeof(OperatorId);
    }

    std::unique_ptr<PySamples> run(std::size_t num_threads, double time_limit_s, std::size_t memory_limit_bytes,
                                   const std::function<bool(std::size_t)>& progress) const {
        auto result = std::make_unique<PySamples>(task_, sampler_.packer());
        auto poll = [&](std::size_t num_samples) {
            nb::gil_scoped_acquire gil;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            return progress(num_samples);
        };
        nb::gil_scoped_release released;
        result->status = sampler_.run(num_threads, {time_limit_s, memory_limit_bytes}, poll, result->samples);
        return result;
    }

private:
    const Task& task_;
    Sampler sampler_;
};

// All backward steps from a partial state (-1: undefined): (operator, state before it).
std::vector<std::pair<std::uint32_t, std::vector<Value>>> backward_steps(const Task& task, const std::string& space_name,
                                                                         const std::vector<Value>& values,
                                                                         std::uint64_t seed) {
    if (values.size() != task.variables.size()) throw std::invalid_argument("wrong number of values");
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] < UNDEFINED || values[i] >= task.variables[i].domain_size())
            throw std::invalid_argument("variable " + std::to_string(i) + " has no such value");
    const auto space = make_backward_space(space_name, task, false);
    const Mutexes mutexes(task);
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

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The native core of sing. Users import sing; this module's interface may change.";

    nb::class_<Operator>(m, "Operator")
        .def_ro("name", &Operator::name)
        .def_ro("cost", &Operator::cost)
        .def_prop_ro("preconditions", [](const Operator& op) { return to_python(op.preconditions); })
        .def_prop_ro("effects", [](const Operator& op) {
            std::vector<std::pair<PyFacts, PyFact>> effects;
            for (const Effect& effect : op.effects)
                effects.emplace_back(to_python(effect.conditions), PyFact{effect.fact.variable, effect.fact.value});
            return effects;
        });

    nb::class_<Task>(m, "Task")
        .def_static("from_sas", &read_sas, "text"_a, nb::call_guard<nb::gil_scoped_release>())
        .def_ro("uses_costs", &Task::uses_costs)
        .def_ro("initial_state", &Task::initial_state)
        .def_prop_ro("unsupported_feature", &Task::unsupported_feature)
        .def_prop_ro("num_operators", [](const Task& task) { return task.operators.size(); })
        .def_prop_ro("num_effects",
                     [](const Task& task) {
                         std::size_t count = 0;
                         for (const Operator& op : task.operators) count += op.effects.size();
                         return count;
                     })
        .def("operator", &operator_at, "position"_a, nb::rv_policy::reference_internal)
        .def_prop_ro("operator_names",
                     [](const Task& task) {
                         std::vector<std::string> names;
                         for (const Operator& op : task.operators) names.push_back(op.name);
                         return names;
                     })
        .def_prop_ro("variables",
                     [](const Task& task) {
                         std::vector<std::tuple<std::string, int, std::vector<std::string>>> variables;
                         for (const Variable& v : task.variables)
                             variables.emplace_back(v.name, v.axiom_layer, v.value_names);
                         return variables;
                     })
        .def_prop_ro("goal", [](const Task& task) { return to_python(task.goal); })
        .def_prop_ro("mutex_groups",
                     [](const Task& task) {
                         std::vector<PyFacts> groups;
                         for (const auto& group : task.mutex_groups) groups.push_back(to_python(group));
                         return groups;
                     })
        .def_prop_ro("axioms", [](const Task& task) {
            std::vector<std::tuple<PyFacts, PyFact, PyFact>> axioms;
            for (const Axiom& a : task.axioms)
                axioms.emplace_back(to_python(a.conditions), PyFact{a.before.variable, a.before.value},
                                    PyFact{a.after.variable, a.after.value});
            return axioms;
        });

    nb::class_<PyStateSpace>(m, "StateSpace")
        .def(nb::init<const Task&>(), "task"_a)
        .def("pack", &PyStateSpace::pack, "state"_a)
        .def("unpack", &PyStateSpace::unpack, "words"_a)
        .def("applicable", &PyStateSpace::applicable, "state"_a);

    nb::class_<PyStateTable>(m, "StateTable")
        .def(nb::init<std::size_t, std::size_t>(), "num_words"_a, "memory_limit_bytes"_a)
        .def("insert", &PyStateTable::insert, "words"_a,
             nb::sig("def insert(self, words: collections.abc.Sequence[int]) -> tuple[int, bool] | None"))
        .def("state", &PyStateTable::state, "id"_a)
        .def("__len__", &PyStateTable::size)
        .def_prop_ro("memory_bytes", &PyStateTable::memory_bytes);

    nb::class_<PyHeuristic>(m, "Heuristic")
        .def(nb::init<const Task&, const std::string&>(), "task"_a, "name"_a)
        .def("evaluate", &PyHeuristic::evaluate, "state"_a,
             nb::sig("def evaluate(self, state: collections.abc.Sequence[int]) -> int | None"))
        .def("additive_estimate", &PyHeuristic::additive_estimate, "state"_a,
             nb::sig("def additive_estimate(self, state: collections.abc.Sequence[int]) -> int | None"));

    nb::enum_<Ties>(m, "Ties").value("FIFO", Ties::FIFO).value("RANDOM", Ties::RANDOM);

    nb::enum_<SearchStatus>(m, "SearchStatus")
        .value("SOLVED", SearchStatus::SOLVED)
        .value("EXHAUSTED", SearchStatus::EXHAUSTED)
        .value("OUT_OF_TIME", SearchStatus::OUT_OF_TIME)
        .value("OUT_OF_MEMORY", SearchStatus::OUT_OF_MEMORY)
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
        .def_prop_ro("plan",
                     [](const SearchResult& result) {
                         std::vector<std::uint32_t> plan;
                         for (OperatorId op : result.plan) plan.push_back(static_cast<std::uint32_t>(op));
                         return plan;
                     })
        .def_prop_ro(
            "initial_estimate", [](const SearchResult& r) { return PyHeuristic::to_python(r.initial_estimate); },
            nb::sig("def initial_estimate(self) -> int | None"));

    nb::class_<PySearch>(m, "Search")
        .def(nb::init<const Task&, PyHeuristic&, std::vector<std::string>, Ties, std::uint64_t>(), "task"_a,
             "heuristic"_a, "queues"_a, "ties"_a, "seed"_a, nb::keep_alive<1, 3>())
        .def("run", &PySearch::run, "time_limit_s"_a, "memory_limit_bytes"_a, "progress"_a);

    nb::enum_<Strategy>(m, "Strategy").value("DFS", Strategy::DFS).value("RANDOM_WALK", Strategy::RANDOM_WALK);
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
        .def_prop_ro("depths", &PySamples::depths, nb::rv_policy::automatic)
        .def_prop_ro("parents", &PySamples::parents, nb::rv_policy::automatic)
        .def_prop_ro("operators", &PySamples::operators, nb::rv_policy::automatic)
        .def_prop_ro("firsts", &PySamples::firsts, nb::rv_policy::automatic)
        .def("bits", &PySamples::bits, "selection"_a)
        .def("values", &PySamples::values, "selection"_a);

    nb::class_<PySampler>(m, "Sampler")
        .def(nb::init<const Task&, const std::string&, Strategy, Collection, Completion, std::uint32_t, std::uint32_t,
                      std::uint32_t, bool, std::uint64_t>(),
             "task"_a, "space"_a, "strategy"_a, "collection"_a, "completion"_a, "num_searches"_a, "num_samples"_a,
             "max_depth"_a, "consistent_starts"_a, "seed"_a, nb::keep_alive<1, 2>())
        .def_prop_ro("bytes_per_sample", &PySampler::bytes_per_sample)
        .def("run", &PySampler::run, "num_threads"_a, "time_limit_s"_a, "memory_limit_bytes"_a, "progress"_a);

    m.def("backward_steps", &backward_steps, "task"_a, "space"_a, "state"_a, "seed"_a = 0);
    m.def("inverse_operators", [](const Task& task) {
        std::vector<std::pair<PyFacts, std::vector<std::pair<int, std::vector<Value>>>>> result;
        for (const InverseOperator& inverse : inverse_operators(task)) {
            std::vector<std::pair<int, std::vector<Value>>> effects;
            for (const InverseEffect& effect : inverse.effects) effects.emplace_back(effect.variable, effect.values);
            result.emplace_back(to_python(inverse.preconditions), std::move(effects));
        }
        return result;
    });
}
