// Which atoms become the values of one variable.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "base/guard.h"
#include "translate/atoms.h"

namespace sing::translate {

// Sorted atoms of which at most one holds at a time.
using AtomGroup = std::pmr::vector<AtomId>;
using AtomGroups = std::pmr::vector<AtomGroup>;

// A partition of all atoms, sorted: again and again the mutex group with the most atoms that are in no group yet, and
// groups of one for the rest. Atoms whose negation is a goal stay alone, so that it is the value of a variable.
AtomGroups choose_groups(const AtomGroups& mutex_groups, std::size_t num_atoms, std::span<const Literal> goal,
                         const Guard& guard);

}  // namespace sing::translate
