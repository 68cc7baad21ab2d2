// What is reachable when nothing is ever deleted, as rules over relations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/guard.h"
#include "pddl/problem.h"
#include "translate/relation.h"

namespace sing::translate {

// A variable of a rule, or an object.
struct Term {
    std::uint32_t id;
    bool is_variable;
};

struct RuleAtom {
    std::uint32_t relation;
    std::vector<Term> terms;
};

// Where all atoms of the body hold, those of the head do. Variables range over their domains.
struct Rule {
    // What matches are kept for.
    enum class Kind : std::uint8_t { ACTION, AXIOM, EFFECT };

    Kind kind;
    std::size_t owner;  // position of the action or the derivation rule whose matches are kept; not of effects
    std::vector<std::uint32_t> domains;  // by variable, as positions in Datalog::domains
    std::vector<RuleAtom> body;
    std::vector<RuleAtom> heads;
};

// Relations 0, 1, … are the predicates of the problem; others follow.
struct Datalog {
    explicit Datalog(const Guard& guard) : relations(guard.memory()) {}

    std::pmr::vector<Relation> relations;
    std::vector<Rule> rules;
    std::vector<char> is_head;                   // by relation
    std::vector<std::vector<ObjectId>> domains;  // by type, and at last all objects; each sorted
};

// Facts are those of the initial state; they are not visible yet.
//
// Negative literals are taken to hold. An effect with conditions or quantified variables has a rule of its own, whose
// body is the match of its action, reduced to the variables that it needs. As in Fast Downward, variables of effects
// have no types here.
Datalog make_datalog(const pddl::Problem& problem, const Guard& guard);

}  // namespace sing::translate
