// What a plan costs at least.
#pragma once

#include <cstdint>
#include <span>

#include "base/cost.h"
#include "base/guard.h"
#include "task/task.h"

namespace sing {

// An admissible estimate under the real costs of operators. To add one: derive from this class and name it in
// make_lower_bound.cc. An object may keep scratch memory, so it serves one thread.
class LowerBound {
public:
    LowerBound() = default;
    virtual ~LowerBound() = default;
    LowerBound(const LowerBound&) = delete;
    LowerBound& operator=(const LowerBound&) = delete;

    // No plan from the state costs less; INFINITE_COST: there is none. It may stop looking once it knows that `enough`
    // is reached. The state has its derived values. Throws what the guard throws.
    virtual Cost evaluate(std::span<const Value> state, Cost enough, const Guard& guard) = 0;

    // The same for successors of a parent, which may be faster. enter() comes first, and once for all of them; it is
    // told about how many there will be. It returns a bound for the parent, 0 where it made none.
    virtual Cost enter(std::span<const Value>, std::size_t, const Guard&) { return 0; }
    virtual Cost evaluate_successor(std::span<const Value> successor, OperatorId, Cost enough, const Guard& guard) {
        return evaluate(successor, enough, guard);
    }

    // What it has done so far, in units that take about as long as generating a successor. It follows from what was
    // evaluated, not from a clock.
    virtual std::uint64_t work() const { return 0; }
};

}  // namespace sing
