// The rules of a task without deletes that the goal can depend on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/cost.h"
#include "base/csr.h"
#include "base/guard.h"
#include "base/ids.h"
#include "heuristics/relaxed_rules.h"
#include "task/task.h"

namespace sing {

// RelaxedRules with costs and with the goal as one more rule, so that there is one fact to reach. Rules and facts are
// numbered anew: those that lead to no goal are left out, and what needs nothing needs a fact that always holds.
class GoalRules {
public:
    static constexpr FactId GOAL = 0;
    static constexpr FactId ALWAYS = 1;

    // `costs` by operator.
    GoalRules(const Task& task, std::span<const Cost> costs, const Guard& guard);

    std::size_t size() const { return costs_.size(); }
    std::size_t num_facts() const { return num_facts_; }
    // Those that fewest rules need come first.
    std::span<const FactId> conditions(RuleId rule) const { return conditions_[rule]; }
    std::span<const FactId> added(RuleId rule) const { return added_[rule]; }
    std::span<const RuleId> with_condition(FactId fact) const { return with_condition_[fact]; }
    std::span<const RuleId> that_add(FactId fact) const { return that_add_[fact]; }
    Cost cost(RuleId rule) const { return costs_[rule]; }
    // NO_OPERATOR for a rule that is none.
    OperatorId operator_of(RuleId rule) const { return operators_[rule]; }

    // Calls visit(fact) for ALWAYS and for each fact of the state that a rule needs.
    template <typename Visit>
    void for_facts(std::span<const Value> state, const Visit& visit) const {
        visit(ALWAYS);
        for (std::size_t variable = 0; variable < state.size(); ++variable)
            if (const FactId fact = number_[fact_id_(variable, state[variable])]; fact != NO_FACT) visit(fact);
    }

private:
    static constexpr FactId NO_FACT = 0xFFFF'FFFFu;

    void number_facts(const Task& task, const RelaxedRules& rules, const Guard& guard);
    void add_rules(const Task& task, const RelaxedRules& rules, std::span<const Cost> costs, const Guard& guard);
    void add(std::span<const FactId> conditions, std::span<const FactId> added, Cost cost, OperatorId op);
    void index_facts(const Guard& guard);
    void sort_conditions(const Guard& guard);

    FactIndex fact_id_;
    std::pmr::vector<FactId> number_;  // by fact of RelaxedRules
    std::size_t num_facts_ = 2;
    Csr<FactId> conditions_, added_;
    Csr<RuleId> with_condition_, that_add_;
    std::pmr::vector<Cost> costs_;
    std::pmr::vector<OperatorId> operators_;
};

}  // namespace sing
