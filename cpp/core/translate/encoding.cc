#include "translate/encoding.h"

#include <algorithm>

#include "translate/room.h"

namespace sing::translate {
namespace {

Csr<std::uint32_t> groups_by_atom(const AtomGroups& groups, std::size_t num_atoms, const Guard& guard) {
    std::pmr::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(guard.memory());
    for (std::uint32_t group = 0; group < groups.size(); ++group) {
        guard.poll(groups[group].size());
        for (AtomId atom : groups[group]) pairs.emplace_back(atom, group);
    }
    return Csr<std::uint32_t>::from_pairs(num_atoms, pairs, guard.memory());
}

}  // namespace

Encoding::Encoding(const AtomGroups& groups, const AtomGroups& mutex_groups, std::size_t num_atoms, const Guard& guard)
    : guard_(guard),
      fact_(num_atoms, guard.memory()),
      domain_size_(guard.memory()),
      groups_of_(groups_by_atom(mutex_groups, num_atoms, guard)),
      atom_of_group_(mutex_groups.size(), guard.memory()),
      group_stamp_(mutex_groups.size(), 0, guard.memory()),
      atom_stamp_(num_atoms, 0, guard.memory()) {
    for (const AtomGroup& group : groups) {
        const auto variable = static_cast<std::int32_t>(domain_size_.size());
        Value value = 0;
        for (AtomId atom : group) fact_[atom] = {variable, value++};
        domain_size_.push_back(value + 1);
    }
}

bool Encoding::violates_mutex(std::span<const Literal> literals) {
    ++stamp_;
    for (Literal literal : literals) {
        if (literal.is_negated()) continue;
        atom_stamp_[literal.atom()] = stamp_;
        for (std::uint32_t group : groups_of_[literal.atom()]) {
            if (group_stamp_[group] == stamp_ && atom_of_group_[group] != literal.atom()) return true;
            group_stamp_[group] = stamp_;
            atom_of_group_[group] = literal.atom();
        }
    }
    return std::ranges::any_of(
        literals, [&](Literal literal) { return literal.is_negated() && atom_stamp_[literal.atom()] == stamp_; });
}

void Encoding::encode(std::span<const Literal> literals, std::vector<Condition>& conditions) {
    conditions.clear();
    if (literals.empty()) {
        conditions.emplace_back();
        return;
    }
    if (violates_mutex(literals)) return;
    Condition single;
    for (Literal literal : literals)
        if (!literal.is_negated()) single.push_back(fact(literal.atom()));
    std::ranges::sort(single);
    single.erase(std::unique(single.begin(), single.end()), single.end());
    std::vector<Allowed> several;
    for (Literal literal : literals) {
        if (!literal.is_negated()) continue;
        const Fact denied = fact(literal.atom());
        if (std::ranges::binary_search(single, denied.variable, {}, &Fact::variable)) continue;
        auto allowed = std::ranges::find(several, denied.variable, &Allowed::variable);
        if (allowed == several.end()) {
            several.push_back({denied.variable, {}});
            allowed = several.end() - 1;
            for (Value value = 0; value < domain_size(denied.variable); ++value) allowed->values.push_back(value);
        }
        std::erase(allowed->values, denied.value);
    }
    const std::size_t single_size = single.size();
    conditions.push_back(std::move(single));
    for (const Allowed& allowed : several) {
        // Multiplied out; most variables have one value left.
        const std::size_t num_before = conditions.size();
        require_room(guard_, num_before * allowed.values.size() *
                                 (2 * sizeof(Condition) + (single_size + several.size()) * sizeof(Fact)));
        for (std::size_t i = 1; i < allowed.values.size(); ++i)
            for (std::size_t j = 0; j < num_before; ++j) {
                guard_.poll(1);
                Condition copy = conditions[j];
                copy.push_back({allowed.variable, allowed.values[i]});
                conditions.push_back(std::move(copy));
            }
        for (std::size_t j = 0; j < num_before; ++j) conditions[j].push_back({allowed.variable, allowed.values[0]});
    }
    if (!several.empty())
        for (Condition& condition : conditions) std::ranges::sort(condition);
}

}  // namespace sing::translate
