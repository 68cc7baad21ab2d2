// Facts that have held and have to hold again.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "task/task.h"

namespace sing {

// How many facts of Task::needed_again are needed in a state, and in its successors. On a task with landmarks as goals
// this and the number of open goals make up the landmark count. It keeps scratch memory, so it serves one thread.
class FactsNeededAgain {
public:
    // The entries, those of the task, must outlive it.
    FactsNeededAgain(std::span<const NeededAgain> entries, std::size_t num_variables, const Guard& guard);

    std::int32_t count(std::span<const Value> state) const;
    // Looks at the state whose successors are asked for next.
    void set_parent(std::span<const Value> state);
    // count(successor that differs from the parent by these facts)
    std::int32_t count_after(std::span<const Fact> changes);

private:
    using EntryId = std::uint32_t;
    bool is_needed(const NeededAgain& entry, std::span<const Value> state) const;

    std::span<const NeededAgain> entries_;
    Csr<EntryId> of_variable_;  // by variable: the entries that depend on it

    std::vector<Value> values_;  // of the parent; of a successor while that is counted
    std::int32_t parent_count_ = 0;
    std::vector<EntryId> touched_;
    std::vector<Fact> undo_;
    std::vector<std::uint32_t> mark_;  // by entry: the last count that touched it
    std::uint32_t num_counts_ = 0;
};

}  // namespace sing
