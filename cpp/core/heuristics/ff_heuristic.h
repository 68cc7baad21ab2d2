// The FF heuristic: the size of a relaxed plan made of cheapest achievers under h_add.
#pragma once

#include <vector>

#include "heuristics/cost_queue.h"
#include "heuristics/factored_rules.h"
#include "heuristics/heuristic.h"
#include "heuristics/relaxed_rules.h"

namespace sing {

// Ignores deletes. h_add of a fact is 0 where it holds, else the least over the operators that
// achieve it of the operator's weight, 1 unless given, + the sum of h_add over its preconditions. The
// relaxed plan takes such a cheapest operator for each goal and, in turn, for each of its
// preconditions; each operator counts once (Hoffmann & Nebel 2001; Keyder & Geffner 2008).
//
// h_add is computed with FactoredRules, so the work per state follows the number of different conditions and not that
// of operators. Conditional effects and axioms are rules of their own, see RelaxedRules; axioms cost nothing.
class FFHeuristic : public Heuristic {
public:
    FFHeuristic(const Task& task, const Guard& guard) : FFHeuristic(task, {}, guard) {}
    // Weights of the operators, 1 to 1,000 each: what h_add adds up. None: all are 1.
    FFHeuristic(const Task& task, std::span<const Estimate> weights, const Guard& guard);

    // Estimates distances to other facts from now on: the task's goal, or facts of ordinary variables.
    void set_goal(std::span<const Fact> goal);

    Estimate evaluate(std::span<const Value> state) override;
    // The operators of the relaxed plan of the state that was evaluated last, where that is no dead end.
    std::span<const OperatorId> plan() const { return plan_; }
    // Whether the operator is in the relaxed plan of the state that was evaluated last, where that is no dead end.
    bool is_in_plan(OperatorId op) const { return rule_mark_[index(op)] == extraction_; }
    // Of the same plan: how many of its rules and goals need the fact.
    std::uint32_t num_needs(FactId fact) const { return is_in_plan(fact) ? num_needs_[fact] : 0; }
    // The rule by which the plan makes the fact, NO_RULE where it does not; and how many facts it makes by a rule.
    RuleId achiever(FactId fact) const { return is_in_plan(fact) ? made_by_[fact] : NO_RULE; }
    std::uint32_t num_made(RuleId rule) const { return num_made_[rule]; }
    // h_add of a fact or union in that state; where it costs more than the goals it may be too high, or DEAD_END.
    Estimate cost(FactId fact) const { return cost_[fact]; }
    const RelaxedRules& rules() const { return rules_; }
    const FactoredRules& factored() const { return factored_; }
    std::uint64_t work() const override { return num_steps_ / STEPS_PER_UNIT; }
    // The sum of h_add over the goals, DEAD_END where one cannot be reached.
    Estimate additive_estimate(std::span<const Value> state);

    static constexpr RuleId NO_RULE = 0xFFFF'FFFFu;

private:
    static constexpr std::uint64_t STEPS_PER_UNIT = 128;

    struct Progress {
        std::int32_t unsatisfied;  // conditions not reached yet
        Estimate cost;             // of the rule, and the sum over those reached
    };

    void reach(FactId fact, Estimate cost, std::uint32_t by);
    bool is_in_plan(FactId fact) const { return fact_mark_[fact] == extraction_; }
    bool explore(std::span<const Value> state);
    Estimate extract();

    RelaxedRules rules_;
    FactoredRules factored_;
    std::vector<FactId> goal_;
    std::vector<char> is_goal_;                      // by fact
    std::vector<std::uint32_t> without_conditions_;  // rules
    std::pmr::vector<Progress> initial_progress_;

    // By rule and by fact of FactoredRules.
    std::pmr::vector<Progress> progress_;
    std::pmr::vector<Estimate> cost_;
    std::pmr::vector<std::uint32_t> reached_by_;  // a rule, of a union a fact, or NO_RULE where it holds
    CostQueue<Estimate> queue_;
    std::vector<FactId> to_support_;
    std::vector<OperatorId> plan_;
    std::vector<std::uint32_t> fact_mark_;       // by fact: last extraction that supported it
    std::pmr::vector<std::uint32_t> rule_mark_;  // by rule: last extraction that used it
    std::vector<RuleId> made_by_;                // by fact of the plan
    std::vector<std::uint32_t> num_needs_;       // by fact of the plan
    std::pmr::vector<std::uint32_t> num_made_;   // by rule of the plan
    std::uint32_t extraction_ = 0;
    std::uint64_t num_steps_ = 0;  // conditions counted down in all explorations
};

}  // namespace sing
