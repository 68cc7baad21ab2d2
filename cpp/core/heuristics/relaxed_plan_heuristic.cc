#include "heuristics/relaxed_plan_heuristic.h"

#include <algorithm>

namespace sing {

void RelaxedPlanHeuristic::evaluate_successors(const Successors& successors, std::span<Estimate> estimates) {
    if (!std::ranges::equal(parent_, successors.parent)) {
        parent_.assign(successors.parent.begin(), successors.parent.end());
        parent_estimate_ = ff_.evaluate(parent_);
    }
    std::ranges::fill(estimates, parent_estimate_);
    preferred_.resize(estimates.size());
    for (std::size_t i = 0; i < estimates.size(); ++i)
        preferred_[i] = parent_estimate_ != DEAD_END && ff_.is_in_plan(successors.operators[i]);
}

}  // namespace sing
