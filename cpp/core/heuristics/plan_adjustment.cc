#include "heuristics/plan_adjustment.h"

#include <algorithm>
#include <utility>

namespace sing {
namespace {

// A fact that is gone for good had better not count more than all the rest.
constexpr Estimate MAX_COST_AGAIN = 10;

}  // namespace

PlanAdjustment::PlanAdjustment(const FFHeuristic& ff, const Guard& guard)
    : ff_(ff), that_add_(guard.memory()), noted_(ff.factored().num_facts(), guard.memory()) {
    const FactoredRules& rules = ff.factored();
    std::pmr::vector<std::pair<FactId, std::uint32_t>> given(guard.memory());
    for (std::uint32_t rule = 0; rule < rules.size(); ++rule) {
        for (const FactId fact : rules.added(rule)) given.emplace_back(fact, rule);
        guard.poll(1 + rules.added(rule).size());
    }
    that_add_ = Csr<std::uint32_t>::from_pairs(ff.rules().num_facts(), given, guard.memory());
}

Estimate PlanAdjustment::of(std::span<const Value> parent, OperatorId op, std::span<const Fact> changes) {
    Estimate more = ff_.is_in_plan(op) ? -1 : 0;
    bool is_noted = false;
    for (const Fact& fact : changes) {
        const auto variable = static_cast<std::size_t>(fact.variable);
        if (parent[variable] == fact.value) continue;
        if (const FactId lost = ff_.rules().fact_id()(variable, parent[variable]); needs(lost, op)) {
            if (!is_noted) note(changes);
            is_noted = true;
            more += cost_again(lost);
        }
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

void PlanAdjustment::note(std::span<const Fact> changes) {
    ++successor_;
    to_note_.clear();
    for (const Fact& change : changes) to_note_.push_back(ff_.rules().fact_id()(change));
    while (!to_note_.empty()) {
        const FactId fact = to_note_.back();
        to_note_.pop_back();
        if (std::exchange(noted_[fact], successor_) == successor_) continue;
        for (const FactId of_several : ff_.factored().unions_of(fact)) to_note_.push_back(of_several);
    }
}

Estimate PlanAdjustment::cost_again(FactId lost) const {
    const FactoredRules& rules = ff_.factored();
    Estimate least = MAX_COST_AGAIN;
    for (const std::uint32_t rule : that_add_[lost]) {
        Estimate cost = rules.weight(rule);
        for (const FactId condition : rules.conditions(rule)) {
            if (cost >= least) break;
            cost += cost_without(lost, condition);
        }
        least = std::min(least, cost);
        if (least <= 1) break;
    }
    return least;
}

// What a fact or union costs from what holds in the successor or the parent, the lost fact apart.
Estimate PlanAdjustment::cost_without(FactId lost, FactId condition) const {
    if (noted_[condition] == successor_) return 0;
    if (condition == lost) return MAX_COST_AGAIN;
    const Estimate cost = ff_.cost(condition);
    const std::span<const FactId> several = ff_.factored().facts_of(condition);
    // A union that costs nothing may be the lost fact, and one that was not reached may have facts that were.
    if (several.empty() || (cost > 0 && cost != DEAD_END)) return std::min(cost, MAX_COST_AGAIN);
    Estimate least = MAX_COST_AGAIN;
    for (const FactId fact : several) {
        least = std::min(least, cost_without(lost, fact));
        if (least == 0) break;
    }
    return least;
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
