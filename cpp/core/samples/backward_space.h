// The spaces that training states are sampled from: where to start, and which steps lead backward.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "base/rng.h"
#include "states/partial_state.h"
#include "states/successor_generator.h"
#include "task/fact_index.h"
#include "task/mutexes.h"
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

// The inverse a' of every operator a, by the formula on sets of propositions:
// pre(a') = (pre(a) ∪ add(a)) \ del(a), add(a') = del(a), del(a') = add(a).
//
// A variable that `a` sets without a precondition on it: what `a` deletes there is any other
// proposition of the variable, so a' sets one of these at random, or the value that negates them
// all where there is none. A precondition that is a negation is no proposition; it is kept where
// `a` does not change its variable, since a' could otherwise lead to where `a` does not apply.
class InverseOperators {
public:
    // One effect: the variable takes the value `before`, or where that is UNDEFINED one of several.
    struct Effect {
        Fact after;
        Value before;
    };

    // Throws std::invalid_argument where the task has an unsupported feature.
    InverseOperators(const Task& task, const Guard& guard);

    std::span<const Fact> preconditions(OperatorId op) const { return preconditions_[index(op)]; }
    std::span<const Effect> effects(OperatorId op) const { return effects_[index(op)]; }
    // The values that the variable of an effect may take.
    std::uint32_t num_values(const Effect& effect) const;
    Value value(const Effect& effect, std::uint32_t choice) const;

private:
    std::span<const Value> others(Fact fact) const;

    Csr<Fact> preconditions_;  // by operator
    Csr<Effect> effects_;      // by operator
    Csr<Value> atoms_;         // by variable: values that are propositions
    Csr<Value> negations_;     // by variable: the others
};

// "eo": full states and the forward operators. "ei": full states and the inverse operators.
// "r": regression on partial states. Where `consistent_starts`, full states are drawn free of
// mutexes. Throws std::invalid_argument for another name. The task must outlive the space.
std::unique_ptr<BackwardSpace> make_backward_space(std::string_view name, const Task& task, bool consistent_starts,
                                                   const Guard& guard);

}  // namespace sing
