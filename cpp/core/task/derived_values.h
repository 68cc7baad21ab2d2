// The derived values of a state, kept up to date while its other values change.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "task/fact_index.h"
#include "task/strata.h"
#include "task/task.h"

namespace sing {

// Stands at one state at a time, the initial one at first. Moving to another state costs what changes between the two:
// each axiom counts its conditions that do not hold, each derived variable its axioms without such conditions.
//
// Derived variables are settled stratum by stratum. Outside of a cycle a variable has its default exactly where it has
// no such axiom. Variables in a cycle may support nothing but each other: those that lose an axiom first all take their
// defaults, with what follows from them, and then those that still have an axiom are derived again.
class DerivedValues {
public:
    DerivedValues(const Task& task, const Guard& guard);

    bool exist() const { return exist_; }
    // Moves to the state with these values of ordinary variables, and puts the derived ones.
    void complete(std::span<Value> state);
    // Appends the facts that change where `effects`, on ordinary variables, one for each at most, are put in the
    // present state: those of the effects that are new to it, then derived ones. The present state stays the same.
    void append_changes(std::span<const Fact> effects, std::vector<Fact>& changes);

private:
    using AxiomId = std::uint32_t;

    // Where a derived variable stands and what it can be.
    struct Derived {
        Stratum stratum;
        Value default_value = UNDEFINED;
        std::uint32_t num_supports = 0;  // axioms whose conditions hold
        bool is_queued = false;
        bool has_lost = false;  // an axiom, since it was settled
    };

    void read(const Task& task, const Guard& guard);
    template <bool is_queueing>
    void set(std::int32_t variable, Value value);
    void queue(std::int32_t variable);
    std::int32_t pop();
    bool next_is_in(std::uint32_t stratum) const { return !queue_.empty() && queue_.front().first == stratum; }
    void settle();
    void settle_cycle(std::uint32_t stratum);
    Value derived_value(const Derived& derived) const {
        return derived.num_supports > 0 ? 1 - derived.default_value : derived.default_value;
    }

    bool exist_;
    FactIndex fact_id_;
    Csr<AxiomId> axioms_of_;                                     // by fact: those that have it as a condition
    std::vector<std::int32_t> head_;                             // by axiom: its variable
    std::vector<std::uint32_t> num_missing_;                     // by axiom: conditions that do not hold
    std::vector<Derived> derived_;                               // by variable; ordinary ones have no use for it
    std::vector<Value> values_;                                  // the present state
    std::vector<std::pair<std::uint32_t, std::int32_t>> queue_;  // (stratum, variable) to be settled, a heap
    std::vector<std::int32_t> unsettled_;                        // of one cycle
    std::vector<Fact> trail_;                                    // facts that were replaced, in order
    std::vector<char> is_changed_;                               // by variable
};

}  // namespace sing
