#include "translate/fact_groups.h"

#include <algorithm>

#include "base/csr.h"

namespace sing::translate {

AtomGroups choose_groups(const AtomGroups& mutex_groups, std::size_t num_atoms, std::span<const Literal> goal,
                         const Guard& guard) {
    using GroupId = std::uint32_t;
    std::pmr::vector<char> is_free(num_atoms, 1, guard.memory());
    std::pmr::vector<char> stays_alone(num_atoms, 0, guard.memory());
    for (Literal literal : goal)
        if (literal.is_negated()) stays_alone[literal.atom()] = 1;

    std::pmr::vector<std::pair<std::uint32_t, GroupId>> pairs(guard.memory());
    std::pmr::vector<std::uint32_t> size(mutex_groups.size(), 0, guard.memory());  // by group: its free atoms
    for (GroupId group = 0; group < mutex_groups.size(); ++group) {
        guard.poll(mutex_groups[group].size());
        for (AtomId atom : mutex_groups[group]) {
            if (stays_alone[atom]) continue;
            pairs.emplace_back(atom, group);
            ++size[group];
        }
    }
    const auto groups_of = Csr<GroupId>::from_pairs(num_atoms, pairs, guard.memory());
    const std::size_t largest = size.empty() ? 0 : std::ranges::max(size);
    // By size; sizes shrink, and groups move to their place when their turn comes.
    std::pmr::vector<std::pmr::vector<GroupId>> by_size(largest + 1, guard.memory());
    for (GroupId group = 0; group < mutex_groups.size(); ++group) by_size[size[group]].push_back(group);

    AtomGroups chosen(guard.memory());
    for (std::size_t turn = largest; turn > 1; --turn) {
        // Of equally large groups the last one comes first, as in Fast Downward.
        while (!by_size[turn].empty()) {
            guard.poll(1);
            const GroupId group = by_size[turn].back();
            by_size[turn].pop_back();
            if (size[group] < turn) {
                by_size[size[group]].push_back(group);
                continue;
            }
            AtomGroup& atoms = chosen.emplace_back();
            for (AtomId atom : mutex_groups[group]) {
                if (!is_free[atom] || stays_alone[atom]) continue;
                is_free[atom] = 0;
                atoms.push_back(atom);
                for (GroupId other : groups_of[atom]) --size[other];
            }
        }
    }
    for (AtomId atom = 0; atom < num_atoms; ++atom)
        if (is_free[atom]) chosen.emplace_back(1, atom);
    guard.poll(chosen.size());
    std::ranges::sort(chosen);
    return chosen;
}

}  // namespace sing::translate
