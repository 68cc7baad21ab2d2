#include "translate/datalog.h"

#include <algorithm>
#include <map>

#include "translate/types.h"

namespace sing::translate {
namespace {

using namespace pddl;

class DatalogMaker {
public:
    DatalogMaker(const Problem& problem, const Guard& guard) : problem_(problem), guard_(guard), datalog_(guard) {}

    Datalog make() {
        for (const Predicate& predicate : problem_.predicates) add_relation(predicate.arity);
        add_domains();
        add_facts();
        for (std::size_t i = 0; i < problem_.actions.size(); ++i) add_action(i);
        for (std::size_t i = 0; i < problem_.rules.size(); ++i) add_derivation(i);
        datalog_.is_head.assign(datalog_.relations.size(), 0);
        for (const Rule& rule : datalog_.rules)
            for (const RuleAtom& head : rule.heads) datalog_.is_head[head.relation] = 1;
        return std::move(datalog_);
    }

private:
    // Variables of the action or rule at hand, by their position among its parameters.
    using Variables = std::map<Symbol, std::uint32_t>;

    std::uint32_t add_relation(std::uint32_t arity) {
        datalog_.relations.emplace_back(arity, guard_);
        return static_cast<std::uint32_t>(datalog_.relations.size() - 1);
    }

    void add_domains() {
        datalog_.domains = objects_by_type(problem_, guard_);
        for (auto& domain : datalog_.domains) std::ranges::sort(domain);
        std::vector<ObjectId> all(problem_.objects.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<ObjectId>(i);
        datalog_.domains.push_back(std::move(all));
    }

    std::uint32_t any_object() const { return static_cast<std::uint32_t>(datalog_.domains.size() - 1); }

    void add_facts() {
        std::size_t first = 0;
        for (PredicateId predicate : problem_.init_predicates) {
            guard_.poll(1);
            const std::uint32_t arity = problem_.predicates[predicate].arity;
            datalog_.relations[predicate].insert(std::span(problem_.init_arguments).subspan(first, arity));
            first += arity;
        }
        for (ObjectId object = 0; object < problem_.objects.size(); ++object) {
            const ObjectId pair[] = {object, object};
            datalog_.relations[problem_.equality].insert(pair);
        }
    }

    Term term(Symbol symbol, const Variables& variables) const {
        if (const auto found = variables.find(symbol); found != variables.end()) return {found->second, true};
        return {problem_.object_of[symbol], false};
    }

    RuleAtom atom(FormulaId literal, const Variables& variables) const {
        RuleAtom atom{problem_.formulas.predicate(literal), {}};
        for (Symbol symbol : problem_.formulas.terms(literal)) atom.terms.push_back(term(symbol, variables));
        return atom;
    }

    void add_body(FormulaId condition, const Variables& variables, Rule& rule) const {
        for (FormulaId literal : problem_.formulas.conjuncts(condition))
            if (problem_.formulas.kind(literal) == FormulaKind::ATOM) rule.body.push_back(atom(literal, variables));
    }

    Rule rule_of(Rule::Kind kind, std::size_t owner, std::span<const Parameter> parameters,
                 Variables& variables) const {
        Rule rule{kind, owner, {}, {}, {}};
        for (const Parameter& parameter : parameters) {
            variables[parameter.name] = static_cast<std::uint32_t>(rule.domains.size());
            rule.domains.push_back(parameter.type);
        }
        return rule;
    }

    // Such a cost has no value.
    bool names_unknown_object(const Cost& cost) const {
        return std::ranges::any_of(cost.terms, [&](Symbol term) {
            return !problem_.symbols.is_variable(term) && problem_.object_of[term] == NONE;
        });
    }

    // Holds where a function has a value.
    void require_value(const Cost& cost, const Variables& variables, Rule& rule) {
        const auto arity = static_cast<std::uint32_t>(cost.terms.size());
        const auto [known, is_new] = values_.try_emplace({cost.function, arity}, 0);
        if (is_new) {
            known->second = add_relation(arity);
            for (const FunctionValue& value : problem_.init_values)
                if (value.function == cost.function && value.arguments.size() == arity)
                    datalog_.relations[known->second].insert(value.arguments);
        }
        RuleAtom atom{known->second, {}};
        for (Symbol symbol : cost.terms) atom.terms.push_back(term(symbol, variables));
        rule.body.push_back(std::move(atom));
    }

    void add_action(std::size_t position) {
        const Action& action = problem_.actions[position];
        const Formulas& formulas = problem_.formulas;
        if (action.precondition == Formulas::FALSITY || names_unknown_object(action.cost)) return;
        Variables variables;
        Rule rule = rule_of(Rule::Kind::ACTION, position, action.parameters, variables);
        add_body(action.precondition, variables, rule);
        if (action.has_cost && action.cost.function != NONE) require_value(action.cost, variables, rule);

        std::map<std::vector<std::uint32_t>, std::uint32_t> projections;  // relations by variables
        for (const ActionEffect& effect : action.effects) {
            guard_.poll(1);
            if (formulas.kind(effect.literal) != FormulaKind::ATOM || effect.condition == Formulas::FALSITY) continue;
            if (effect.condition == Formulas::TRUTH && effect.parameters.empty()) {
                rule.heads.push_back(atom(effect.literal, variables));
                continue;
            }
            add_effect(effect, variables, rule, projections);
        }
        datalog_.rules.push_back(std::move(rule));
    }

    void add_effect(const ActionEffect& effect, const Variables& of_action, Rule& action_rule,
                    std::map<std::vector<std::uint32_t>, std::uint32_t>& projections) {
        Variables variables = of_action;
        for (const Parameter& parameter : effect.parameters)
            variables[parameter.name] = static_cast<std::uint32_t>(of_action.size() + variables.size());
        Rule rule{Rule::Kind::EFFECT, 0, {}, {}, {atom(effect.literal, variables)}};
        add_body(effect.condition, variables, rule);

        // Numbers the variables anew: those that occur, the action's first.
        std::vector<std::uint32_t> used;
        auto for_variables = [&](auto&& visit) {
            for (RuleAtom& each : rule.body)
                for (Term& term : each.terms)
                    if (term.is_variable) visit(term.id);
            for (Term& term : rule.heads.front().terms)
                if (term.is_variable) visit(term.id);
        };
        for_variables([&](std::uint32_t id) { used.push_back(id); });
        std::ranges::sort(used);
        used.erase(std::unique(used.begin(), used.end()), used.end());
        for_variables([&](std::uint32_t& id) {
            id = static_cast<std::uint32_t>(std::ranges::lower_bound(used, id) - used.begin());
        });
        rule.domains.assign(used.size(), any_object());
        while (!used.empty() && used.back() >= of_action.size()) used.pop_back();

        const auto [known, is_new] = projections.try_emplace(used, 0);
        if (is_new) {
            known->second = add_relation(static_cast<std::uint32_t>(used.size()));
            RuleAtom head{known->second, {}};
            for (std::uint32_t variable : used) head.terms.push_back({variable, true});
            action_rule.heads.push_back(std::move(head));
        }
        RuleAtom match{known->second, {}};
        for (std::uint32_t i = 0; i < used.size(); ++i) match.terms.push_back({i, true});
        rule.body.push_back(std::move(match));
        datalog_.rules.push_back(std::move(rule));
    }

    void add_derivation(std::size_t position) {
        const DerivationRule& derivation = problem_.rules[position];
        if (derivation.condition == Formulas::FALSITY) return;
        Variables variables;
        Rule rule = rule_of(Rule::Kind::AXIOM, position, derivation.parameters, variables);
        add_body(derivation.condition, variables, rule);
        RuleAtom head{derivation.predicate, {}};
        for (std::uint32_t i = 0; i < derivation.num_external; ++i) head.terms.push_back({i, true});
        rule.heads.push_back(std::move(head));
        datalog_.rules.push_back(std::move(rule));
    }

    const Problem& problem_;
    const Guard& guard_;
    Datalog datalog_;
    std::map<std::pair<Symbol, std::uint32_t>, std::uint32_t> values_;  // relations by function and arity
};

}  // namespace

Datalog make_datalog(const Problem& problem, const Guard& guard) { return DatalogMaker(problem, guard).make(); }

}  // namespace sing::translate
