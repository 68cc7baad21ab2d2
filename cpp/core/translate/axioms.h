// Axioms of derived atoms: which are needed, and in which layers.
#pragma once

#include <cstdint>
#include <vector>

#include "base/guard.h"
#include "translate/instantiate.h"

namespace sing::translate {

struct LayeredAxioms {
    std::vector<GroundAxiom> axioms;
    std::vector<std::int32_t> layer;  // by atom; -1 where no axiom is about it
};

// Keeps the axioms of atoms that are needed: those marked, and what their axioms have as conditions. Axioms that others
// make superfluous are left out. Layers are as low as possible. Throws std::domain_error where an atom depends on
// its own negation.
LayeredAxioms arrange_axioms(std::vector<GroundAxiom> axioms, std::vector<char> is_needed, const Guard& guard);

}  // namespace sing::translate
