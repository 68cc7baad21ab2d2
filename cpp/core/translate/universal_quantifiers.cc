#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "translate/normalize.h"

namespace sing::translate {
namespace {

using namespace pddl;

bool is_quantifier(const Formulas& formulas, FormulaId id) {
    return formulas.kind(id) == FormulaKind::FORALL || formulas.kind(id) == FormulaKind::EXISTS;
}

// Replaces "for all x: f" by "not p", where p is derived from "there is an x: not f". Both f and its negation are
// visited without being built: a formula is looked at together with whether its negation is meant.
class UniversalQuantifiers {
public:
    UniversalQuantifiers(Problem& problem, const Guard& guard)
        : problem_(problem), formulas_(problem.formulas), guard_(guard) {}

    // Types of the variables of what is replaced next.
    void know(std::span<const Parameter> parameters) {
        for (const Parameter& parameter : parameters) types_[parameter.name] = parameter.type;
    }
    void forget() { types_.clear(); }

    FormulaId replaced(FormulaId root) {
        if (!formulas_.has_forall(root)) return root;
        learn_types(root);
        std::vector<Frame> frames{{root, false, 0, 0, 0}};
        std::vector<FormulaId> results;
        while (!frames.empty()) {
            guard_.poll(1);
            Frame& frame = frames.back();
            const bool has_parts = !formulas_.is_literal(frame.formula) && !formulas_.is_constant(frame.formula);
            const std::size_t num_parts = has_parts ? formulas_.parts(frame.formula).size() : 0;
            if (frame.next_part < num_parts) {
                const FormulaId part = formulas_.parts(frame.formula)[frame.next_part++];
                const bool negated = is_forall(frame) ? !frame.negated : frame.negated;
                frames.push_back({part, negated, 0, results.size(), num_replaced_});
                continue;
            }
            const Frame closed = frame;
            frames.pop_back();
            const FormulaId result = close(closed, std::span<const FormulaId>(results).subspan(closed.first_result));
            results.resize(closed.first_result);
            results.push_back(result);
        }
        return results.back();
    }

private:
    struct Frame {
        FormulaId formula;
        bool negated;  // the negation is meant
        std::size_t next_part, first_result;
        std::size_t num_replaced;  // before
    };

    bool is_forall(const Frame& frame) const {
        return is_quantifier(formulas_, frame.formula) &&
               (formulas_.kind(frame.formula) == FormulaKind::FORALL) != frame.negated;
    }

    FormulaId close(const Frame& frame, std::span<const FormulaId> parts) {
        const FormulaId id = frame.formula;
        if (!is_quantifier(formulas_, id)) {
            if (formulas_.is_literal(id) || formulas_.is_constant(id))
                return frame.negated ? formulas_.negation(id) : id;
            const bool is_conjunction = (formulas_.kind(id) == FormulaKind::CONJUNCTION) != frame.negated;
            return formulas_.junctor(is_conjunction ? FormulaKind::CONJUNCTION : FormulaKind::DISJUNCTION, parts);
        }
        const std::vector<Parameter> own(formulas_.parameters(id).begin(), formulas_.parameters(id).end());
        const FormulaId condition = formulas_.quantifier(FormulaKind::EXISTS, own, parts.front());
        if (!is_forall(frame)) return condition;
        if (formulas_.is_constant(condition)) return formulas_.negation(condition);

        std::vector<Parameter> parameters = free_variables(condition);
        std::vector<Symbol> terms;
        for (const Parameter& parameter : parameters) terms.push_back(parameter.name);
        std::vector<Symbol> key{condition};
        for (const Parameter& parameter : parameters) key.insert(key.end(), {parameter.name, parameter.type});
        // Conditions with such quantifiers of their own got a predicate of their own, each time.
        const bool is_flat = num_replaced_ == frame.num_replaced;
        ++num_replaced_;
        const auto known = is_flat ? predicates_.find(key) : predicates_.end();
        PredicateId predicate = 0;
        if (known != predicates_.end()) {
            predicate = known->second;
        } else {
            predicate = add_rule(problem_, std::move(parameters), condition);
            predicates_.insert_or_assign(std::move(key), predicate);
        }
        return formulas_.literal(true, predicate, terms);
    }

    void learn_types(FormulaId root) {
        auto enter = [&](FormulaId id) {
            if (is_quantifier(formulas_, id)) know(formulas_.parameters(id));
            return true;
        };
        formulas_.rewrite(root, enter, [](FormulaId id, std::span<const FormulaId>) { return id; });
    }

    // With their types, sorted by name.
    std::vector<Parameter> free_variables(FormulaId root) {
        std::unordered_map<Symbol, bool> is_free;
        auto enter = [&](FormulaId id) {
            if (is_quantifier(formulas_, id))
                for (const Parameter& parameter : formulas_.parameters(id)) is_free[parameter.name] = false;
            if (formulas_.is_literal(id))
                for (Symbol term : formulas_.terms(id))
                    if (problem_.symbols.is_variable(term)) is_free.emplace(term, true);
            return true;
        };
        formulas_.rewrite(root, enter, [](FormulaId id, std::span<const FormulaId>) { return id; });
        std::vector<Parameter> variables;
        for (const auto& [name, free] : is_free)
            if (free) variables.push_back({name, types_.at(name)});
        std::ranges::sort(variables, {},
                          [&](const Parameter& parameter) { return problem_.symbols.name(parameter.name); });
        return variables;
    }

    Problem& problem_;
    Formulas& formulas_;
    const Guard& guard_;
    std::unordered_map<Symbol, TypeId> types_;
    std::size_t num_replaced_ = 0;
    std::map<std::vector<Symbol>, PredicateId> predicates_;  // by condition and parameters
};

}  // namespace

void replace_universal_quantifiers(Problem& problem, const Guard& guard) {
    UniversalQuantifiers quantifiers(problem, guard);
    for (Action& action : problem.actions) {
        quantifiers.forget();
        quantifiers.know(action.parameters);
        for (const ActionEffect& effect : action.effects) quantifiers.know(effect.parameters);
        action.precondition = quantifiers.replaced(action.precondition);
        for (ActionEffect& effect : action.effects) effect.condition = quantifiers.replaced(effect.condition);
    }
    // Rules that are added here are done already.
    const std::size_t num_rules = problem.rules.size();
    for (std::size_t i = 0; i < num_rules; ++i) {
        quantifiers.forget();
        quantifiers.know(problem.rules[i].parameters);
        const FormulaId condition = quantifiers.replaced(problem.rules[i].condition);
        problem.rules[i].condition = condition;
    }
    quantifiers.forget();
    problem.goal = quantifiers.replaced(problem.goal);
}

}  // namespace sing::translate
