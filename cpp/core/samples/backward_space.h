// The spaces that training states are sampled from: where to start, and which steps lead backward.
#pragma once

#include <span>
#include <vector>

#include "base/rng.h"
#include "states/partial_state.h"
#include "task/task.h"

namespace sing {

// A backward step changes some variables; `undo` changes them back.
struct Change {
    std::int32_t variable;
    Value before;
};

// Immutable once built, so threads can share it; what changes is in the PartialState given.
//
// A step is named by the forward operator it turns around. candidates() may name some that
// step() then refuses, so that checks which cost something are made only for steps that are taken.
class BackwardSpace {
public:
    virtual ~BackwardSpace() = default;

    // Puts a start state, undefined values before. False where this draw gave none.
    virtual bool draw_start(PartialState& state, Rng& rng) const = 0;
    // Adds facts from which these follow. False, and the state as before, where this draw found none.
    virtual bool put_facts(std::span<const Fact> facts, PartialState& state, Rng&) const {
        for (const Fact& fact : facts) state.set(fact.variable, fact.value);
        return true;
    }
    // Appends every operator that may be stepped over backward.
    virtual void candidates(const PartialState& state, std::vector<OperatorId>& operators) const = 0;
    // Takes the step and appends what it changed. False where it is refused: the state is as before.
    virtual bool step(OperatorId op, PartialState& state, Rng& rng, std::vector<Change>& changes) const = 0;

    // Whether `op` leads forward from the state back to the one before `changes`, which the step made.
    virtual bool is_exact(OperatorId op, const PartialState& state, std::span<const Change> changes) const = 0;

    static void undo(PartialState& state, std::span<const Change> changes) {
        for (std::size_t i = changes.size(); i > 0; --i) state.set(changes[i - 1].variable, changes[i - 1].before);
    }

protected:
    static void change(PartialState& state, std::int32_t variable, Value value, std::vector<Change>& changes) {
        if (state[variable] == value) return;
        changes.push_back({variable, state[variable]});
        state.set(variable, value);
    }
};

}  // namespace sing
