// Groups of atoms of which at most one holds at a time.
#pragma once

#include "base/guard.h"
#include "pddl/problem.h"
#include "translate/atoms.h"
#include "translate/fact_groups.h"
#include "translate/reachability.h"

namespace sing::translate {

// Sorted. From invariants of the actions, see find_invariants().
AtomGroups find_mutex_groups(const pddl::Problem& problem, const Reachability& reachable, const Atoms& atoms,
                             const Guard& guard);

}  // namespace sing::translate
