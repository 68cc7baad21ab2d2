// Fewer rules for the same costs.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "heuristics/heuristic.h"
#include "heuristics/relaxed_rules.h"

namespace sing {

// Rules under which every fact costs the same as under RelaxedRules where the costs of conditions are added up (h_add),
// but which are several times as few where operators have many parameters.
//
// Turning a satellite towards a star is an operator for each direction that it may come from. All of these add the same
// fact, cost the same, and differ in one condition. So they become one rule with a *union* as its condition: a further
// fact, which is reached as soon as one of several facts is. The union of all directions serves the rules for all
// stars, because a union may contain what the rule adds: that is never the cheapest way to itself. The rules that this
// gives may differ in one condition again, and so on.
//
// A rule stands for one of RelaxedRules: the one whose conditions are the facts by which its unions were reached.
// Rules that are no operators, and operators for which it does not pay, stay as they are.
class FactoredRules {
public:
    // `weights` of operators, none: all are 1. Rules that are no operators weigh 0. Where memory is too short for
    // finding unions all rules stay as they are.
    FactoredRules(const RelaxedRules& rules, std::span<const Estimate> weights, const Guard& guard);

    // Those of RelaxedRules come first, then unions.
    std::size_t num_facts() const { return num_facts_ + union_facts_.num_rows(); }
    std::size_t size() const { return weights_.size(); }
    std::span<const FactId> conditions(std::uint32_t rule) const { return conditions_[rule]; }
    std::span<const FactId> added(std::uint32_t rule) const { return added_[rule]; }
    Estimate weight(std::uint32_t rule) const { return weights_[rule]; }
    std::span<const std::uint32_t> with_condition(FactId fact) const { return with_condition_[fact]; }
    std::span<const FactId> unions_of(FactId fact) const { return unions_of_[fact]; }
    // Of a union; empty for other facts.
    std::span<const FactId> facts_of(FactId fact) const {
        return fact < num_facts_ ? std::span<const FactId>() : union_facts_[fact - num_facts_];
    }

    // What a rule stands for that has made a fact cheaper; `reached_by` has for each union the fact by which it was
    // reached.
    RuleId origin(std::uint32_t rule, std::span<const FactId> reached_by) const;

private:
    friend class Factoring;
    // A rule of RelaxedRules, or, from num_originals_ on, several nodes that differ in one condition.
    using Node = std::uint32_t;

    void clear();

    std::size_t num_facts_;
    std::size_t num_originals_;
    Csr<FactId> conditions_;
    Csr<FactId> added_;
    std::pmr::vector<Estimate> weights_;
    std::pmr::vector<Node> nodes_;  // by rule
    Csr<std::uint32_t> with_condition_;
    Csr<FactId> unions_of_;
    Csr<FactId> union_facts_;                // by union, sorted
    std::pmr::vector<FactId> differing_in_;  // by node that is several: the union of the condition
    Csr<std::pair<FactId, Node>> several_;   // by node that is several: what has which fact of the union, sorted
};

}  // namespace sing
