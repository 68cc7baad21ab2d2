// Invariants of a task.
#pragma once

#include <vector>

#include "base/guard.h"
#include "pddl/problem.h"
#include "translate/atoms.h"
#include "translate/invariants.h"
#include "translate/reachability.h"

namespace sing::translate {

// Candidates begin with one predicate, all of whose arguments are parameters or one of which is counted. One that an
// action does not balance gives way to candidates with one more part, each of a predicate that the action deletes.
std::vector<Invariant> find_invariants(const pddl::Problem& problem, const Reachability& reachable, const Atoms& atoms,
                                       const Guard& guard);

}  // namespace sing::translate
