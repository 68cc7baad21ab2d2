#include "goals/facts_needed_again.h"

#include <algorithm>
#include <utility>

namespace sing {

FactsNeededAgain::FactsNeededAgain(std::span<const NeededAgain> entries, std::size_t num_variables, const Guard& guard)
    : entries_(entries), of_variable_(guard.memory()), mark_(entries.size()) {
    std::pmr::vector<std::pair<std::uint32_t, EntryId>> pairs(guard.memory());
    for (EntryId id = 0; id < entries.size(); ++id) {
        const NeededAgain& entry = entries[id];
        pairs.emplace_back(static_cast<std::uint32_t>(entry.fact.variable), id);
        if (entry.has_held >= 0) pairs.emplace_back(static_cast<std::uint32_t>(entry.has_held), id);
        for (const Fact& goal : entry.before) pairs.emplace_back(static_cast<std::uint32_t>(goal.variable), id);
        guard.poll(1 + entry.before.size());
    }
    of_variable_ = Csr<EntryId>::from_pairs(num_variables, pairs, guard.memory());
}

bool FactsNeededAgain::is_needed(const NeededAgain& entry, std::span<const Value> state) const {
    const auto holds = [&](Fact fact) { return state[static_cast<std::size_t>(fact.variable)] == fact.value; };
    if (holds(entry.fact) || (entry.has_held >= 0 && !holds({entry.has_held, 1}))) return false;
    return !std::ranges::all_of(entry.before, holds);
}

std::int32_t FactsNeededAgain::count(std::span<const Value> state) const {
    return static_cast<std::int32_t>(
        std::ranges::count_if(entries_, [&](const NeededAgain& entry) { return is_needed(entry, state); }));
}

void FactsNeededAgain::set_parent(std::span<const Value> state) {
    values_.assign(state.begin(), state.end());
    parent_count_ = count(state);
}

std::int32_t FactsNeededAgain::count_after(std::span<const Fact> changes) {
    touched_.clear();
    ++num_counts_;
    for (const Fact& fact : changes)
        for (EntryId id : of_variable_[static_cast<std::size_t>(fact.variable)])
            if (std::exchange(mark_[id], num_counts_) != num_counts_) touched_.push_back(id);
    if (touched_.empty()) return parent_count_;
    const auto count_touched = [&] {
        return std::ranges::count_if(touched_, [&](EntryId id) { return is_needed(entries_[id], values_); });
    };
    const auto before = count_touched();
    undo_.clear();
    for (const Fact& fact : changes) {
        Value& value = values_[static_cast<std::size_t>(fact.variable)];
        undo_.push_back({fact.variable, std::exchange(value, fact.value)});
    }
    const auto after = count_touched();
    for (const Fact& fact : undo_) values_[static_cast<std::size_t>(fact.variable)] = fact.value;
    return parent_count_ + static_cast<std::int32_t>(after - before);
}

}  // namespace sing
