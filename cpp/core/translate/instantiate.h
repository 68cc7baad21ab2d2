// Actions, derivation rules and the goal with objects in place of variables.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/guard.h"
#include "pddl/problem.h"
#include "translate/atoms.h"
#include "translate/datalog.h"
#include "translate/reachability.h"

namespace sing::translate {

struct GroundEffect {
    std::vector<Literal> conditions;
    Literal literal;
};

// An action with objects for its parameters. Only what can change is left of its conditions.
struct GroundAction {
    std::vector<Literal> precondition;
    std::vector<GroundEffect> effects;
    std::int64_t cost = 1;
};

struct GroundAxiom {
    std::vector<Literal> conditions;
    AtomId atom;
};

// A conjunction whose variables are numbered, for one action or rule.
class Conjunction {
public:
    struct Part {
        bool negated;
        pddl::PredicateId predicate;
        std::vector<Term> terms;
    };
    // Appends what can change of the conjunction where the variables have these values. False where it cannot hold.
    bool instantiate(const Atoms& atoms, std::span<const ObjectId> values, std::vector<Literal>& literals) const;

    std::vector<Part> parts;
};

// Instantiates one action for many values of its parameters.
class ActionInstantiator {
public:
    ActionInstantiator(const pddl::Problem& problem, const Atoms& atoms,
                       const std::vector<std::vector<ObjectId>>& objects_by_type, const pddl::Action& action,
                       const Guard& guard);

    // False where the precondition cannot hold. The action given is filled.
    bool instantiate(std::span<const ObjectId> values, GroundAction& result);

private:
    struct EffectSchema {
        std::vector<const std::vector<ObjectId>*> domains;  // of its own variables, which follow those of the action
        Conjunction condition;
        Conjunction literal;
    };

    void instantiate(const EffectSchema& schema, GroundAction& result);
    std::int64_t cost(std::span<const ObjectId> values) const;

    const pddl::Problem& problem_;
    const Atoms& atoms_;
    const pddl::Action& action_;
    const Guard& guard_;
    Conjunction precondition_;
    std::vector<EffectSchema> effects_;
    std::vector<Term> cost_terms_;
    std::vector<std::pair<std::vector<ObjectId>, std::int64_t>> costs_;  // of the function, sorted
    std::vector<ObjectId> values_;
    std::vector<std::size_t> counter_;
};

// Without a value where the goal cannot hold because of facts that never change.
std::optional<std::vector<Literal>> instantiate_goal(const pddl::Problem& problem, const Atoms& atoms);

std::vector<GroundAxiom> instantiate_rules(const pddl::Problem& problem, const Atoms& atoms,
                                           const Reachability& reachable, const Guard& guard);

}  // namespace sing::translate
