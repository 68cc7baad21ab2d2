// Problems: objects, the initial state, the goal and the metric.
#pragma once

#include "base/guard.h"
#include "pddl/problem.h"
#include "pddl/syntax_tree.h"

namespace sing::pddl {

// Adds what the tree defines to the problem, whose domain has been read and has this name.
void read_problem(const SyntaxTree& tree, Symbol domain, Problem& problem, const Guard& guard);

}  // namespace sing::pddl
