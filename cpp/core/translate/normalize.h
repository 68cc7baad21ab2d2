// PDDL without universal quantifiers, disjunctions and existential quantifiers, as Fast Downward's translator makes it.
#pragma once

#include "base/guard.h"
#include "pddl/problem.h"

namespace sing::translate {

// Afterwards each condition is TRUTH, FALSITY, a literal, or a conjunction of literals:
// - "for all" becomes the negation of a new derived predicate, "new-axiom@0" and so on;
// - an action, an effect or a rule with a disjunction becomes several, one for each part; a goal with one becomes a
//   derived predicate;
// - variables behind "exists" become parameters that are not part of an operator's name.
//
// Throws std::domain_error where a derived predicate is in the initial state or in an effect.
void normalize(pddl::Problem& problem, const Guard& guard);

// The steps, in this order.
void replace_universal_quantifiers(pddl::Problem& problem, const Guard& guard);
void split_disjunctions(pddl::Problem& problem, const Guard& guard);
void move_existential_quantifiers(pddl::Problem& problem, const Guard& guard);

// A new derived predicate that holds where the condition does.
pddl::PredicateId add_rule(pddl::Problem& problem, std::vector<pddl::Parameter> parameters, pddl::FormulaId condition);

}  // namespace sing::translate
