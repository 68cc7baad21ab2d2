#include "translate/invariants.h"

#include <algorithm>
#include <utility>

namespace sing::translate {
namespace {

// Each parameter of the invariant is the term that the literal has in its place.
void require_cover(const ActionSchema& action, const Invariant& invariant, const SchemaLiteral& literal,
                   ConstraintSystem& system) {
    const InvariantPart& part = *part_of(invariant, literal.predicate);
    for (std::size_t i = 0; i < part.arguments.size(); ++i)
        if (part.arguments[i] != COUNTED)
            system.require_equal(action.num_terms + static_cast<std::uint32_t>(part.arguments[i]), literal.terms[i]);
}

void require_different(const SchemaLiteral& a, const SchemaLiteral& b, ConstraintSystem& system) {
    if (a.predicate == b.predicate && !a.terms.empty()) system.require_different(a.terms, b.terms);
}

ConstraintSystem system_for(const ActionSchema& action, const Invariant& invariant, const Guard& guard) {
    const auto arity = static_cast<std::uint32_t>(invariant.front().arity());
    ConstraintSystem system(action.num_terms + arity, guard);
    for (TermId term = action.num_variables; term < action.num_terms; ++term) system.set_rigid(term);
    return system;
}

}  // namespace

std::size_t InvariantPart::arity() const {
    return arguments.size() - static_cast<std::size_t>(std::ranges::count(arguments, COUNTED));
}

const InvariantPart* part_of(const Invariant& invariant, pddl::PredicateId predicate) {
    const auto found = std::ranges::find(invariant, predicate, &InvariantPart::predicate);
    return found == invariant.end() ? nullptr : &*found;
}

bool BalanceChecker::is_too_heavy(const ActionSchema& action, const Invariant& invariant) const {
    std::vector<const SchemaEffect*> adds;
    for (const SchemaEffect& effect : action.doubled_effects)
        if (!effect.literal.negated && part_of(invariant, effect.literal.predicate)) adds.push_back(&effect);

    // Whether two effects may add two different atoms that hold neither of them before.
    auto may_happen = [&](const SchemaEffect& a, const SchemaEffect& b) {
        ConstraintSystem system = system_for(action, invariant, guard_);
        require_different(a.literal, b.literal, system);
        require_cover(action, invariant, a.literal, system);
        require_cover(action, invariant, b.literal, system);
        std::vector<const SchemaLiteral*> positive, negative{&a.literal, &b.literal};
        for (const auto* literals : {&action.precondition, &a.conditions, &b.conditions})
            for (const SchemaLiteral& literal : *literals) {
                if (literal.predicate != equality_)
                    (literal.negated ? negative : positive).push_back(&literal);
                else if (literal.negated)
                    system.require_different(std::span(literal.terms).first(1), std::span(literal.terms).last(1));
                else
                    system.require_equal(literal.terms[0], literal.terms[1]);
            }
        for (const SchemaLiteral* holds : positive)
            for (const SchemaLiteral* fails : negative) require_different(*holds, *fails, system);
        return system.is_solvable();
    };
    for (std::size_t i = 0; i < adds.size(); ++i)
        for (std::size_t j = i + 1; j < adds.size(); ++j)
            if (may_happen(*adds[i], *adds[j])) return true;
    return false;
}

bool BalanceChecker::is_unbalanced(const ActionSchema& action, const Invariant& invariant,
                                   const std::function<bool(Invariant)>& on_candidate) const {
    for (const SchemaEffect& effect : action.effects) {
        if (effect.literal.negated || !part_of(invariant, effect.literal.predicate)) continue;
        if (is_balanced(action, invariant, effect)) continue;
        refine(action, invariant, effect, on_candidate);
        return true;
    }
    return false;
}

bool BalanceChecker::is_balanced(const ActionSchema& action, const Invariant& invariant,
                                 const SchemaEffect& add) const {
    // What is known to hold where the effect adds its atom: also that the atom does not hold yet.
    SchemaLiteral not_yet = add.literal;
    not_yet.negated = true;
    std::vector<const SchemaLiteral*> given;
    for (const SchemaLiteral& literal : action.precondition) given.push_back(&literal);
    for (const SchemaLiteral& literal : add.conditions) given.push_back(&literal);
    given.push_back(&not_yet);
    return std::ranges::any_of(action.effects, [&](const SchemaEffect& del) {
        return del.literal.negated && part_of(invariant, del.literal.predicate) &&
               balances(action, invariant, add, del, given);
    });
}

// Whether, whenever `add` takes place, `del` does for another atom of the invariant that held.
bool BalanceChecker::balances(const ActionSchema& action, const Invariant& invariant, const SchemaEffect& add,
                              const SchemaEffect& del, const std::vector<const SchemaLiteral*>& given) const {
    ConstraintSystem system = system_for(action, invariant, guard_);
    SchemaLiteral held = del.literal;
    held.negated = false;
    auto require_implied = [&](const SchemaLiteral& literal) {
        std::vector<std::vector<Equality>> alternatives;
        for (const SchemaLiteral* known : given) {
            if (known->predicate != literal.predicate || known->negated != literal.negated) continue;
            std::vector<Equality>& equalities = alternatives.emplace_back();
            for (std::size_t i = 0; i < literal.terms.size(); ++i)
                equalities.emplace_back(literal.terms[i], known->terms[i]);
        }
        const bool is_possible = !alternatives.empty();
        system.require_one_of(std::move(alternatives));
        return is_possible;
    };
    for (const SchemaLiteral& condition : del.conditions)
        if (!require_implied(condition)) return false;
    if (!require_implied(held)) return false;
    require_different(add.literal, del.literal, system);
    require_cover(action, invariant, add.literal, system);
    require_cover(action, invariant, del.literal, system);
    // It has to be so for all values of the parameters, so that none may be bound.
    for (TermId parameter = 0; parameter < action.num_parameters; ++parameter) system.set_rigid(parameter);
    for (TermId variable : add.variables) system.set_rigid(variable);
    return system.is_solvable();
}

void BalanceChecker::refine(const ActionSchema& action, const Invariant& invariant, const SchemaEffect& add,
                            const std::function<bool(Invariant)>& on_candidate) const {
    const InvariantPart& part = *part_of(invariant, add.literal.predicate);
    for (const SchemaEffect& effect : action.effects) {
        const SchemaLiteral& deleted = effect.literal;
        if (!deleted.negated || part_of(invariant, deleted.predicate)) continue;
        for_mappings(
            part.arguments, add.literal.terms, deleted.terms, guard_, [&](std::vector<std::int32_t> arguments) {
                Invariant refined = invariant;
                InvariantPart added{predicate_ranks_[deleted.predicate], std::move(arguments), deleted.predicate};
                refined.insert(std::ranges::upper_bound(refined, added), std::move(added));
                return on_candidate(std::move(refined));
            });
    }
}

}  // namespace sing::translate
