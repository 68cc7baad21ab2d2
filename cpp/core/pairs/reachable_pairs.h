// Which pairs of facts can hold together, going from one end of the task over its operators.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/guard.h"
#include "pairs/pair_matrix.h"
#include "pairs/pair_steps.h"
#include "task/fact_index.h"

namespace sing {

// The fixpoint of h² (Haslum & Geffner 2000): pairs that hold at the beginning hold together; what a step makes true
// holds together, and with all that its conditions leave room for and that it does not change.
class ReachablePairs {
public:
    // `excluded` pairs never hold, different values of a variable among them. `holds` has the pairs at the beginning,
    // none of them excluded, and gets those that are reached. All of them must outlive the object.
    ReachablePairs(const PairSteps& steps, const PairMatrix& excluded, PairMatrix& holds, const Guard& guard);

    // Without the steps that are dead. False where that takes more than the work that is left, in words of bits, or
    // where more than `max_futile_work` is done and all steps are known to be taken; what was reached by then says
    // nothing.
    bool run(const std::vector<bool>& is_dead, std::size_t& work_left, std::size_t max_futile_work);

    // After run(): whether the step can be taken.
    bool is_taken(std::size_t step) const { return is_taken_[step]; }

private:
    bool is_due(std::size_t step) const;
    bool can_take(std::size_t step);
    void take(std::size_t step);
    void take_choice(FactId choice);
    bool is_possible(FactId fact, std::span<const FactId> others) const;
    void add(FactId fact, std::span<const BitWord> others);

    const PairSteps& steps_;
    const PairMatrix& excluded_;
    PairMatrix& holds_;
    const Guard& guard_;
    std::pmr::vector<BitWord> facts_;             // that hold
    std::pmr::vector<BitWord> with_, by_choice_;  // scratch: what holds together with each fact that a step makes true
    std::vector<bool> is_taken_;
    std::size_t num_taken_ = 0;
    // Visits of steps are numbered 1, 2, …
    std::uint64_t visit_ = 0;
    std::pmr::vector<std::uint64_t> visited_at_;   // by step
    std::pmr::vector<std::uint64_t> extended_at_;  // by fact: the visit that found its newest pair
    std::uint64_t any_extended_at_ = 0;
    std::size_t work_ = 0;  // of the present visit
};

}  // namespace sing
