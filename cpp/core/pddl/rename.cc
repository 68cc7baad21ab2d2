#include "pddl/rename.h"

#include <string>
#include <unordered_map>

namespace sing::pddl {

void FreshNames::use(Symbol variable) {
    if (variable >= is_used_.size()) is_used_.resize(variable + 1, 0);
    is_used_[variable] = 1;
}

Symbol FreshNames::fresh(Symbol variable) {
    Symbol name = variable;
    const std::string base(symbols_.name(variable));
    for (std::size_t i = 1; is_used(name); ++i) name = symbols_.intern(base + std::to_string(i));
    use(name);
    return name;
}

FormulaId renamed_apart(Problem& problem, FormulaId root, std::span<const Renaming> renamings, FreshNames& names) {
    Formulas& formulas = problem.formulas;
    if (renamings.empty() && !formulas.has_forall(root) && !formulas.has_exists(root)) return root;

    std::unordered_map<Symbol, std::vector<Symbol>> current;  // by variable: its names, that of the innermost last
    for (const auto& [from, to] : renamings) current[from].push_back(to);
    // Renamed parameters of the quantifiers around the present place, one after the other.
    std::vector<Parameter> own;
    auto is_quantifier = [&](FormulaId id) {
        return formulas.kind(id) == FormulaKind::FORALL || formulas.kind(id) == FormulaKind::EXISTS;
    };
    auto enter = [&](FormulaId id) {
        if (is_quantifier(id)) {
            const std::vector<Parameter> parameters(formulas.parameters(id).begin(), formulas.parameters(id).end());
            for (const Parameter& parameter : parameters) {
                own.push_back({names.fresh(parameter.name), parameter.type});
                current[parameter.name].push_back(own.back().name);
            }
        }
        return true;
    };
    auto leave = [&](FormulaId id, std::span<const FormulaId> parts) {
        if (formulas.is_literal(id)) {
            std::vector<Symbol> terms(formulas.terms(id).begin(), formulas.terms(id).end());
            for (Symbol& term : terms)
                if (const auto found = current.find(term); found != current.end() && !found->second.empty())
                    term = found->second.back();
            return formulas.with_terms(id, terms);
        }
        if (!is_quantifier(id)) return formulas.with_parts(id, parts);
        const std::span<const Parameter> parameters = formulas.parameters(id);
        for (const Parameter& parameter : parameters) current[parameter.name].pop_back();
        const std::vector<Parameter> renamed(own.end() - static_cast<std::ptrdiff_t>(parameters.size()), own.end());
        own.resize(own.size() - renamed.size());
        return formulas.quantifier(formulas.kind(id), renamed, parts.front());
    };
    return formulas.rewrite(root, enter, leave);
}

FormulaId renamed_apart(Problem& problem, FormulaId root, std::span<const Parameter> used,
                        std::span<const Renaming> renamings) {
    FreshNames names(problem.symbols, problem.formulas.guard());
    for (const Parameter& parameter : used) names.use(parameter.name);
    return renamed_apart(problem, root, renamings, names);
}

void rename_apart(Problem& problem, Action& action) {
    FreshNames names(problem.symbols, problem.formulas.guard());
    for (const Parameter& parameter : action.parameters) names.use(parameter.name);
    action.precondition = renamed_apart(problem, action.precondition, {}, names);
    for (ActionEffect& effect : action.effects) {
        std::vector<Renaming> renamings;
        for (Parameter& parameter : effect.parameters) {
            const Symbol fresh = names.fresh(parameter.name);
            if (fresh != parameter.name) renamings.emplace_back(parameter.name, fresh);
            parameter.name = fresh;
        }
        effect.condition = renamed_apart(problem, effect.condition, renamings, names);
        effect.literal = renamed_apart(problem, effect.literal, renamings, names);
    }
}

void rename_apart(Problem& problem, DerivationRule& rule) {
    rule.condition = renamed_apart(problem, rule.condition, rule.parameters, {});
}

}  // namespace sing::pddl
