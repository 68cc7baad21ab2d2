// The blind heuristic.
#pragma once

#include <algorithm>

#include "heuristics/heuristic.h"

namespace sing {

// Gives every state the same estimate.
class BlindHeuristic : public Heuristic {
public:
    using Heuristic::Heuristic;
    Estimate evaluate(std::span<const Value>) override { return 0; }
    void evaluate_successors(const Successors&, std::span<Estimate> estimates) override {
        std::ranges::fill(estimates, 0);
    }
};

}  // namespace sing
