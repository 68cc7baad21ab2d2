#include "task/mutexes.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sing {

Mutexes::Mutexes(const Task& task, const Guard& guard) : fact_id_(task), groups_(guard.memory()) {
    std::pmr::vector<std::pair<std::uint32_t, GroupId>> members(guard.memory());
    std::vector<Fact> group;
    for (const std::vector<Fact>& facts : task.mutex_groups) {
        guard.poll(1 + facts.size());
        group = facts;
        std::ranges::sort(group);
        group.erase(std::unique(group.begin(), group.end()), group.end());
        const bool spans_variables =
            std::ranges::any_of(group, [&](const Fact& fact) { return fact.variable != group.front().variable; });
        if (!spans_variables) continue;
        for (const Fact& fact : group) members.emplace_back(fact_id_(fact), static_cast<GroupId>(num_groups_));
        ++num_groups_;
    }
    groups_ = Csr<GroupId>::from_pairs(fact_id_.num_facts(), members, guard.memory());
}

}  // namespace sing
