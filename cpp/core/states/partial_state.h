// A state some of whose variables may have no value, changed in place and changed back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "states/condition_tree.h"
#include "task/mutexes.h"
#include "task/task.h"

namespace sing {

// Values, and for each mutex group how many of its facts hold, so that contradictions are known
// at any time. Costs follow the facts that change, not the number of variables.
class PartialState {
public:
    // Both must outlive the state.
    PartialState(const Task& task, const Mutexes& mutexes)
        : domain_sizes_(task.domain_sizes()),
          is_derived_(task.variables.size()),
          mutexes_(mutexes),
          values_(task.variables.size(), UNDEFINED),
          num_held_(mutexes.num_groups()) {
        for (std::size_t i = 0; i < is_derived_.size(); ++i) is_derived_[i] = task.variables[i].is_derived();
    }

    std::span<const Value> values() const { return values_; }
    Value operator[](std::int32_t variable) const { return values_[static_cast<std::size_t>(variable)]; }

    void assign(std::span<const Value> values) {
        for (std::size_t i = 0; i < values.size(); ++i) set(static_cast<std::int32_t>(i), values[i]);
    }

    void set(std::int32_t variable, Value value) {
        Value& current = values_[static_cast<std::size_t>(variable)];
        if (current == value) return;
        if (current != UNDEFINED)
            for (Mutexes::GroupId group : mutexes_.groups_of({variable, current}))
                num_conflicts_ -= --num_held_[group] == 1;
        if (value != UNDEFINED)
            for (Mutexes::GroupId group : mutexes_.groups_of({variable, value}))
                num_conflicts_ += ++num_held_[group] == 2;
        current = value;
    }

    // Whether two mutually exclusive facts hold.
    bool has_conflict() const { return num_conflicts_ > 0; }

    // Gives each undefined variable, but for derived ones, a random value that contradicts none before it, taking the
    // variables in random order. False where one had no such value; it is then left undefined.
    bool complete_at_random(Rng& rng);
    // The same, but first tries the value of `model`, a full state.
    bool complete_from(std::span<const Value> model, Rng& rng);

private:
    bool set_consistent(std::int32_t variable, Rng& rng);
    bool fits(std::int32_t variable, Value value) const;

    std::vector<Value> domain_sizes_;
    std::vector<char> is_derived_;  // by variable
    const Mutexes& mutexes_;
    std::vector<Value> values_;
    std::vector<std::uint32_t> num_held_;  // by mutex group
    std::size_t num_conflicts_ = 0;        // groups that hold more than one fact
    std::vector<std::int32_t> undefined_;  // scratch
};

}  // namespace sing
