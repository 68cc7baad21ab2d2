#include "heuristics/relaxed_rules.h"

#include <algorithm>
#include <utility>

namespace sing {

RelaxedRules::RelaxedRules(const Task& task, const Guard& guard, Kept kept)
    : fact_id_(task),
      num_facts_(fact_id_.num_facts()),
      num_operators_(task.operators.size()),
      conditions_(guard.memory()),
      added_(guard.memory()) {
    add_operators(task, guard);
    if (kept == Kept::UNDOMINATED && !task.has_fixed_effects()) drop_dominated(guard);
    if (task.has_conditional_effects()) add_conditional_effects(task, guard);
    if (task.axioms.empty()) return;
    add_axioms(task, guard);
    add_defaults(task, guard);
}

void RelaxedRules::add_operators(const Task& task, const Guard& guard) {
    for (const Operator& op : task.operators) {
        for (const Fact& fact : op.preconditions) conditions_.push(fact_id_(fact));
        conditions_.close_row();
        bool has_conditional_effects = false;
        for (const Effect& effect : op.effects) {
            has_conditional_effects |= !effect.conditions.empty();
            if (effect.conditions.empty() && !std::ranges::binary_search(op.preconditions, effect.fact))
                added_.push(fact_id_(effect.fact));
        }
        if (has_conditional_effects) added_.push(static_cast<FactId>(num_facts_++));
        added_.close_row();
        guard.poll(1 + op.preconditions.size() + op.effects.size());
    }
}

namespace {

// Finds operators by one fact that they add and by all their conditions.
class KnownRules {
public:
    KnownRules(const Csr<FactId>& conditions, std::size_t num_added, const Guard& guard) : conditions_(conditions) {
        constexpr std::size_t bytes_of_entry = 48;
        guard.take(num_added * bytes_of_entry);
        rules_.reserve(num_added);
    }

    void add(RuleId rule, FactId added) { rules_.try_emplace(key(conditions_[rule], added), rule); }
    // The first that was added, or `rule` where there is none.
    RuleId find(std::span<const FactId> conditions, FactId added, RuleId rule) const {
        const auto found = rules_.find(key(conditions, added));
        return found != rules_.end() && std::ranges::equal(conditions_[found->second], conditions) ? found->second
                                                                                                   : rule;
    }

private:
    static std::uint64_t key(std::span<const FactId> conditions, FactId added) {
        constexpr std::uint64_t factor = 0x9E3779B97F4A7C15ull;
        std::uint64_t key = (added + 1) * factor;
        for (FactId fact : conditions) key = ((key ^ (key >> 29)) + fact + 1) * factor;
        return key ^ (key >> 32);
    }

    const Csr<FactId>& conditions_;
    std::unordered_map<std::uint64_t, RuleId> rules_;
};

}  // namespace

void RelaxedRules::drop_dominated(const Guard& guard) {
    constexpr std::size_t max_conditions = 4;  // there are 16 subsets then
    KnownRules known(conditions_, added_.items().size(), guard);
    for (RuleId rule = 0; rule < num_operators_; ++rule)
        for (FactId fact : added_[rule]) known.add(rule, fact);
    Csr<FactId> added(guard.memory());
    std::vector<FactId> fewer;
    auto is_dominated = [&](RuleId rule, FactId fact) {
        const std::span<const FactId> conditions = conditions_[rule];
        if (known.find(conditions, fact, rule) != rule) return true;
        if (conditions.size() > max_conditions) return false;
        for (std::uint32_t subset = 0; subset + 1 < 1u << conditions.size(); ++subset) {
            fewer.clear();
            for (std::size_t i = 0; i < conditions.size(); ++i)
                if (subset >> i & 1) fewer.push_back(conditions[i]);
            if (known.find(fewer, fact, rule) != rule) return true;
        }
        return false;
    };
    for (RuleId rule = 0; rule < num_operators_; ++rule) {
        for (FactId fact : added_[rule]) {
            if (!is_dominated(rule, fact)) added.push(fact);
            guard.poll(1u << max_conditions);
        }
        added.close_row();
    }
    Csr<FactId> conditions(guard.memory());
    for (RuleId rule = 0; rule < num_operators_; ++rule)
        conditions.push_row(added[rule].empty() ? std::span<const FactId>() : conditions_[rule]);
    added_ = std::move(added);
    conditions_ = std::move(conditions);
}

void RelaxedRules::add(std::span<const FactId> conditions, FactId added) {
    conditions_.push_row(conditions);
    added_.push_row({&added, 1});
}

void RelaxedRules::add_conditional_effects(const Task& task, const Guard& guard) {
    std::vector<FactId> conditions;
    for (std::uint32_t op = 0; op < num_operators_; ++op) {
        const std::span<const FactId> added = added_[op];
        const FactId applied = added.empty() ? 0 : added.back();  // where there is a conditional effect
        for (const Effect& effect : task.operators[op].effects) {
            if (effect.conditions.empty()) continue;
            conditions.clear();
            for (const Fact& fact : effect.conditions)
                if (!std::ranges::binary_search(task.operators[op].preconditions, fact))
                    conditions.push_back(fact_id_(fact));
            std::ranges::sort(conditions);
            conditions.erase(std::unique(conditions.begin(), conditions.end()), conditions.end());
            conditions.push_back(applied);
            guard.poll(1 + conditions.size());
            add(conditions, fact_id_(effect.fact));
        }
    }
}

void RelaxedRules::add_axioms(const Task& task, const Guard& guard) {
    std::vector<FactId> conditions;
    for (const Axiom& axiom : task.axioms) {
        conditions.clear();
        for (const Fact& fact : axiom.conditions) conditions.push_back(fact_id_(fact));
        add(conditions, fact_id_(axiom.fact));
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
    add(denials, fact_id_({variable, task.variables[static_cast<std::size_t>(variable)].default_value}));
}

FactId RelaxedRules::denial_of(const Task& task, const Axiom& axiom) {
    if (axiom.conditions.size() == 1) return opposite_of(task, axiom.conditions.front());
    const auto denial = static_cast<FactId>(num_facts_++);
    for (const Fact& fact : axiom.conditions) {
        const FactId opposite = opposite_of(task, fact);
        add({&opposite, 1}, denial);
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
        if (value != fact.value) add({&other, 1}, opposite);
    }
    return opposite;
}

}  // namespace sing
