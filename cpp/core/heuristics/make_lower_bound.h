// The lower bounds by name.
#pragma once

#include <memory>
#include <string_view>

#include "heuristics/lower_bound.h"

namespace sing {

// "lmcut", or "blind", which knows no more than that a state that is no goal takes the cheapest operator. Throws
// std::invalid_argument for another name.
std::unique_ptr<LowerBound> make_lower_bound(std::string_view name, const Task& task, const Guard& guard);

}  // namespace sing
