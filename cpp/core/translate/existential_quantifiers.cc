#include "translate/normalize.h"

namespace sing::translate {
namespace {

using namespace pddl;

// An equal formula whose only quantifier is its root. Variables have different names, so that nothing is captured.
FormulaId with_quantifiers_outside(Formulas& formulas, FormulaId root) {
    auto leave = [&](FormulaId id, std::span<const FormulaId> parts) {
        std::vector<Parameter> parameters;
        std::vector<FormulaId> literals, quantified;
        if (formulas.kind(id) == FormulaKind::EXISTS)
            parameters.assign(formulas.parameters(id).begin(), formulas.parameters(id).end());
        for (FormulaId part : parts) {
            if (formulas.kind(part) != FormulaKind::EXISTS) {
                literals.push_back(part);
                continue;
            }
            const std::span<const Parameter> own = formulas.parameters(part);
            parameters.insert(parameters.end(), own.begin(), own.end());
            quantified.push_back(formulas.parts(part).front());
        }
        if (quantified.empty()) return formulas.with_parts(id, parts);
        literals.insert(literals.end(), quantified.begin(), quantified.end());
        return formulas.quantifier(FormulaKind::EXISTS, parameters,
                                   formulas.junctor(FormulaKind::CONJUNCTION, literals));
    };
    if (!formulas.has_exists(root)) return root;
    return formulas.rewrite(root, [](FormulaId) { return true; }, leave);
}

// Makes the variables of the quantifier parameters.
void drop_quantifier(Formulas& formulas, FormulaId& condition, std::vector<Parameter>& parameters) {
    condition = with_quantifiers_outside(formulas, condition);
    if (formulas.kind(condition) != FormulaKind::EXISTS) return;
    const std::span<const Parameter> own = formulas.parameters(condition);
    parameters.insert(parameters.end(), own.begin(), own.end());
    condition = formulas.parts(condition).front();
}

}  // namespace

void move_existential_quantifiers(Problem& problem, const Guard& guard) {
    for (Action& action : problem.actions) {
        guard.poll(1);
        drop_quantifier(problem.formulas, action.precondition, action.parameters);
        for (ActionEffect& effect : action.effects)
            drop_quantifier(problem.formulas, effect.condition, effect.parameters);
    }
    for (DerivationRule& rule : problem.rules) drop_quantifier(problem.formulas, rule.condition, rule.parameters);
}

}  // namespace sing::translate
