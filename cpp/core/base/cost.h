// Costs of operators and of plans.
#pragma once

#include <cstdint>
#include <limits>

namespace sing {

// 0 or more. Costs of operators have 63 bits; sums stay at INFINITE_COST where they would not fit, so that a plan whose
// cost does not fit is never taken for a cheap one.
using Cost = std::int64_t;
inline constexpr Cost INFINITE_COST = std::numeric_limits<Cost>::max();

constexpr Cost sum(Cost a, Cost b) { return a > INFINITE_COST - b ? INFINITE_COST : a + b; }

}  // namespace sing
