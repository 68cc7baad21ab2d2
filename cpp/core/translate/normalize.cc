#include "translate/normalize.h"

#include <stdexcept>
#include <string>

namespace sing::translate {
namespace {

using namespace pddl;

void check_derived_predicates(const Problem& problem) {
    std::vector<char> is_derived(problem.predicates.size(), 0);
    for (const DerivationRule& rule : problem.rules) is_derived[rule.predicate] = 1;
    auto name_of = [&](Symbol symbol) { return "'" + std::string(problem.symbols.name(symbol)) + "'"; };
    for (PredicateId predicate : problem.init_predicates)
        if (is_derived[predicate])
            throw std::domain_error("the predicate " + name_of(problem.predicates[predicate].name) +
                                    " is derived and cannot stand in ':init'");
    for (const Action& action : problem.actions)
        for (const ActionEffect& effect : action.effects) {
            const PredicateId predicate = problem.formulas.predicate(effect.literal);
            if (is_derived[predicate])
                throw std::domain_error("the predicate " + name_of(problem.predicates[predicate].name) +
                                        " is derived and cannot be an effect of action " + name_of(action.name));
        }
}

}  // namespace

PredicateId add_rule(Problem& problem, std::vector<Parameter> parameters, FormulaId condition) {
    const Symbol name = problem.symbols.intern("new-axiom@" + std::to_string(problem.num_added_predicates++));
    const auto predicate = static_cast<PredicateId>(problem.predicates.size());
    const auto arity = static_cast<std::uint32_t>(parameters.size());
    problem.predicates.push_back({name, arity});
    problem.rules.push_back({predicate, std::move(parameters), arity, condition});
    return predicate;
}

void normalize(Problem& problem, const Guard& guard) {
    replace_universal_quantifiers(problem, guard);
    split_disjunctions(problem, guard);
    move_existential_quantifiers(problem, guard);
    check_derived_predicates(problem);
}

}  // namespace sing::translate
