// How far a goal turned out to be from states that a search has seen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/link.h"

namespace sing {

// Distances within a graph of links, for one goal after the other.
class Hindsight {
public:
    static constexpr std::uint16_t FAR = 0xFFFF;

    // States are numbered below `num_states`.
    Hindsight(std::size_t num_states, std::span<const Link> links);

    // `known[s]` is how far state s is known to be from a goal: 0 where it holds, FAR where nothing is known. Lowers
    // each to what the links say: known[from] ≤ known[to] + 1 for every link.
    void lower(std::span<std::uint16_t> known);

private:
    std::vector<std::uint32_t> offsets_;  // by state: where its predecessors begin
    std::vector<std::uint32_t> predecessors_;
    std::vector<std::vector<std::uint32_t>> levels_;  // states by distance, while lower() runs
};

}  // namespace sing
