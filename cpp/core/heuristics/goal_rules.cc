#include "heuristics/goal_rules.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sing {

GoalRules::GoalRules(const Task& task, std::span<const Cost> costs, const Guard& guard)
    : fact_id_(task),
      number_(guard.memory()),
      conditions_(guard.memory()),
      added_(guard.memory()),
      with_condition_(guard.memory()),
      that_add_(guard.memory()),
      costs_(guard.memory()),
      operators_(guard.memory()) {
    const RelaxedRules rules(task, guard, RelaxedRules::Kept::ALL);
    number_facts(task, rules, guard);
    add_rules(task, rules, costs, guard);
    index_facts(guard);
    sort_conditions(guard);
}

void GoalRules::index_facts(const Guard& guard) {
    std::pmr::vector<std::pair<FactId, RuleId>> needed(guard.memory()), given(guard.memory());
    for (RuleId rule = 0; rule < size(); ++rule) {
        for (FactId fact : conditions_[rule]) needed.emplace_back(fact, rule);
        for (FactId fact : added_[rule]) given.emplace_back(fact, rule);
        guard.poll(conditions_[rule].size() + added_[rule].size());
    }
    with_condition_ = Csr<RuleId>::from_pairs(num_facts_, needed, guard.memory());
    that_add_ = Csr<RuleId>::from_pairs(num_facts_, given, guard.memory());
}

void GoalRules::sort_conditions(const Guard& guard) {
    Csr<FactId> sorted(guard.memory());
    sorted.reserve(conditions_.num_rows(), conditions_.items().size());
    std::vector<FactId> row;
    for (RuleId rule = 0; rule < size(); ++rule) {
        row.assign(conditions_[rule].begin(), conditions_[rule].end());
        std::ranges::sort(row, {}, [&](FactId fact) { return std::pair(with_condition_[fact].size(), ~fact); });
        sorted.push_row(row);
        guard.poll(1 + row.size());
    }
    conditions_ = std::move(sorted);
}

// Backward from the goals.
void GoalRules::number_facts(const Task& task, const RelaxedRules& rules, const Guard& guard) {
    std::pmr::vector<std::pair<FactId, RuleId>> given(guard.memory());
    for (RuleId rule = 0; rule < rules.size(); ++rule) {
        for (FactId fact : rules.added(rule)) given.emplace_back(fact, rule);
        guard.poll(1 + rules.added(rule).size());
    }
    const auto that_add = Csr<RuleId>::from_pairs(rules.num_facts(), given, guard.memory());
    number_.assign(rules.num_facts(), NO_FACT);
    std::pmr::vector<FactId> relevant(guard.memory());
    auto need = [&](FactId fact) {
        if (number_[fact] != NO_FACT) return;
        number_[fact] = static_cast<FactId>(num_facts_++);
        relevant.push_back(fact);
    };
    for (const Fact& fact : task.goal) need(fact_id_(fact));
    for (std::size_t i = 0; i < relevant.size(); ++i) {
        for (RuleId rule : that_add[relevant[i]]) {
            for (FactId fact : rules.conditions(rule)) need(fact);
            guard.poll(1 + rules.conditions(rule).size());
        }
    }
}

void GoalRules::add_rules(const Task& task, const RelaxedRules& rules, std::span<const Cost> costs,
                          const Guard& guard) {
    std::vector<FactId> conditions, added;
    for (RuleId rule = 0; rule < rules.size(); ++rule) {
        added.clear();
        for (FactId fact : rules.added(rule))
            if (number_[fact] != NO_FACT) added.push_back(number_[fact]);
        guard.poll(1 + rules.added(rule).size());
        if (added.empty()) continue;
        conditions.clear();
        for (FactId fact : rules.conditions(rule)) conditions.push_back(number_[fact]);
        guard.poll(conditions.size());
        const bool is_operator = rules.is_operator(rule);
        add(conditions, added, is_operator ? costs[rule] : 0, is_operator ? OperatorId{rule} : NO_OPERATOR);
    }
    conditions.clear();
    for (const Fact& fact : task.goal) conditions.push_back(number_[fact_id_(fact)]);
    constexpr FactId goal = GOAL;
    add(conditions, {&goal, 1}, 0, NO_OPERATOR);
}

void GoalRules::add(std::span<const FactId> conditions, std::span<const FactId> added, Cost cost, OperatorId op) {
    constexpr FactId always = ALWAYS;
    conditions_.push_row(conditions.empty() ? std::span<const FactId>(&always, 1) : conditions);
    added_.push_row(added);
    costs_.push_back(cost);
    operators_.push_back(op);
}

}  // namespace sing
