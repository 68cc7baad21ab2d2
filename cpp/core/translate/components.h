// Strongly connected components.
#pragma once

#include <cstdint>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"

namespace sing::translate {

// Components in topological order: edges lead from earlier ones to later ones. The depth-first search starts at node 0
// and follows edges in their order; the nodes of a component are in the order in which it came to them.
std::vector<std::vector<std::uint32_t>> strongly_connected_components(const Csr<std::uint32_t>& successors,
                                                                      const Guard& guard);

}  // namespace sing::translate
