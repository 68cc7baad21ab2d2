// All operators of a task.
#pragma once

#include <cstddef>
#include <vector>

#include "base/guard.h"
#include "pddl/problem.h"
#include "task/task.h"
#include "translate/atoms.h"
#include "translate/encoding.h"
#include "translate/reachability.h"

namespace sing::translate {

// Sorted by name, then by what they need and do. Marks in `is_needed` the atoms that they have as conditions, and
// counts the operators while they are made.
std::vector<Operator> list_operators(const pddl::Problem& problem, const Reachability& reachable, const Atoms& atoms,
                                     Encoding& encoding, bool keeps_no_ops, std::vector<char>& is_needed,
                                     std::size_t& num_operators, const Guard& guard);

}  // namespace sing::translate
