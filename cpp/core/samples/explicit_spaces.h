// Backward spaces of full states.
#pragma once

#include <memory>
#include <span>

#include "base/csr.h"
#include "base/guard.h"
#include "samples/backward_space.h"
#include "task/task.h"

namespace sing {

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

    // Effects must have no conditions.
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

// The forward operators. The task must outlive the space, and its effects must have no conditions, here and below.
std::unique_ptr<BackwardSpace> make_original_space(const Task& task, bool consistent_starts, const Guard& guard);
// The inverse operators.
std::unique_ptr<BackwardSpace> make_inverse_space(const Task& task, bool consistent_starts, const Guard& guard);

}  // namespace sing
