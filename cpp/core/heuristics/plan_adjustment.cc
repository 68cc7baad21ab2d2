#include "heuristics/plan_adjustment.h"

#include <algorithm>

namespace sing {
namespace {

// A fact that is gone for good had better not count more than all the rest.
constexpr Estimate MAX_COST_AGAIN = 10;

}  // namespace

PlanAdjustment::PlanAdjustment(const FFHeuristic& ff, const Guard& guard) : ff_(ff), that_add_(guard.memory()) {
    const RelaxedRules& rules = ff.rules();
    std::pmr::vector<std::pair<FactId, RuleId>> given(guard.memory());
    for (RuleId rule = 0; rule < rules.size(); ++rule) {
        for (const FactId fact : rules.added(rule)) given.emplace_back(fact, rule);
        guard.poll(1 + rules.added(rule).size());
    }
    that_add_ = Csr<RuleId>::from_pairs(rules.num_facts(), given, guard.memory());
}

Estimate PlanAdjustment::of(std::span<const Value> parent, OperatorId op, std::span<const Fact> changes) const {
    Estimate more = ff_.is_in_plan(op) ? -1 : 0;
    for (const Fact& fact : changes) {
        const auto variable = static_cast<std::size_t>(fact.variable);
        if (parent[variable] == fact.value) continue;
        if (const FactId lost = ff_.rules().fact_id()(variable, parent[variable]); needs(lost, op))
            more += cost_again(lost, changes);
        if (makes_needless(ff_.rules().fact_id()(fact), op, changes)) --more;
    }
    return more;
}

// Whether the plan needs a fact of the parent for anything but the operator.
bool PlanAdjustment::needs(FactId fact, OperatorId op) const {
    const std::uint32_t num_needs = ff_.num_needs(fact);
    if (num_needs != 1 || !ff_.is_in_plan(op)) return num_needs > 0;
    const std::span<const FactId> own = ff_.rules().conditions(static_cast<RuleId>(index(op)));
    return std::ranges::find(own, fact) == own.end();
}

Estimate PlanAdjustment::cost_again(FactId lost, std::span<const Fact> changes) const {
    Estimate least = MAX_COST_AGAIN;
    for (const RuleId rule : that_add_[lost]) {
        Estimate cost = ff_.rules().is_operator(rule) ? 1 : 0;
        for (const FactId condition : ff_.rules().conditions(rule)) {
            if (cost >= least) break;
            if (condition == lost)
                cost = least;
            else if (!is_among(condition, changes))
                cost += std::min(ff_.cost(condition), MAX_COST_AGAIN);
        }
        least = std::min(least, cost);
        if (least <= 1) break;
    }
    return least;
}

bool PlanAdjustment::is_among(FactId fact, std::span<const Fact> changes) const {
    return std::ranges::any_of(changes, [&](const Fact& change) { return ff_.rules().fact_id()(change) == fact; });
}

// Whether another operator of the plan makes the fact and nothing that is not among the changes. Of several such facts
// of one operator the first alone counts.
bool PlanAdjustment::makes_needless(FactId fact, OperatorId op, std::span<const Fact> changes) const {
    const RuleId maker = ff_.achiever(fact);
    if (maker == FFHeuristic::NO_RULE || maker == index(op) || !ff_.rules().is_operator(maker)) return false;
    std::uint32_t num_made = 0;
    for (const Fact& change : changes) {
        const FactId made = ff_.rules().fact_id()(change);
        if (ff_.achiever(made) != maker) continue;
        if (num_made == 0 && made != fact) return false;
        ++num_made;
    }
    return num_made == ff_.num_made(maker);
}

}  // namespace sing
