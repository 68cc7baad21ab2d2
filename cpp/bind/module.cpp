// The core as the Python module sing._core. Conversions and checks only; no planning happens here.

#include "common.h"
#include "landmarks/landmark_task.h"
#include "landmarks/landmarks.h"
#include "pairs/excluded_pairs.h"
#include "pairs/pruned_task.h"
#include "state_types.h"
#include "states/state_packer.h"
#include "states/successor_generator.h"
#include "symmetries/interchangeable_objects.h"
#include "task/derived_values.h"
#include "task/execution.h"
#include "task/sas_reader.h"

using namespace sing;

namespace {

const Operator& operator_at(const Task& task, std::size_t position) {
    if (position >= task.operators.size()) throw std::out_of_range("there is no such operator");
    return task.operators[position];
}

// (steps executed, what is missing then, cost), see Execution.
std::tuple<std::size_t, PyFacts, nb::int_> execute_for_python(const Task& task,
                                                              const std::vector<std::uint32_t>& operators,
                                                              PyGuard* guard) {
    const Execution execution = [&] {
        nb::gil_scoped_release released;
        return execute(task, checked_operators(operators, task.operators.size()), PyGuard::of(guard));
    }();
    constexpr int word_bits = 64;
    const nb::int_ cost((nb::int_(execution.cost_high) << nb::int_(word_bits)) | nb::int_(execution.cost_low));
    return {execution.num_steps, to_python(execution.missing), cost};
}

// None where even the task without deletes has no plan.
std::unique_ptr<Task> with_landmarks_for_python(const Task& task, std::size_t max_facts, PyGuard* guard) {
    const std::optional<Landmarks> landmarks = find_landmarks(task, max_facts, PyGuard::of(guard));
    return landmarks ? std::make_unique<Task>(with_landmarks(task, *landmarks, PyGuard::of(guard))) : nullptr;
}

// (the pruned task, dead operators, new conditions); None where there is nothing to prune, or it takes more work.
std::optional<std::tuple<std::unique_ptr<Task>, std::size_t, std::size_t>> prune_for_python(const Task& task,
                                                                                            std::size_t max_work,
                                                                                            PyGuard* guard) {
    const std::optional<ExcludedPairs> pairs = find_excluded_pairs(task, max_work, PyGuard::of(guard));
    std::optional<PrunedTask> pruned = pairs ? prune(task, *pairs, max_work, PyGuard::of(guard)) : std::nullopt;
    if (!pruned) return std::nullopt;
    return std::tuple(std::make_unique<Task>(std::move(pruned->task)), pruned->num_dead, pruned->num_conditions);
}

std::unique_ptr<InterchangeableObjects> interchangeable_for_python(const Task& task, std::size_t max_work,
                                                                   PyGuard* guard) {
    auto found =
        std::make_unique<InterchangeableObjects>(find_interchangeable_objects(task, max_work, PyGuard::of(guard)));
    return found->classes.empty() ? nullptr : std::move(found);
}

// The derived values of states, computed from the others.
class PyDerivedValues {
public:
    explicit PyDerivedValues(const Task& task) : check_(task), derived_(task, Guard()) {}

    std::vector<Value> complete(std::vector<Value> state) {
        check_(state);
        derived_.complete(state);
        return state;
    }

private:
    StateCheck check_;
    DerivedValues derived_;
};

class PyStateSpace {
public:
    explicit PyStateSpace(const Task& task) : check_(task), packer_(task), generator_(task, Guard()), states_(task) {}

    std::vector<std::uint32_t> pack(const std::vector<Value>& state) const {
        check_(state);
        std::vector<std::uint32_t> words(packer_.num_words());
        packer_.pack(state, words);
        return words;
    }
    std::vector<Value> unpack(const std::vector<std::uint32_t>& words) {
        if (words.size() != packer_.num_words()) throw std::invalid_argument("wrong number of words");
        std::vector<Value> state(packer_.num_variables());
        packer_.unpack(words, state);
        const std::span<const Value> entered = states_.enter(std::move(state));
        return {entered.begin(), entered.end()};
    }
    std::vector<std::uint32_t> applicable(const std::vector<Value>& state) {
        std::vector<OperatorId> operators;
        generator_.applicable(states_.enter(state), operators);
        std::vector<std::uint32_t> result;
        for (OperatorId op : operators) result.push_back(static_cast<std::uint32_t>(op));
        return result;
    }

    std::vector<Value> successor(const std::vector<Value>& state, std::uint32_t op) {
        return states_.successor(state, op);
    }

private:
    StateCheck check_;
    StatePacker packer_;
    SuccessorGenerator generator_;
    PyStates states_;
};

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The native core of sing. Users import sing; this module's interface may change.";

