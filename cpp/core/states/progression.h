// What operators change in a state, derived facts included.
#pragma once

#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "states/transitions.h"
#include "task/derived_values.h"
#include "task/task.h"

namespace sing {

// States are given by the values of all variables, the derived ones among them. In a task with neither conditional
// effects nor axioms this class only reads the effects of operators.
class Progression {
public:
    // The transitions must outlive it.
    Progression(const Task& task, const Transitions& transitions, const Guard& guard)
        : has_fixed_effects_(task.has_fixed_effects()),
          transitions_(transitions),
          derived_(task, guard),
          rows_(guard.memory()) {}

    // Puts the derived values of a state whose other values are given. This state is then the parent.
    void enter(std::span<Value> state) { derived_.complete(state); }

    // The facts that `op` gives the successor of the parent, of which the parent may have some; at most one for each
    // variable. Valid until the next call.
    std::span<const Fact> changes(std::span<const Value> parent, OperatorId op) {
        if (has_fixed_effects_) return transitions_.effects(op);
        changes_.clear();
        append(parent, op, changes_);
        return changes_;
    }
    // The same for several operators, as a row for each. Null where the rows are the operators' effects.
    const Csr<Fact>* changes(std::span<const Value> parent, std::span<const OperatorId> operators) {
        if (has_fixed_effects_) return nullptr;
        rows_.clear();
        for (OperatorId op : operators) rows_.push_row(changes(parent, op));
        return &rows_;
    }
    // Makes the parent, which is `state`, its successor.
    void advance(std::span<Value> state, OperatorId op) {
        for (const Fact& fact : changes(state, op)) state[static_cast<std::size_t>(fact.variable)] = fact.value;
        enter(state);
    }

private:
    void append(std::span<const Value> parent, OperatorId op, std::vector<Fact>& changes) {
        effects_.clear();
        transitions_.append_effects(op, parent, effects_);
        derived_.append_changes(effects_, changes);
    }

    bool has_fixed_effects_;
    const Transitions& transitions_;
    DerivedValues derived_;
    std::vector<Fact> effects_, changes_;
    Csr<Fact> rows_;
};

}  // namespace sing
