// Candidates for invariants, and whether actions keep them.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/guard.h"
#include "translate/action_schemas.h"
#include "translate/constraints.h"
#include "translate/part_mappings.h"

namespace sing::translate {

// Atoms of one predicate that count. Each argument is a parameter of the invariant, or COUNTED: then it may be
// anything, and at most one argument is.
struct InvariantPart {
    std::uint32_t rank;  // of the predicate among their names
    std::vector<std::int32_t> arguments;
    pddl::PredicateId predicate;

    std::size_t arity() const;  // without what is counted
    friend auto operator<=>(const InvariantPart&, const InvariantPart&) = default;
};

// For all values of the parameters: how many atoms of all parts together hold never grows beyond one. Parts are sorted
// and have different predicates.
//
// Example: "at(?package, COUNTED)" and "in(?package, COUNTED)": a package is at one place or in one vehicle.
using Invariant = std::vector<InvariantPart>;

const InvariantPart* part_of(const Invariant& invariant, pddl::PredicateId predicate);

// Looks at single actions (Helmert 2009). An action is *too heavy* where it may add two atoms at once; it is
// *unbalanced* where an atom that it adds comes without one that it deletes.
class BalanceChecker {
public:
    // Ranks of predicates by name; which predicate is "=".
    BalanceChecker(std::vector<std::uint32_t> predicate_ranks, pddl::PredicateId equality, const Guard& guard)
        : predicate_ranks_(std::move(predicate_ranks)), equality_(equality), guard_(guard) {}

    bool is_too_heavy(const ActionSchema& action, const Invariant& invariant) const;
    // Calls on_candidate(invariant), until that returns false, for each invariant with one more part that might balance
    // what is not.
    bool is_unbalanced(const ActionSchema& action, const Invariant& invariant,
                       const std::function<bool(Invariant)>& on_candidate) const;

private:
    bool is_balanced(const ActionSchema& action, const Invariant& invariant, const SchemaEffect& add) const;
    bool balances(const ActionSchema& action, const Invariant& invariant, const SchemaEffect& add,
                  const SchemaEffect& del, const std::vector<const SchemaLiteral*>& given) const;
    void refine(const ActionSchema& action, const Invariant& invariant, const SchemaEffect& add,
                const std::function<bool(Invariant)>& on_candidate) const;

    std::vector<std::uint32_t> predicate_ranks_;
    pddl::PredicateId equality_;
    const Guard& guard_;
};

}  // namespace sing::translate
