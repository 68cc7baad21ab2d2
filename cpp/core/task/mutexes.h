// The translator's mutex groups, arranged to be asked about one fact at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "task/fact_index.h"
#include "task/task.h"

namespace sing {

// At most one fact of a group can hold in a reachable state. Groups within one variable say
// nothing new and are left out.
class Mutexes {
public:
    using GroupId = std::uint32_t;

    Mutexes(const Task& task, const Guard& guard);

    std::size_t num_groups() const { return num_groups_; }
    std::span<const GroupId> groups_of(Fact fact) const { return groups_[fact_id_(fact)]; }

private:
    FactIndex fact_id_;
    Csr<GroupId> groups_;  // by fact
    std::size_t num_groups_ = 0;
};

}  // namespace sing
