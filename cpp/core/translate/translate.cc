#include "translate/translate.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "translate/atoms.h"
#include "translate/axioms.h"
#include "translate/encoding.h"
#include "translate/fact_groups.h"
#include "translate/instantiate.h"
#include "translate/mutex_groups.h"
#include "translate/normalize.h"
#include "translate/operator_list.h"
#include "translate/reachability.h"
#include "translate/simplify.h"
#include "translate/variable_order.h"

namespace sing::translate {
namespace {

// Where it is known before any search whether there is a plan.
Task trivial_task(bool is_solved) {
    Task task;
    task.uses_costs = true;
    task.variables.push_back({"var0", -1, {"Atom dummy(val1)", "Atom dummy(val2)"}});
    task.initial_state = {0};
    task.goal = {{0, is_solved ? 0 : 1}};
    return task;
}

class Translation {
public:
    Translation(const pddl::Problem& problem, const TranslationOptions& options, TranslationProgress& progress,
                const Guard& guard)
        : problem_(problem),
          options_(options),
          progress_(progress),
          guard_(guard),
          reachable_(explore(problem, progress.num_matches, guard)),
          atoms_(problem, reachable_, guard) {}

    Task translate() {
        const std::optional<std::vector<Literal>> goal = instantiate_goal(problem_, atoms_);
        if (!goal) return trivial_task(false);
        const AtomGroups mutex_groups = find_mutex_groups(problem_, reachable_, atoms_, guard_);
        const AtomGroups groups = choose_groups(mutex_groups, atoms_.size(), *goal, guard_);
        Encoding encoding(groups, mutex_groups, atoms_.size(), guard_);
        std::vector<Condition> conditions;
        encoding.encode(*goal, conditions);
        if (conditions.empty()) return trivial_task(false);
        if (conditions.front().empty()) return trivial_task(true);

        Task task;
        task.uses_costs = problem_.has_metric;
        task.goal = std::move(conditions.front());
        std::vector<char> is_needed(atoms_.size(), 0);  // as a condition
        for (Literal literal : *goal) is_needed[literal.atom()] = 1;
        task.operators = list_operators(problem_, reachable_, atoms_, encoding, options_.keeps_everything, is_needed,
                                        progress_.num_operators, guard_);
        const LayeredAxioms axioms =
            arrange_axioms(instantiate_rules(problem_, atoms_, reachable_, guard_), std::move(is_needed), guard_);
        add_axioms(axioms, encoding, task);
        add_variables(groups, axioms, task);
        add_mutex_groups(mutex_groups, encoding, task);
        set_initial_state(encoding, task);
        return finish(std::move(task));
    }

private:
    void add_axioms(const LayeredAxioms& axioms, Encoding& encoding, Task& task) const {
        std::vector<Condition> conditions;
        for (const GroundAxiom& axiom : axioms.axioms) {
            encoding.encode(axiom.conditions, conditions);
            for (Condition& condition : conditions) {
                guard_.poll(1);
                guard_.take(sizeof(Axiom) + condition.size() * sizeof(Fact));
                task.axioms.push_back({std::move(condition), encoding.fact(axiom.atom)});
            }
        }
        std::ranges::sort(task.axioms, [](const Axiom& a, const Axiom& b) {
            return a.conditions != b.conditions ? a.conditions < b.conditions : a.fact < b.fact;
        });
    }

    void add_variables(const AtomGroups& groups, const LayeredAxioms& axioms, Task& task) const {
        for (const AtomGroup& group : groups) {
            guard_.poll(group.size());
            Variable variable{{}, axioms.layer[group.front()], {}};
            for (AtomId atom : group) variable.value_names.push_back(named(atom, false));
            variable.value_names.push_back(group.size() == 1 ? named(group.front(), true) : "<none of those>");
            guard_.take(sizeof(Variable) + variable.value_names.size() * sizeof(std::string));
            task.variables.push_back(std::move(variable));
        }
    }

    std::string named(AtomId atom, bool negated) const {
        std::string name = atoms_.name(atom, negated);
        guard_.take(name.size());
        return name;
    }

    void add_mutex_groups(const AtomGroups& mutex_groups, const Encoding& encoding, Task& task) const {
        for (const AtomGroup& group : mutex_groups) {
            guard_.poll(group.size());
            guard_.take(group.size() * sizeof(Fact));
            std::vector<Fact> facts;
            for (AtomId atom : group) facts.push_back(encoding.fact(atom));
            std::ranges::sort(facts);
            task.mutex_groups.push_back(std::move(facts));
        }
    }

    void set_initial_state(const Encoding& encoding, Task& task) const {
        for (const Variable& variable : task.variables) task.initial_state.push_back(variable.domain_size() - 1);
        std::size_t first = 0;
        for (pddl::PredicateId predicate : problem_.init_predicates) {
            const std::uint32_t arity = problem_.predicates[predicate].arity;
            const auto arguments = std::span(problem_.init_arguments).subspan(first, arity);
            first += arity;
            if (!atoms_.is_fluent(predicate)) continue;
            const Fact fact = encoding.fact(atoms_.find(predicate, arguments));
            task.initial_state[static_cast<std::size_t>(fact.variable)] = fact.value;
        }
    }

    Task finish(Task task) const {
        const bool keeps_all = options_.keeps_everything;
        if (!keeps_all) {
            const Solvability solvability = drop_unreachable_values(task, keeps_all, guard_);
            if (solvability != Solvability::OPEN) return trivial_task(solvability == Solvability::SOLVED);
        }
        order_variables(task, {keeps_all, keeps_all}, guard_);
        for (std::size_t i = 0; i < task.variables.size(); ++i) {
            Variable& variable = task.variables[i];
            variable.name = "var" + std::to_string(i);
            if (variable.is_derived()) variable.default_value = task.initial_state[i];
        }
        return task;
    }

    const pddl::Problem& problem_;
    const TranslationOptions& options_;
    TranslationProgress& progress_;
    const Guard& guard_;
    const Reachability reachable_;
    const Atoms atoms_;
};

// Throws std::domain_error where the parts do not fit together.
Task translate(pddl::Problem& problem, const TranslationOptions& options, TranslationProgress& progress,
               const Guard& guard) {
    if (!options.keeps_everything)
        std::erase_if(problem.actions, [](const pddl::Action& action) { return action.effects.empty(); });
    normalize(problem, guard);
    return Translation(problem, options, progress, guard).translate();
}

}  // namespace

Task translate(const pddl::Text& domain, const pddl::Text& problem, const TranslationOptions& options,
               TranslationProgress& progress, const Guard& guard) {
    const auto parsed = pddl::parse(domain, problem, guard);
    try {
        return translate(*parsed, options, progress, guard);
    } catch (const std::domain_error& error) {
        throw std::invalid_argument("'" + std::string(domain.name) + "' with '" + std::string(problem.name) +
                                    "': " + error.what());
    }
}

}  // namespace sing::translate
