#include "translate/atoms.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <string_view>

namespace sing::translate {
namespace {

// The place of each item in the order of names.
template <typename Items>
std::vector<std::uint32_t> ranks(const Items& items, const pddl::Symbols& symbols) {
    std::vector<std::uint32_t> order(items.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return symbols.name(items[i].name); });
    std::vector<std::uint32_t> rank(items.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
    return rank;
}

}  // namespace

Atoms::Atoms(const pddl::Problem& problem, const Reachability& reachable, const Guard& guard)
    : problem_(problem),
      reachable_(reachable),
      is_fluent_(problem.predicates.size(), 0),
      is_derived_(problem.predicates.size(), 0),
      predicate_rank_(ranks(problem.predicates, problem.symbols)),
      object_rank_(ranks(problem.objects, problem.symbols)),
      predicate_(guard.memory()),
      tuple_(guard.memory()),
      atom_of_(problem.predicates.size(), guard.memory()) {
    for (const pddl::Action& action : problem.actions)
        for (const pddl::ActionEffect& effect : action.effects)
            is_fluent_[problem.formulas.predicate(effect.literal)] = 1;
    for (const pddl::DerivationRule& rule : problem.rules) is_fluent_[rule.predicate] = is_derived_[rule.predicate] = 1;

    std::vector<pddl::PredicateId> order(problem.predicates.size());
    for (pddl::PredicateId i = 0; i < order.size(); ++i) order[predicate_rank_[i]] = i;
    for (pddl::PredicateId predicate : order) {
        if (!is_fluent(predicate)) continue;
        const Relation& facts = relation(predicate);
        std::pmr::vector<TupleId> tuples(facts.size(), guard.memory());
        std::iota(tuples.begin(), tuples.end(), TupleId{0});
        guard.poll(tuples.size());
        std::ranges::sort(tuples, [&](TupleId a, TupleId b) {
            guard.poll(1);
            return std::ranges::lexicographical_compare(
                facts[a], facts[b], {}, [&](ObjectId o) { return object_rank_[o]; },
                [&](ObjectId o) { return object_rank_[o]; });
        });
        if (size() + tuples.size() >= NO_ATOM_ID / 2) throw std::bad_alloc();
        atom_of_[predicate].resize(tuples.size());
        for (TupleId tuple : tuples) {
            atom_of_[predicate][tuple] = static_cast<AtomId>(size());
            predicate_.push_back(predicate);
            tuple_.push_back(tuple);
        }
    }
}

std::string Atoms::name(AtomId atom, bool negated) const {
    std::string text(negated ? "NegatedAtom " : "Atom ");
    text += problem_.symbols.name(problem_.predicates[predicate_[atom]].name);
    text += '(';
    bool is_first = true;
    for (ObjectId object : arguments(atom)) {
        if (!is_first) text += ", ";
        is_first = false;
        text += problem_.symbols.name(problem_.objects[object].name);
    }
    return text += ')';
}

}  // namespace sing::translate
