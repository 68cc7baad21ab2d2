// Costs of operators and of plans.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace sing {

// 0 or more. Costs of operators have 63 bits; sums stay at INFINITE_COST where they would not fit, so that a plan whose
// cost does not fit is never taken for a cheap one.
using Cost = std::int64_t;
inline constexpr Cost INFINITE_COST = std::numeric_limits<Cost>::max();

constexpr Cost sum(Cost a, Cost b) { return a > INFINITE_COST - b ? INFINITE_COST : a + b; }

// Where INFINITE_COST is to mean that there is no path, costs of paths stay at this one: "at least so much".
inline constexpr Cost LARGEST_COST = INFINITE_COST - 1;

constexpr Cost finite(Cost cost) { return std::min(cost, LARGEST_COST); }
constexpr Cost finite_sum(Cost a, Cost b) { return finite(sum(a, b)); }
constexpr Cost finite_product(Cost a, Cost b) { return a == 0 || b <= LARGEST_COST / a ? a * b : LARGEST_COST; }

}  // namespace sing
