// The heuristics that need nothing but a task, by name.
#pragma once

#include <memory>
#include <string_view>

#include "heuristics/heuristic.h"

namespace sing {

// "blind", "goalcount", "ff", "relaxed" or "landmarks", which count steps, "relaxed-plusone" or "relaxed-cost". Throws
// std::invalid_argument for another name.
std::unique_ptr<Heuristic> make_heuristic(std::string_view name, const Task& task, const Guard& guard);

}  // namespace sing
