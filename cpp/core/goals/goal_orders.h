// Orders in which goals should be achieved.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/csr.h"
#include "goals/goals.h"
#include "task/task.h"

namespace sing {

// Counts open goals. With orders, a goal that holds too early counts as open: goal a comes after goal b where a cannot
// hold when b is achieved: every operator that achieves b has a precondition or an effect that excludes a.
// Example: the block below is put down before the one above it.
//
// All goals hold exactly where the count is 0, with orders or without.
class OpenGoals {
public:
    OpenGoals(const Task& task, bool with_orders, const Guard& guard);

    std::int32_t count(std::span<const Value> state) const {
        return has_orders_ ? ordered_count(state) : goals_.num_open(state);
    }
    // count(successor that differs from its parent by these facts), where the parent's is `parent_count`.
    std::int32_t count_after(std::span<const Value> parent, std::int32_t parent_count,
                             std::span<const Fact> changes) const;
    // The same for the successor by op, where its effects have no conditions and no goal is derived.
    std::int32_t count_after(std::span<const Value> parent, std::int32_t parent_count, OperatorId op) const {
        return has_orders_ ? ordered_count_after(parent, parent_count, goals_.effects(op))
                           : parent_count + goals_.change(parent, op);
    }

    // Pairs (b, a) of positions in the goal: b is to come before a.
    static std::vector<std::pair<GoalId, GoalId>> find_orders(const Task& task, const Guard& guard);

private:
    std::int32_t ordered_count(std::span<const Value> state) const;
    std::int32_t ordered_count_after(std::span<const Value> parent, std::int32_t parent_count,
                                     std::span<const GoalEffect> effects) const;
    template <typename IsOpen>
    std::int32_t count_with_orders(const IsOpen& is_open) const;

    Goals goals_;
    bool has_orders_ = false;
    Csr<GoalId> before_;  // by goal: goals that must hold before it counts; empty without orders
};

}  // namespace sing
