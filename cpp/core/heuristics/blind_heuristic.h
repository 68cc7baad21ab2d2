// The estimate of those who know nothing.
#pragma once

#include <algorithm>

#include "heuristics/heuristic.h"

namespace sing {

// Knows nothing: every state is as far as any other.
class BlindHeuristic : public Heuristic {
public:
    using Heuristic::Heuristic;
    Estimate evaluate(std::span<const Value>) override { return 0; }
    void evaluate_successors(const Successors&, std::span<Estimate> estimates) override {
        std::ranges::fill(estimates, 0);
    }
};

}  // namespace sing
