#include "translate/instantiate.h"

#include <algorithm>
#include <unordered_map>

namespace sing::translate {
namespace {

using namespace pddl;

using Variables = std::unordered_map<Symbol, std::uint32_t>;

Term term_of(const Problem& problem, Symbol symbol, const Variables& variables) {
    if (const auto found = variables.find(symbol); found != variables.end()) return {found->second, true};
    return {problem.object_of[symbol], false};
}

// Positive conditions on what never changes are left out where `statics_hold`: reachability has looked at them.
Conjunction conjunction_of(const Problem& problem, const Atoms& atoms, FormulaId id, const Variables& variables,
                           bool statics_hold) {
    Conjunction conjunction;
    for (FormulaId literal : problem.formulas.conjuncts(id)) {
        const bool negated = problem.formulas.kind(literal) == FormulaKind::NEGATED_ATOM;
        const PredicateId predicate = problem.formulas.predicate(literal);
        if (statics_hold && !negated && !atoms.is_fluent(predicate)) continue;
        Conjunction::Part part{negated, predicate, {}};
        for (Symbol symbol : problem.formulas.terms(literal)) part.terms.push_back(term_of(problem, symbol, variables));
        conjunction.parts.push_back(std::move(part));
    }
    return conjunction;
}

}  // namespace

bool Conjunction::instantiate(const Atoms& atoms, std::span<const ObjectId> values,
                              std::vector<Literal>& literals) const {
    constexpr std::size_t most = 16;
    std::array<ObjectId, most> few{};
    std::vector<ObjectId> many;
    for (const Part& part : parts) {
        if (part.terms.size() > most) many.resize(part.terms.size());
        ObjectId* arguments = part.terms.size() > most ? many.data() : few.data();
        for (std::size_t i = 0; i < part.terms.size(); ++i)
            arguments[i] = part.terms[i].is_variable ? values[part.terms[i].id] : part.terms[i].id;
        const std::span<const ObjectId> tuple(arguments, part.terms.size());
        if (!atoms.is_fluent(part.predicate)) {
            if (atoms.holds(part.predicate, tuple) == part.negated) return false;
            continue;
        }
        const AtomId atom = atoms.find(part.predicate, tuple);
        if (atom != NO_ATOM_ID)
            literals.push_back(Literal::of(atom, part.negated));
        else if (!part.negated)
            return false;
    }
    return true;
}

ActionInstantiator::ActionInstantiator(const Problem& problem, const Atoms& atoms,
                                       const std::vector<std::vector<ObjectId>>& objects_by_type, const Action& action,
                                       const Guard& guard)
    : problem_(problem), atoms_(atoms), action_(action), guard_(guard) {
    Variables variables;
    for (const Parameter& parameter : action.parameters)
        variables.emplace(parameter.name, static_cast<std::uint32_t>(variables.size()));
    precondition_ = conjunction_of(problem, atoms, action.precondition, variables, true);
    for (const ActionEffect& effect : action.effects) {
        if (effect.condition == Formulas::FALSITY) continue;
        Variables all = variables;
        EffectSchema schema;
        for (const Parameter& parameter : effect.parameters) {
            all[parameter.name] = static_cast<std::uint32_t>(variables.size() + schema.domains.size());
            schema.domains.push_back(&objects_by_type[parameter.type]);
        }
        schema.condition = conjunction_of(problem, atoms, effect.condition, all, false);
        schema.literal = conjunction_of(problem, atoms, effect.literal, all, false);
        effects_.push_back(std::move(schema));
    }
    if (!problem.has_metric || !action.has_cost || action.cost.function == NONE) return;
    for (Symbol symbol : action.cost.terms) cost_terms_.push_back(term_of(problem, symbol, variables));
    for (const FunctionValue& value : problem.init_values)
        if (value.function == action.cost.function && value.arguments.size() == cost_terms_.size())
            costs_.emplace_back(value.arguments, value.value);
    std::ranges::stable_sort(costs_, {}, &std::pair<std::vector<ObjectId>, std::int64_t>::first);
}

std::int64_t ActionInstantiator::cost(std::span<const ObjectId> values) const {
    if (!problem_.has_metric) return 1;
    if (!action_.has_cost) return 0;
    if (action_.cost.function == NONE) return action_.cost.number;
    std::vector<ObjectId> arguments;
    for (const Term& term : cost_terms_) arguments.push_back(term.is_variable ? values[term.id] : term.id);
    // Only actions whose cost has a value are reachable.
    return std::ranges::lower_bound(costs_, arguments, {}, &std::pair<std::vector<ObjectId>, std::int64_t>::first)
        ->second;
}

bool ActionInstantiator::instantiate(std::span<const ObjectId> values, GroundAction& result) {
    result.precondition.clear();
    result.effects.clear();
    if (!precondition_.instantiate(atoms_, values, result.precondition)) return false;
    values_.assign(values.begin(), values.end());
    for (const EffectSchema& schema : effects_) instantiate(schema, result);
    result.cost = cost(values);
    return true;
}

void ActionInstantiator::instantiate(const EffectSchema& schema, GroundAction& result) {
    const std::size_t num_outer = values_.size();
    for (const auto* domain : schema.domains)
        if (domain->empty()) return;
    counter_.assign(schema.domains.size(), 0);
    values_.resize(num_outer + schema.domains.size());
    for (std::size_t i = 0; i < schema.domains.size(); ++i) values_[num_outer + i] = schema.domains[i]->front();
    std::vector<Literal> literals;
    while (true) {
        guard_.poll(1);
        GroundEffect effect{{}, {}};
        literals.clear();
        // Deletes of facts that never hold vanish.
        if (schema.literal.instantiate(atoms_, values_, literals) && !literals.empty() &&
            schema.condition.instantiate(atoms_, values_, effect.conditions)) {
            effect.literal = literals.front();
            result.effects.push_back(std::move(effect));
        }
        std::size_t i = 0;
        for (; i < counter_.size(); ++i) {
            if (++counter_[i] == schema.domains[i]->size()) counter_[i] = 0;
            values_[num_outer + i] = (*schema.domains[i])[counter_[i]];
            if (counter_[i] > 0) break;
        }
        if (i == counter_.size()) break;
    }
    values_.resize(num_outer);
}

std::optional<std::vector<Literal>> instantiate_goal(const Problem& problem, const Atoms& atoms) {
    std::vector<Literal> literals;
    if (problem.goal == Formulas::FALSITY) return std::nullopt;
    if (!conjunction_of(problem, atoms, problem.goal, {}, false).instantiate(atoms, {}, literals)) return std::nullopt;
    return literals;
}

std::vector<GroundAxiom> instantiate_rules(const Problem& problem, const Atoms& atoms, const Reachability& reachable,
                                           const Guard& guard) {
    std::vector<GroundAxiom> axioms;
    for (std::size_t i = 0; i < problem.rules.size(); ++i) {
        const DerivationRule& rule = problem.rules[i];
        Variables variables;
        for (const Parameter& parameter : rule.parameters)
            variables.emplace(parameter.name, static_cast<std::uint32_t>(variables.size()));
        const Conjunction condition = conjunction_of(problem, atoms, rule.condition, variables, true);
        const std::size_t num_parameters = rule.parameters.size();
        for (std::size_t match = 0; match < reachable.rules[i].count; ++match) {
            guard.poll(1);
            const auto values = std::span(reachable.rules[i].values).subspan(match * num_parameters, num_parameters);
            GroundAxiom axiom{{}, atoms.find(rule.predicate, values.first(rule.num_external))};
            if (!condition.instantiate(atoms, values, axiom.conditions)) continue;
            // Vectors that grow have room for twice as much.
            guard.take(3 * sizeof(GroundAxiom) + 2 * axiom.conditions.size() * sizeof(Literal));
            axioms.push_back(std::move(axiom));
        }
    }
    return axioms;
}

}  // namespace sing::translate
