// Domains: types, constants, predicates, actions and derived predicates.
#pragma once

#include "base/guard.h"
#include "pddl/problem.h"
#include "pddl/syntax_tree.h"

namespace sing::pddl {

// Adds what the tree defines to the problem and returns the name of the domain.
Symbol read_domain(const SyntaxTree& tree, Problem& problem, const Guard& guard);

}  // namespace sing::pddl
