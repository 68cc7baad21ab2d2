#include "task/derived_values.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace sing {

DerivedValues::DerivedValues(const Task& task, const Guard& guard)
    : exist_(std::ranges::any_of(task.variables, &Variable::is_derived)), fact_id_(task), axioms_of_(guard.memory()) {
    if (exist_) read(task, guard);
}

void DerivedValues::read(const Task& task, const Guard& guard) {
    guard.take(task.variables.size() * (sizeof(Derived) + sizeof(Value) + 1) +
               task.axioms.size() * (sizeof(AxiomId) + sizeof(std::int32_t)));
    derived_.resize(task.variables.size());
    is_changed_.resize(task.variables.size());
    values_ = task.initial_state;
    const std::vector<Stratum> strata = find_strata(task, guard);
    for (std::size_t i = 0; i < task.variables.size(); ++i) {
        derived_[i].stratum = strata[i];
        derived_[i].default_value = task.variables[i].default_value;
        if (task.variables[i].is_derived()) values_[i] = derived_[i].default_value;
    }
    std::pmr::vector<std::pair<FactId, AxiomId>> uses(guard.memory());
    for (AxiomId id = 0; id < task.axioms.size(); ++id) {
        const Axiom& axiom = task.axioms[id];
        head_.push_back(axiom.fact.variable);
        num_missing_.push_back(0);
        for (const Fact& fact : axiom.conditions) {
            uses.emplace_back(fact_id_(fact), id);
            num_missing_.back() += values_[static_cast<std::size_t>(fact.variable)] != fact.value;
        }
        if (num_missing_.back() == 0) {
            ++derived_[static_cast<std::size_t>(axiom.fact.variable)].num_supports;
            queue(axiom.fact.variable);
        }
        guard.poll(1 + axiom.conditions.size());
    }
    axioms_of_ = Csr<AxiomId>::from_pairs(fact_id_.num_facts(), uses, guard.memory());
    settle();
    trail_.clear();
}

void DerivedValues::queue(std::int32_t variable) {
    Derived& derived = derived_[static_cast<std::size_t>(variable)];
    if (derived.is_queued) return;
    derived.is_queued = true;
    queue_.emplace_back(derived.stratum.number, variable);
    std::ranges::push_heap(queue_, std::greater{});
}

std::int32_t DerivedValues::pop() {
    std::ranges::pop_heap(queue_, std::greater{});
    const std::int32_t variable = queue_.back().second;
    queue_.pop_back();
    derived_[static_cast<std::size_t>(variable)].is_queued = false;
    return variable;
}

// Without queueing it leaves derived variables as they are: to put back what was there.
template <bool is_queueing>
void DerivedValues::set(std::int32_t variable, Value value) {
    Value& current = values_[static_cast<std::size_t>(variable)];
    for (AxiomId axiom : axioms_of_[fact_id_({variable, current})]) {
        if (num_missing_[axiom]++ > 0) continue;
        Derived& derived = derived_[static_cast<std::size_t>(head_[axiom])];
        --derived.num_supports;
        if (!is_queueing) continue;
        derived.has_lost = true;
        queue(head_[axiom]);
    }
    for (AxiomId axiom : axioms_of_[fact_id_({variable, value})]) {
        if (--num_missing_[axiom] > 0) continue;
        ++derived_[static_cast<std::size_t>(head_[axiom])].num_supports;
        if (is_queueing) queue(head_[axiom]);
    }
    if (is_queueing) trail_.push_back({variable, current});
    current = value;
}

void DerivedValues::settle() {
    while (!queue_.empty()) {
        const auto [stratum, variable] = queue_.front();
        Derived& derived = derived_[static_cast<std::size_t>(variable)];
        if (derived.stratum.is_in_cycle) {
            settle_cycle(stratum);
            continue;
        }
        pop();
        derived.has_lost = false;
        if (const Value value = derived_value(derived); values_[static_cast<std::size_t>(variable)] != value)
            set<true>(variable, value);
    }
}

void DerivedValues::settle_cycle(std::uint32_t stratum) {
    unsettled_.clear();
    while (next_is_in(stratum)) {
        const std::int32_t variable = pop();
        Derived& derived = derived_[static_cast<std::size_t>(variable)];
        unsettled_.push_back(variable);
        const bool has_lost = std::exchange(derived.has_lost, false);
        if (has_lost && values_[static_cast<std::size_t>(variable)] != derived.default_value)
            set<true>(variable, derived.default_value);
    }
    for (std::int32_t variable : unsettled_) queue(variable);
    while (next_is_in(stratum)) {
        const std::int32_t variable = pop();
        const Derived& derived = derived_[static_cast<std::size_t>(variable)];
        if (const Value value = derived_value(derived); values_[static_cast<std::size_t>(variable)] != value)
            set<true>(variable, value);
    }
}

void DerivedValues::complete(std::span<Value> state) {
    if (!exist_) return;
    for (std::size_t i = 0; i < state.size(); ++i)
        if (derived_[i].default_value == UNDEFINED && values_[i] != state[i])
            set<true>(static_cast<std::int32_t>(i), state[i]);
    settle();
    trail_.clear();
    std::ranges::copy(values_, state.begin());
}

void DerivedValues::append_changes(std::span<const Fact> effects, std::vector<Fact>& changes) {
    if (!exist_) {
        changes.insert(changes.end(), effects.begin(), effects.end());
        return;
    }
    for (const Fact& fact : effects)
        if (values_[static_cast<std::size_t>(fact.variable)] != fact.value) set<true>(fact.variable, fact.value);
    settle();
    // A variable in a cycle may have taken its default and left it again.
    for (const Fact& fact : trail_) is_changed_[static_cast<std::size_t>(fact.variable)] ^= 1;
    for (const Fact& fact : trail_) {
        char& is_changed = is_changed_[static_cast<std::size_t>(fact.variable)];
        if (is_changed) changes.push_back({fact.variable, values_[static_cast<std::size_t>(fact.variable)]});
        is_changed = 0;
    }
    for (std::size_t i = trail_.size(); i > 0; --i) set<false>(trail_[i - 1].variable, trail_[i - 1].value);
    trail_.clear();
}

}  // namespace sing
