// Of states that differ only in which of interchangeable objects is which, one is searched.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <tuple>
#include <vector>

#include "base/guard.h"
#include "base/memory.h"
#include "heuristics/heuristic.h"
#include "states/transitions.h"
#include "symmetries/hash_set.h"
#include "symmetries/orbit_hash.h"

namespace sing {

// Knows the orbits that a search has met: all states that one becomes when interchangeable objects are permuted.
class OrbitFilter {
public:
    // What a heuristic says of a successor.
    struct Rating {
        bool is_other = false;  // than those that it prefers
        Estimate estimate = 0;
    };
    // Rates the successors by these operators, in their order.
    using Rate = std::function<void(std::span<const OperatorId>, std::span<Rating>)>;

    // All but the guard must outlive the filter. Throws std::invalid_argument where the objects are those of a larger
    // task.
    OrbitFilter(const InterchangeableObjects& objects, const Task& task, const Guard& guard, MemoryMeter& memory)
        : hash_(objects, task, guard), met_(&memory), candidates_(&memory) {}

    void meet(std::span<const Value> state) { met_.insert(hash_(state)); }

    // Leaves out operators that lead from the state to orbits met before, or to one that another operator leads to. Of
    // several such operators the one stays that is rated best, preferred ones first: it may be its object that a
    // relaxed plan is about. Operators keep their order.
    void keep_new(std::span<const Value> state, std::vector<OperatorId>& operators, const Transitions& transitions,
                  const Rate& rate, const Guard& guard);

private:
    // A successor that may be the one to stay.
    struct Candidate {
        std::uint64_t hash;
        std::uint32_t position;  // of its operator
        Rating rating{};
        auto rank() const { return std::tuple(hash, rating.is_other, rating.estimate, position); }
    };
    static constexpr std::size_t BATCH_SIZE = 64;  // that are rated together

    void keep_best_of_equals(std::span<const OperatorId> operators, const Rate& rate);
    bool has_equal(std::size_t i) const;

    OrbitHash hash_;
    HashSet met_;
    std::pmr::vector<Candidate> candidates_;  // scratch, as all that follows
    std::vector<std::size_t> rated_;
    std::vector<OperatorId> rated_operators_;
    std::vector<Rating> ratings_;
};

}  // namespace sing
