#include <algorithm>

#include "translate/normalize.h"

namespace sing::translate {
namespace {

using namespace pddl;

// An equal formula whose only disjunction is its root.
FormulaId with_disjunctions_outside(Formulas& formulas, FormulaId root, const Guard& guard) {
    auto leave = [&](FormulaId id, std::span<const FormulaId> parts) {
        std::vector<FormulaId> others;
        std::vector<FormulaId> disjunctions;
        for (FormulaId part : parts)
            (formulas.kind(part) == FormulaKind::DISJUNCTION ? disjunctions : others).push_back(part);
        if (disjunctions.empty() || formulas.kind(id) == FormulaKind::DISJUNCTION)
            return formulas.with_parts(id, parts);
        std::vector<FormulaId> results;
        if (formulas.kind(id) == FormulaKind::EXISTS) {
            const std::vector<FormulaId> alternatives(formulas.parts(disjunctions.front()).begin(),
                                                      formulas.parts(disjunctions.front()).end());
            for (FormulaId alternative : alternatives) results.push_back(formulas.with_parts(id, {&alternative, 1}));
            return formulas.junctor(FormulaKind::DISJUNCTION, results);
        }
        results.push_back(formulas.junctor(FormulaKind::CONJUNCTION, others));
        for (; !disjunctions.empty(); disjunctions.pop_back()) {
            const std::vector<FormulaId> alternatives(formulas.parts(disjunctions.back()).begin(),
                                                      formulas.parts(disjunctions.back()).end());
            std::vector<FormulaId> products;
            for (FormulaId result : results)
                for (FormulaId alternative : alternatives) {
                    guard.poll(1);
                    const FormulaId both[] = {result, alternative};
                    products.push_back(formulas.junctor(FormulaKind::CONJUNCTION, both));
                }
            guard.poll(products.size());
            results = std::move(products);
        }
        return formulas.junctor(FormulaKind::DISJUNCTION, results);
    };
    if (!formulas.has_disjunction(root)) return root;
    return formulas.rewrite(root, [](FormulaId) { return true; }, leave);
}

// Appends one owner for each part of a disjunction behind all others, in which order Fast Downward has them.
template <typename Owner>
void split(std::vector<Owner>& owners, FormulaId Owner::* condition, const Formulas& formulas, const Guard& guard) {
    std::vector<Owner> whole, split;
    for (Owner& owner : owners) {
        if (formulas.kind(owner.*condition) != FormulaKind::DISJUNCTION) {
            whole.push_back(std::move(owner));
            continue;
        }
        for (FormulaId part : formulas.parts(owner.*condition)) {
            guard.poll(1);
            guard.take(sizeof(Owner));
            split.push_back(owner);
            split.back().*condition = part;
        }
    }
    std::ranges::move(split, std::back_inserter(whole));
    owners = std::move(whole);
}

bool is_conjunction_of_literals(const Formulas& formulas, FormulaId id) {
    return formulas.is_literal(id) ||
           (formulas.kind(id) == FormulaKind::CONJUNCTION &&
            std::ranges::all_of(formulas.parts(id), [&](FormulaId part) { return formulas.is_literal(part); }));
}

}  // namespace

void split_disjunctions(Problem& problem, const Guard& guard) {
    Formulas& formulas = problem.formulas;
    if (!is_conjunction_of_literals(formulas, problem.goal)) {
        const PredicateId predicate = add_rule(problem, {}, problem.goal);
        problem.goal = formulas.literal(false, predicate, {});
    }
    for (Action& action : problem.actions) {
        action.precondition = with_disjunctions_outside(formulas, action.precondition, guard);
        for (ActionEffect& effect : action.effects)
            effect.condition = with_disjunctions_outside(formulas, effect.condition, guard);
        split(action.effects, &ActionEffect::condition, formulas, guard);
    }
    for (DerivationRule& rule : problem.rules)
        rule.condition = with_disjunctions_outside(formulas, rule.condition, guard);
    split(problem.actions, &Action::precondition, formulas, guard);
    split(problem.rules, &DerivationRule::condition, formulas, guard);
}

}  // namespace sing::translate
