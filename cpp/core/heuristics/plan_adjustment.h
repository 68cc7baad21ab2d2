// What a successor does to the relaxed plan of its parent.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "heuristics/ff_heuristic.h"
#include "heuristics/heuristic.h"

namespace sing {

// How many operators the relaxed plan that was made last has more, or fewer, in a successor of its state. Counted are
// - one less where the operator that leads there is in the plan: it is done;
// - one less for each other operator of the plan all of whose facts the successor has: it is not needed any more;
// - for each fact that the plan needs, beside what the operator itself needs, and that the successor has lost: what
//   h_add says it costs to get it again, from what holds in the successor or the parent, and 10 at the most.
// That is a guess: the plan could perhaps do otherwise, or what gets one fact again gets another, too; and what only an
// operator that is not needed any more needs is still counted. It takes a few steps for each effect, and tells
// siblings apart.
class PlanAdjustment {
public:
    PlanAdjustment(const FFHeuristic& ff, const Guard& guard);

    // `changes` as in Successors.
    Estimate of(std::span<const Value> parent, OperatorId op, std::span<const Fact> changes);

private:
    bool needs(FactId fact, OperatorId op) const;
    bool makes_needless(FactId fact, OperatorId op, std::span<const Fact> changes) const;
    void note(std::span<const Fact> changes);
    Estimate cost_again(FactId lost) const;
    Estimate cost_without(FactId lost, FactId condition) const;

    const FFHeuristic& ff_;
    Csr<std::uint32_t> that_add_;            // rules of FactoredRules, by fact
    std::pmr::vector<std::uint32_t> noted_;  // by fact: the successor that last had it, of unions one of its facts
    std::vector<FactId> to_note_;
    std::uint32_t successor_ = 0;
};

}  // namespace sing
