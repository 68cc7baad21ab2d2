#include "samples/demands.h"

#include <algorithm>
#include <utility>

namespace sing {

AxiomTable::AxiomTable(const Task& task, const Guard& guard)
    : task(task), axioms_of(guard.memory()), strata(find_strata(task, guard)) {
    std::pmr::vector<std::pair<std::uint32_t, std::uint32_t>> heads(guard.memory());
    for (std::uint32_t i = 0; i < task.axioms.size(); ++i)
        heads.emplace_back(static_cast<std::uint32_t>(task.axioms[i].fact.variable), i);
    axioms_of = Csr<std::uint32_t>::from_pairs(task.variables.size(), heads, guard.memory());
}

// Facts before denials: what is required may already deny something, without a choice.
bool Demands::meet() {
    std::size_t next_item = 0, next_denial = 0;
    while (next_item < items_.size() || next_denial < denied_.size()) {
        if (items_.size() + denied_.size() > MAX_ITEMS) return false;
        const bool is_met = next_item < items_.size() ? meet_item(static_cast<std::uint32_t>(next_item++))
                                                      : meet_denial(denied_[next_denial++]);
        if (!is_met) return false;
    }
    return true;
}

bool Demands::put(Fact fact) {
    const Value value = state_[fact.variable];
    if (value != UNDEFINED) return value == fact.value;
    changes_.push_back({fact.variable, UNDEFINED});
    state_.set(fact.variable, fact.value);
    return true;
}

bool Demands::meet_item(std::uint32_t item) {
    const Fact fact = items_[item].fact;
    const Variable& variable = variable_of(fact);
    if (!variable.is_derived()) return put(fact);
    if (fact.value != variable.default_value) return derive(item);
    if (std::ranges::find(with_default_, fact.variable) != with_default_.end()) return true;
    with_default_.push_back(fact.variable);
    for (std::uint32_t axiom : table_.axioms_of[static_cast<std::size_t>(fact.variable)])
        deny(table_.task.axioms[axiom].conditions);
    return true;
}

bool Demands::rests_on_itself(const Axiom& axiom, std::uint32_t item) const {
    auto stratum = [&](Fact fact) { return table_.strata[static_cast<std::size_t>(fact.variable)]; };
    const Stratum own = stratum(items_[item].fact);
    if (!own.is_in_cycle) return false;
    for (std::uint32_t i = item; i != NONE; i = items_[i].parent) {
        if (stratum(items_[i].fact).number != own.number) return false;  // ancestors of a cycle are together
        if (std::ranges::find(axiom.conditions, items_[i].fact) != axiom.conditions.end()) return true;
    }
    return false;
}

// Axioms that the state contradicts are left out.
bool Demands::derive(std::uint32_t item) {
    auto contradicts = [&](const Fact& fact) {
        return state_[fact.variable] != UNDEFINED && state_[fact.variable] != fact.value;
    };
    choices_.clear();
    for (std::uint32_t id : table_.axioms_of[static_cast<std::size_t>(items_[item].fact.variable)]) {
        const Axiom& axiom = table_.task.axioms[id];
        if (std::ranges::none_of(axiom.conditions, contradicts) && !rests_on_itself(axiom, item))
            choices_.push_back(id);
    }
    if (choices_.empty()) return false;
    const std::uint32_t chosen = choices_[rng_.below(static_cast<std::uint32_t>(choices_.size()))];
    for (const Fact& fact : table_.task.axioms[chosen].conditions) items_.push_back({fact, item});
    return true;
}

bool Demands::meet_denial(std::span<const Fact> conjunction) {
    choices_.clear();
    for (std::uint32_t i = 0; i < conjunction.size(); ++i) {
        const Fact fact = conjunction[i];
        const Variable& variable = variable_of(fact);
        const Value value = state_[fact.variable];
        if (value != UNDEFINED && value != fact.value) return true;
        const bool has_default = std::ranges::find(with_default_, fact.variable) != with_default_.end();
        if (has_default && fact.value != variable.default_value) return true;
        if (value == UNDEFINED && !has_default && variable.domain_size() > 1) choices_.push_back(i);
    }
    if (choices_.empty()) return false;
    const Fact fact = conjunction[choices_[rng_.below(static_cast<std::uint32_t>(choices_.size()))]];
    const auto others = static_cast<std::uint32_t>(variable_of(fact).domain_size() - 1);
    const auto other = static_cast<Value>(rng_.below(others));
    items_.push_back({{fact.variable, other + (other >= fact.value)}, NONE});
    return true;
}

}  // namespace sing
