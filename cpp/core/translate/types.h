// Which objects have which types.
#pragma once

#include <vector>

#include "base/guard.h"
#include "pddl/problem.h"

namespace sing::translate {

// By type: the objects of the type and of those below it, as they are declared.
std::vector<std::vector<pddl::ObjectId>> objects_by_type(const pddl::Problem& problem, const Guard& guard);

}  // namespace sing::translate
