#include "samples/hindsight.h"

#include <algorithm>

namespace sing {

Hindsight::Hindsight(std::size_t num_states, std::span<const Link> links)
    : offsets_(num_states + 1), predecessors_(links.size()) {
    for (const Link& link : links) ++offsets_[index(link.to) + 1];
    for (std::size_t i = 0; i < num_states; ++i) offsets_[i + 1] += offsets_[i];
    std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
    for (const Link& link : links) predecessors_[next[index(link.to)]++] = static_cast<std::uint32_t>(link.from);
}

void Hindsight::lower(std::span<std::uint16_t> known) {
    for (auto& level : levels_) level.clear();
    auto put = [&](std::uint32_t state, std::uint16_t distance) {
        if (levels_.size() <= distance) levels_.resize(distance + std::size_t{1});
        levels_[distance].push_back(state);
    };
    for (std::uint32_t state = 0; state < known.size(); ++state)
        if (known[state] != FAR) put(state, known[state]);
    for (std::size_t distance = 0; distance < levels_.size() && distance + 1 < FAR; ++distance) {
        for (std::size_t i = 0; i < levels_[distance].size(); ++i) {
            const std::uint32_t state = levels_[distance][i];
            if (known[state] != distance) continue;
            const auto further = static_cast<std::uint16_t>(distance + 1);
            for (std::uint32_t k = offsets_[state]; k < offsets_[state + 1]; ++k) {
                const std::uint32_t before = predecessors_[k];
                if (known[before] <= further) continue;
                known[before] = further;
                put(before, further);
            }
        }
    }
}

}  // namespace sing
