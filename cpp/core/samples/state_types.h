// Types of states for stratified sampling: states of one type are taken to be about as far from the goal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/guard.h"
#include "goals/goals.h"
#include "samples/backward_space.h"
#include "states/progression.h"
#include "states/successor_generator.h"
#include "task/task.h"

namespace sing {

// STATES: every state is a type of its own. GOALS: which goals hold. CHILDREN: that, and the same of all successors, in
// any order. Of a partial state: which goals are among its facts and how many others it has; CHILDREN: and how many
// operators may be stepped over backward.
enum class TypeSystem { STATES, GOALS, CHILDREN };

// Serves one thread: it keeps scratch memory.
class StateTypes {
public:
    // All must outlive it.
    StateTypes(TypeSystem system, const Goals& goals, const SuccessorGenerator& generator, const BackwardSpace& space)
        : system_(system), goals_(goals), generator_(generator), space_(space) {}

    // Of a full state, at which the progression stands; it stays there.
    std::uint64_t of_full(std::span<const Value> state, Progression& progression);
    std::uint64_t of_partial(const PartialState& state);

private:
    static std::uint64_t of_values(std::span<const Value> state);

    TypeSystem system_;
    const Goals& goals_;
    const SuccessorGenerator& generator_;
    const BackwardSpace& space_;
    std::vector<OperatorId> operators_;
};

}  // namespace sing
