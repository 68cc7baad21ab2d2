// Operators as steps between what holds on either side of them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "base/csr.h"
#include "base/guard.h"
#include "task/fact_index.h"
#include "task/task.h"

namespace sing {

// By variable; of several effects on one variable the last one counts, as in an execution.
std::map<std::int32_t, Value> last_effects(const Operator& op);

// From the first one up to the second one, without it.
using FactRange = std::pair<FactId, FactId>;

enum class Direction { FORWARD, BACKWARD };

// What operators say of the states on either side of them. Steps go from one side to the other: forward from the state
// before, backward from the state after.
class PairSteps {
public:
    // The task must have fixed effects.
    PairSteps(const Task& task, const FactIndex& fact_id, Direction direction, const Guard& guard);

    std::size_t num_steps() const { return from_.num_rows(); }  // operators
    // Facts that hold on the side where the step begins, and on the side where it ends.
    std::span<const FactId> from(std::size_t step) const { return from_[step]; }
    std::span<const FactId> to(std::size_t step) const { return to_[step]; }
    // The facts of each variable that the step changes.
    std::span<const FactRange> changed(std::size_t step) const { return changed_[step]; }
    // Those of them that it changes into something unknown: backward, where the operator does not say which value it
    // replaces.
    std::span<const FactRange> choices(std::size_t step) const { return choices_[step]; }

private:
    Csr<FactId> from_;
    Csr<FactId> to_;
    Csr<FactRange> changed_;
    Csr<FactRange> choices_;
};

}  // namespace sing