    nb::class_<PyGuard>(m, "Guard")
        .def(
            "__init__",
            [](PyGuard* self, std::size_t memory_limit_bytes, std::function<void()> check, const nb::object& clock) {
                new (self)
                    PyGuard(memory_limit_bytes, std::move(check),
                            clock.is_none() ? Deadline::Clock(Deadline::steady_s) : nb::cast<Deadline::Clock>(clock));
            },
            nb::kw_only(), "memory_limit_bytes"_a, "check"_a, "clock"_a = nb::none());

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

    nb::class_<InterchangeableObjects>(m, "InterchangeableObjects").def_ro("classes", &InterchangeableObjects::classes);

    nb::class_<Task>(m, "Task")
        .def_static(
            "from_sas", [](std::string_view text, PyGuard* guard) { return read_sas(text, PyGuard::of(guard)); },
            "text"_a, "guard"_a = nb::none(), nb::call_guard<nb::gil_scoped_release>(), nb::keep_alive<0, 2>())
        .def_ro("uses_costs", &Task::uses_costs)
        .def_ro("initial_state", &Task::initial_state)
        .def_prop_ro("has_axioms", [](const Task& task) { return !task.axioms.empty(); })
        .def_prop_ro("has_conditional_effects", &Task::has_conditional_effects)
        .def_prop_ro("has_fixed_effects", &Task::has_fixed_effects)
        .def_prop_ro("num_operators", [](const Task& task) { return task.operators.size(); })
        .def_prop_ro("num_effects", &Task::num_effects)
        .def_prop_ro("num_variables", [](const Task& task) { return task.variables.size(); })
        .def_prop_ro("num_goals", [](const Task& task) { return task.goal.size(); })
        .def_prop_ro("num_atoms", &Task::num_atoms)
        .def("with_landmarks", &with_landmarks_for_python, "max_facts"_a, "guard"_a = nb::none(),
             nb::call_guard<nb::gil_scoped_release>(),
             nb::sig("def with_landmarks(self, max_facts: int, guard: Guard | None = None) -> Task | None"))
        .def("prune", &prune_for_python, "max_work"_a, "guard"_a = nb::none(), nb::call_guard<nb::gil_scoped_release>(),
             nb::sig("def prune(self, max_work: int, guard: Guard | None = None) -> tuple[Task, int, int] | None"))
        .def("interchangeable_objects", &interchangeable_for_python, "max_work"_a, "guard"_a = nb::none(),
             nb::call_guard<nb::gil_scoped_release>(),
             nb::sig("def interchangeable_objects(self, max_work: int, guard: Guard | None = None) -> "
                     "InterchangeableObjects | None"))
        .def("execute", &execute_for_python, "operators"_a, "guard"_a = nb::none())
        .def("operator", &operator_at, "position"_a, nb::rv_policy::reference_internal)
        .def_prop_ro("operator_names",
                     [](const Task& task) {
                         std::vector<std::string> names;
                         for (const Operator& op : task.operators) names.push_back(op.name);
                         return names;
                     })
        .def_prop_ro("variables",
                     [](const Task& task) {
                         std::vector<std::tuple<std::string, int, int, std::vector<std::string>>> variables;
                         for (const Variable& v : task.variables)
                             variables.emplace_back(v.name, v.axiom_layer, v.default_value, v.value_names);
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
            std::vector<std::pair<PyFacts, PyFact>> axioms;
            for (const Axiom& axiom : task.axioms)
                axioms.emplace_back(to_python(axiom.conditions), PyFact{axiom.fact.variable, axiom.fact.value});
            return axioms;
        });

    nb::class_<PyDerivedValues>(m, "DerivedValues")
        .def(nb::init<const Task&>(), "task"_a)
        .def("complete", &PyDerivedValues::complete, "state"_a);

    nb::class_<PyStateSpace>(m, "StateSpace")
        .def(nb::init<const Task&>(), "task"_a)
        .def("pack", &PyStateSpace::pack, "state"_a)
        .def("unpack", &PyStateSpace::unpack, "words"_a)
        .def("applicable", &PyStateSpace::applicable, "state"_a)
        .def("successor", &PyStateSpace::successor, "state"_a, "operator"_a);

    bind_translation(m);
    bind_search(m);
    bind_cost_search(m);
    bind_sampling(m);
    bind_plan_samples(m);
    bind_training(m);
    bind_goal_samples(m);
    nb::module_ testing = m.def_submodule("testing", "Parts of the core that tests alone look at.");
    bind_testing(testing);
}
