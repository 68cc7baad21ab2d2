#include "translate/invariant_finder.h"

#include <deque>
#include <set>
#include <utility>

#include "translate/action_schemas.h"
#include "translate/mersenne_twister.h"

namespace sing::translate {
namespace {

// As in Fast Downward: the seed of its order of actions, and how many candidates there may be.
constexpr std::uint32_t SEED = 314159;
constexpr std::size_t MAX_CANDIDATES = 100'000;

class InvariantFinder {
public:
    InvariantFinder(const pddl::Problem& problem, const Reachability& reachable, const Atoms& atoms, const Guard& guard)
        : problem_(problem),
          guard_(guard),
          schemas_(make_schemas(problem, reachable, guard)),
          adding_(problem.predicates.size()),
          is_affected_(problem.predicates.size(), 0),
          ranks_(ranks(problem, atoms)),
          checker_(ranks_, problem.equality, guard) {
        for (std::size_t i = 0; i < schemas_.size(); ++i)
            for (const SchemaEffect& effect : schemas_[i].effects) {
                is_affected_[effect.literal.predicate] = 1;
                std::vector<std::size_t>& adding = adding_[effect.literal.predicate];
                if (!effect.literal.negated && (adding.empty() || adding.back() != i)) adding.push_back(i);
            }
    }

    std::vector<Invariant> find() {
        add_first_candidates();
        std::vector<Invariant> invariants;
        for (; !candidates_.empty(); candidates_.pop_front()) {
            guard_.poll(1);
            if (holds(candidates_.front())) invariants.push_back(candidates_.front());
        }
        return invariants;
    }

private:
    static std::vector<std::uint32_t> ranks(const pddl::Problem& problem, const Atoms& atoms) {
        std::vector<std::uint32_t> result;
        for (pddl::PredicateId i = 0; i < problem.predicates.size(); ++i) result.push_back(atoms.predicate_rank(i));
        return result;
    }

    void add_first_candidates() {
        for (pddl::PredicateId predicate = 0; predicate < problem_.predicates.size(); ++predicate) {
            if (!is_affected_[predicate]) continue;
            const std::uint32_t arity = problem_.predicates[predicate].arity;
            // Position `counted` is; none is where it is behind the last one.
            std::vector<std::uint32_t> counted_positions{arity};
            for (std::uint32_t i = 0; i < arity; ++i) counted_positions.push_back(i);
            for (std::uint32_t counted : counted_positions) {
                InvariantPart part{ranks_[predicate], {}, predicate};
                std::int32_t next = 0;
                for (std::uint32_t i = 0; i < arity; ++i) part.arguments.push_back(i == counted ? COUNTED : next++);
                add_candidate({std::move(part)});
            }
        }
    }

    // Predicates with their arguments, one after the other: a tenth of the invariant's memory.
    using Key = std::vector<std::int32_t>;

    static Key key_of(const Invariant& invariant) {
        std::size_t size = invariant.size();
        for (const InvariantPart& part : invariant) size += part.arguments.size();
        Key key;
        key.reserve(size);
        for (const InvariantPart& part : invariant) {
            key.push_back(static_cast<std::int32_t>(part.predicate));
            key.insert(key.end(), part.arguments.begin(), part.arguments.end());
        }
        return key;
    }

    // Whether there may be more.
    bool add_candidate(Invariant invariant) {
        if (seen_.size() >= MAX_CANDIDATES) return false;
        Key key = key_of(invariant);
        const std::size_t num_numbers = key.size();
        if (!seen_.insert(std::move(key)).second) return true;
        guard_.take(2 * sizeof(Invariant) + invariant.size() * sizeof(InvariantPart) +
                    2 * num_numbers * sizeof(std::int32_t));
        candidates_.push_back(std::move(invariant));
        return true;
    }

    bool holds(const Invariant& invariant) {
        std::vector<std::size_t> actions;
        std::vector<char> is_listed(schemas_.size(), 0);
        for (const InvariantPart& part : invariant)
            for (std::size_t action : adding_[part.predicate])
                if (!std::exchange(is_listed[action], 1)) actions.push_back(action);
        // In random order, because one that refutes the candidate ends it.
        while (!actions.empty()) {
            std::swap(actions[random_.below(static_cast<std::uint32_t>(actions.size()))], actions.back());
            const ActionSchema& action = schemas_[actions.back()];
            actions.pop_back();
            if (checker_.is_too_heavy(action, invariant)) return false;
            if (checker_.is_unbalanced(action, invariant,
                                       [this](Invariant refined) { return add_candidate(std::move(refined)); }))
                return false;
        }
        return true;
    }

    const pddl::Problem& problem_;
    const Guard& guard_;
    std::vector<ActionSchema> schemas_;
    std::vector<std::vector<std::size_t>> adding_;  // by predicate: actions
    std::vector<char> is_affected_;                 // by predicate: some effect is about it
    std::vector<std::uint32_t> ranks_;
    BalanceChecker checker_;
    MersenneTwister random_{SEED};
    std::deque<Invariant> candidates_;
    std::set<Key> seen_;
};

}  // namespace

std::vector<Invariant> find_invariants(const pddl::Problem& problem, const Reachability& reachable, const Atoms& atoms,
                                       const Guard& guard) {
    return InvariantFinder(problem, reachable, atoms, guard).find();
}

}  // namespace sing::translate
