// The facts that can change, by number.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "base/guard.h"
#include "pddl/problem.h"
#include "translate/reachability.h"

namespace sing::translate {

using AtomId = std::uint32_t;
inline constexpr AtomId NO_ATOM_ID = 0xFFFF'FFFF;

// An atom or its negation.
struct Literal {
    std::uint32_t code = 0;
    static Literal of(AtomId atom, bool negated) { return {atom << 1 | (negated ? 1u : 0u)}; }
    AtomId atom() const { return code >> 1; }
    bool is_negated() const { return (code & 1) != 0; }
    Literal negation() const { return {code ^ 1}; }
    friend auto operator<=>(const Literal&, const Literal&) = default;
};

// Predicates that are in an effect or derived are *fluent*: their reachable facts are the atoms. All others never
// change. Atoms are numbered in the order of their names, predicate by predicate and argument by argument, so that
// sorting numbers is sorting names.
class Atoms {
public:
    Atoms(const pddl::Problem& problem, const Reachability& reachable, const Guard& guard);

    std::size_t size() const { return predicate_.size(); }
    bool is_fluent(pddl::PredicateId predicate) const { return is_fluent_[predicate] != 0; }
    bool is_derived(pddl::PredicateId predicate) const { return is_derived_[predicate] != 0; }
    pddl::PredicateId predicate(AtomId atom) const { return predicate_[atom]; }
    std::span<const ObjectId> arguments(AtomId atom) const { return relation(predicate_[atom])[tuple_[atom]]; }
    // Of a fluent predicate. NO_ATOM_ID where the fact is not reachable.
    AtomId find(pddl::PredicateId predicate, std::span<const ObjectId> arguments) const {
        const TupleId tuple = relation(predicate).find(arguments);
        return tuple == NO_TUPLE ? NO_ATOM_ID : atom_of_[predicate][tuple];
    }
    // Of a predicate that is not fluent.
    bool holds(pddl::PredicateId predicate, std::span<const ObjectId> arguments) const {
        return relation(predicate).contains(arguments);
    }
    // "Atom at(truck1, depot)".
    std::string name(AtomId atom, bool negated = false) const;

    // Places of predicates and of objects in the order of their names.
    std::uint32_t predicate_rank(pddl::PredicateId predicate) const { return predicate_rank_[predicate]; }
    std::uint32_t object_rank(ObjectId object) const { return object_rank_[object]; }

private:
    const Relation& relation(pddl::PredicateId predicate) const { return reachable_.relations[predicate]; }

    const pddl::Problem& problem_;
    const Reachability& reachable_;
    std::vector<char> is_fluent_, is_derived_;  // by predicate
    std::vector<std::uint32_t> predicate_rank_, object_rank_;
    std::pmr::vector<pddl::PredicateId> predicate_;       // by atom
    std::pmr::vector<TupleId> tuple_;                     // by atom
    std::pmr::vector<std::pmr::vector<AtomId>> atom_of_;  // by predicate and tuple
};

}  // namespace sing::translate
