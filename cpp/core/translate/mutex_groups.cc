#include "translate/mutex_groups.h"

#include <algorithm>
#include <memory_resource>

#include "translate/invariant_finder.h"

namespace sing::translate {
namespace {

// The groups of one invariant: one for each tuple of its parameters that exactly one initial atom has.
class InvariantGroups {
public:
    InvariantGroups(const Invariant& invariant, const Guard& guard)
        : invariant_(invariant),
          guard_(guard),
          tuples_(static_cast<std::uint32_t>(invariant.front().arity()), guard),
          weight_(guard.memory()),
          atoms_(guard.memory()) {}

    void count_initially(pddl::PredicateId predicate, std::span<const ObjectId> arguments) {
        const InvariantPart* part = part_of(invariant_, predicate);
        if (!part) return;
        if (tuples_.insert(parameters(*part, arguments)))
            weight_.push_back(1);
        else
            ++weight_[tuples_.find(parameters_)];
    }

    void add(const Atoms& atoms, const std::pmr::vector<std::pmr::vector<AtomId>>& atoms_of, AtomGroups& groups) {
        atoms_.resize(weight_.size());
        for (const InvariantPart& part : invariant_)
            for (AtomId atom : atoms_of[part.predicate]) {
                guard_.poll(1);
                const TupleId group = tuples_.find(parameters(part, atoms.arguments(atom)));
                if (group != NO_TUPLE && weight_[group] == 1) atoms_[group].push_back(atom);
            }
        for (AtomGroup& group : atoms_) {
            if (group.empty()) continue;
            guard_.poll(group.size());
            std::ranges::sort(group);
            groups.push_back(std::move(group));
        }
    }

private:
    std::span<const ObjectId> parameters(const InvariantPart& part, std::span<const ObjectId> arguments) {
        parameters_.resize(tuples_.arity());
        for (std::size_t i = 0; i < arguments.size(); ++i)
            if (part.arguments[i] != COUNTED) parameters_[static_cast<std::size_t>(part.arguments[i])] = arguments[i];
        return parameters_;
    }

    const Invariant& invariant_;
    const Guard& guard_;
    Relation tuples_;
    std::pmr::vector<std::uint32_t> weight_;  // by tuple: initial atoms
    AtomGroups atoms_;                        // by tuple
    std::vector<ObjectId> parameters_;
};

}  // namespace

AtomGroups find_mutex_groups(const pddl::Problem& problem, const Reachability& reachable, const Atoms& atoms,
                             const Guard& guard) {
    std::pmr::vector<std::pmr::vector<AtomId>> atoms_of(problem.predicates.size(), guard.memory());
    for (AtomId atom = 0; atom < atoms.size(); ++atom) atoms_of[atoms.predicate(atom)].push_back(atom);
    AtomGroups groups(guard.memory());
    for (const Invariant& invariant : find_invariants(problem, reachable, atoms, guard)) {
        InvariantGroups of_invariant(invariant, guard);
        std::size_t first = 0;
        for (pddl::PredicateId predicate : problem.init_predicates) {
            guard.poll(1);
            const std::uint32_t arity = problem.predicates[predicate].arity;
            of_invariant.count_initially(predicate, std::span(problem.init_arguments).subspan(first, arity));
            first += arity;
        }
        of_invariant.add(atoms, atoms_of, groups);
    }
    guard.poll(groups.size());
    std::ranges::sort(groups);
    return groups;
}

}  // namespace sing::translate
