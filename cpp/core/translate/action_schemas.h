// Actions before instantiation, as the search for invariants looks at them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/guard.h"
#include "pddl/problem.h"
#include "translate/reachability.h"

namespace sing::translate {

// Variables and objects of one action, numbered: its parameters, other variables, objects.
using TermId = std::uint32_t;

struct SchemaLiteral {
    bool negated;
    pddl::PredicateId predicate;
    std::vector<TermId> terms;
    friend bool operator==(const SchemaLiteral&, const SchemaLiteral&) = default;
};

struct SchemaEffect {
    std::vector<TermId> variables;  // quantified by the effect
    std::vector<SchemaLiteral> conditions;
    SchemaLiteral literal;
};

struct ActionSchema {
    std::uint32_t num_parameters;
    std::uint32_t num_variables;  // with those of effects; terms from here on are objects
    std::uint32_t num_terms;
    std::vector<SchemaLiteral> precondition;
    std::vector<SchemaEffect> effects;
    // With each universal effect a second time, for other values of its variables.
    std::vector<SchemaEffect> doubled_effects;

    bool is_object(TermId term) const { return term >= num_variables; }
};

// Preconditions say which parameters differ in all matches.
std::vector<ActionSchema> make_schemas(const pddl::Problem& problem, const Reachability& reachable, const Guard& guard);

}  // namespace sing::translate
