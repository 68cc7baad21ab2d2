#include "heuristics/relaxed_rules.h"

#include <algorithm>
#include <utility>

namespace sing {

RelaxedRules::RelaxedRules(const Task& task, const Guard& guard)
    : fact_id_(task),
      num_facts_(fact_id_.num_facts()),
      num_operators_(task.operators.size()),
      conditions_(guard.memory()),
      added_(guard.memory()),
      owners_(guard.memory()) {
    add_operators(task, guard);
    if (task.has_conditional_effects()) add_conditional_effects(task, guard);
    if (task.axioms.empty()) return;
    add_axioms(task, guard);
    add_defaults(task, guard);
}

void RelaxedRules::add_operators(const Task& task, const Guard& guard) {
    for (const Operator& op : task.operators) {
        for (const Fact& fact : op.preconditions) conditions_.push(fact_id_(fact));
        conditions_.close_row();
        for (const Effect& effect : op.effects)
            if (effect.conditions.empty() && !std::ranges::binary_search(op.preconditions, effect.fact))
                added_.push(fact_id_(effect.fact));
        added_.close_row();
        guard.poll(1 + op.preconditions.size() + op.effects.size());
    }
}

void RelaxedRules::add(std::span<const FactId> conditions, FactId added, OperatorId owner) {
    conditions_.push_row(conditions);
    added_.push_row({&added, 1});
    owners_.push_back(owner);
}

void RelaxedRules::add_conditional_effects(const Task& task, const Guard& guard) {
    std::vector<FactId> conditions;
    for (std::uint32_t op = 0; op < num_operators_; ++op) {
        for (const Effect& effect : task.operators[op].effects) {
            if (effect.conditions.empty()) continue;
            conditions.assign(conditions_[op].begin(), conditions_[op].end());
            for (const Fact& fact : effect.conditions) conditions.push_back(fact_id_(fact));
            std::ranges::sort(conditions);
            conditions.erase(std::unique(conditions.begin(), conditions.end()), conditions.end());
            guard.poll(1 + conditions.size());
            const FactId added = fact_id_(effect.fact);
            if (!std::ranges::binary_search(conditions, added)) add(conditions, added, OperatorId{op});
        }
    }
}

void RelaxedRules::add_axioms(const Task& task, const Guard& guard) {
    std::vector<FactId> conditions;
    for (const Axiom& axiom : task.axioms) {
        conditions.clear();
        for (const Fact& fact : axiom.conditions) conditions.push_back(fact_id_(fact));
        add(conditions, fact_id_(axiom.fact), NO_OPERATOR);
        guard.poll(1 + conditions.size());
    }
}

void RelaxedRules::need_defaults(const Task& task, std::span<const Fact> facts) {
    for (const auto& [variable, value] : facts) {
        const auto position = static_cast<std::size_t>(variable);
        if (!task.is_derived(variable) || value != task.variables[position].default_value) continue;
        if (!std::exchange(is_needed_[position], 1)) needed_.push_back(variable);
    }
}

void RelaxedRules::add_defaults(const Task& task, const Guard& guard) {
    is_needed_.resize(task.variables.size());
    need_defaults(task, task.goal);
    for (const Operator& op : task.operators) {
        need_defaults(task, op.preconditions);
        for (const Effect& effect : op.effects) {
            need_defaults(task, effect.conditions);
            guard.poll(1 + effect.conditions.size());
        }
        guard.poll(1 + op.preconditions.size());
    }
    std::pmr::vector<std::pair<std::uint32_t, std::uint32_t>> heads(guard.memory());
    for (std::uint32_t i = 0; i < task.axioms.size(); ++i) {
        need_defaults(task, task.axioms[i].conditions);
        heads.emplace_back(static_cast<std::uint32_t>(task.axioms[i].fact.variable), i);
        guard.poll(1 + task.axioms[i].conditions.size());
    }
    const auto axioms_of = Csr<std::uint32_t>::from_pairs(task.variables.size(), heads, guard.memory());
    const std::vector<Stratum> strata = find_strata(task, guard);
    for (std::size_t i = 0; i < needed_.size(); ++i) {  // which may need further ones
        const auto variable = static_cast<std::size_t>(needed_[i]);
        const auto axioms = strata[variable].is_in_cycle ? std::span<const std::uint32_t>() : axioms_of[variable];
        add_default(task, needed_[i], axioms);
        guard.poll(1 + axioms.size());
    }
}

void RelaxedRules::add_default(const Task& task, std::int32_t variable, std::span<const std::uint32_t> axioms) {
    std::vector<FactId> denials;
    for (std::uint32_t axiom : axioms) denials.push_back(denial_of(task, task.axioms[axiom]));
    std::ranges::sort(denials);
    denials.erase(std::unique(denials.begin(), denials.end()), denials.end());
    add(denials, fact_id_({variable, task.variables[static_cast<std::size_t>(variable)].default_value}), NO_OPERATOR);
}

FactId RelaxedRules::denial_of(const Task& task, const Axiom& axiom) {
    if (axiom.conditions.size() == 1) return opposite_of(task, axiom.conditions.front());
    const auto denial = static_cast<FactId>(num_facts_++);
    for (const Fact& fact : axiom.conditions) {
        const FactId opposite = opposite_of(task, fact);
        add({&opposite, 1}, denial, NO_OPERATOR);
    }
    return denial;
}

FactId RelaxedRules::opposite_of(const Task& task, Fact fact) {
    const Value domain_size = task.variables[static_cast<std::size_t>(fact.variable)].domain_size();
    if (domain_size == 2) {
        const Fact other{fact.variable, 1 - fact.value};
        need_defaults(task, {&other, 1});
        return fact_id_(other);
    }
    const auto [found, is_new] = opposites_.try_emplace(fact_id_(fact), static_cast<FactId>(num_facts_));
    const FactId opposite = found->second;
    if (!is_new) return opposite;
    ++num_facts_;
    for (Value value = 0; value < domain_size; ++value) {
        const FactId other = fact_id_({fact.variable, value});
        if (value != fact.value) add({&other, 1}, opposite, NO_OPERATOR);
    }
    return opposite;
}

}  // namespace sing
