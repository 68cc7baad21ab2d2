// Facts that have held and have to hold again.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "base/ids.h"
#include "task/task.h"

namespace sing {

// How many facts of Task::needed_again are needed in a state, and in its successors. On a task with landmarks as goals
// this and the number of open goals make up the landmark count. It keeps scratch memory, so it serves one thread.
class FactsNeededAgain {
public:
    // The task must outlive it.
    FactsNeededAgain(const Task& task, const Guard& guard);

    std::int32_t count(std::span<const Value> state) const;
    // Looks at the state whose successors are asked for next.
    void set_parent(std::span<const Value> state);
    // count(successor of the parent by op)
    std::int32_t count_after(OperatorId op);

private:
    using EntryId = std::uint32_t;
    bool is_needed(const NeededAgain& entry, std::span<const Value> state) const;

    const Task& task_;
    Csr<EntryId> of_variable_;  // by variable: the entries that depend on it

    std::vector<Value> values_;  // of the parent; of a successor while that is counted
    std::int32_t parent_count_ = 0;
    std::vector<EntryId> touched_;
    std::vector<Fact> undo_;
    std::vector<std::uint32_t> mark_;  // by entry: the last count that touched it
    std::uint32_t num_counts_ = 0;
};

}  // namespace sing
