// Reads PDDL: a domain and a problem.
#pragma once

#include <memory>
#include <string_view>

#include "base/guard.h"
#include "pddl/problem.h"

namespace sing::pddl {

struct Text {
    std::string_view name;  // what messages call it
    std::string_view text;
};

// Reads what Fast Downward's translator reads: STRIPS, types with "either", constants, all conditions of ADL,
// conditional and universal effects, derived predicates, equality, and costs by (increase (total-cost) …). Sections may
// come in any order. Throws std::invalid_argument that names the text, line, column, and what was expected there.
std::unique_ptr<Problem> parse(const Text& domain, const Text& problem, const Guard& guard);

}  // namespace sing::pddl
