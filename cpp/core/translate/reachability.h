// What a task can reach when nothing is deleted: facts, and the parameters of actions and derivation rules.
#pragma once

#include <memory_resource>
#include <vector>

#include "base/guard.h"
#include "translate/datalog.h"

namespace sing::translate {

// Values of the parameters of one action or rule, for all its matches, one after the other.
struct Matches {
    explicit Matches(std::pmr::memory_resource* memory) : values(memory) {}
    std::size_t count = 0;
    std::pmr::vector<ObjectId> values;
};

struct Reachability {
    std::pmr::vector<Relation> relations;  // by predicate, with all reachable facts
    std::vector<Matches> actions;          // by action
    std::vector<Matches> rules;            // by derivation rule
};

// Semi-naive: each fact that becomes reachable is joined with those before it, once for each atom that it can match.
// Counts the matches while they are found.
Reachability explore(const pddl::Problem& problem, std::size_t& num_matches, const Guard& guard);

}  // namespace sing::translate
