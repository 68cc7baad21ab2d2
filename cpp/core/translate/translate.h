// From PDDL to a task with finite-domain variables.
#pragma once

#include "base/guard.h"
#include "pddl/parser.h"
#include "task/task.h"

namespace sing::translate {

struct TranslationOptions {
    // Keeps variables and values that cannot matter, and operators that change nothing: for plans that someone else
    // made.
    bool keeps_everything = false;
};

// What the translation has made so far, for whoever watches it.
struct TranslationProgress {
    std::size_t num_matches = 0;    // of actions and rules with reachable facts
    std::size_t num_operators = 0;  // encoded
};

// The task that Fast Downward's translator makes of the two texts, up to the order in which it looks at sets: the same
// names, variables, values, operators and axioms. Derived variables have their defaults in the initial state; see
// complete(). Throws std::invalid_argument for PDDL that cannot be read, naming the place.
Task translate(const pddl::Text& domain, const pddl::Text& problem, const TranslationOptions& options,
               TranslationProgress& progress, const Guard& guard);

}  // namespace sing::translate
