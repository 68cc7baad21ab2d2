#include "mutexes.h"

#include <algorithm>
#include <utility>

namespace sing {

Mutexes::Mutexes(const Task& task) {
    std::size_t num_facts = 0;
    for (const Variable& variable : task.variables) {
        first_fact_.push_back(num_facts);
        num_facts += static_cast<std::size_t>(variable.domain_size());
    }
    std::vector<std::pair<std::uint32_t, GroupId>> members;
    for (std::vector<Fact> group : task.mutex_groups) {
        std::ranges::sort(group);
        group.erase(std::unique(group.begin(), group.end()), group.end());
        const bool spans_variables =
            std::ranges::any_of(group, [&](const Fact& fact) { return fact.variable != group.front().variable; });
        if (!spans_variables) continue;
        for (const Fact& fact : group) {
            const std::size_t id =
                first_fact_[static_cast<std::size_t>(fact.variable)] + static_cast<std::size_t>(fact.value);
            members.emplace_back(static_cast<std::uint32_t>(id), static_cast<GroupId>(num_groups_));
        }
        ++num_groups_;
    }
    groups_ = Csr<GroupId>::from_pairs(num_facts, members);
}

}  // namespace sing
