#include "translate/components.h"

#include <algorithm>

namespace sing::translate {

std::vector<std::vector<std::uint32_t>> strongly_connected_components(const Csr<std::uint32_t>& successors,
                                                                      const Guard& guard) {
    constexpr std::uint32_t unseen = 0, finished = 0xFFFF'FFFF;
    struct Visit {
        std::uint32_t node;
        std::size_t next;
    };
    const std::size_t num_nodes = successors.num_rows();
    // From 1 in the order of the first visit; then the least number of a node that can be reached and is not finished.
    std::pmr::vector<std::uint32_t> low(num_nodes, unseen, guard.memory());
    std::pmr::vector<std::uint32_t> number(num_nodes, unseen, guard.memory());
    std::pmr::vector<std::uint32_t> stack(guard.memory());
    std::pmr::vector<Visit> visits(guard.memory());
    std::vector<std::vector<std::uint32_t>> components;
    std::uint32_t count = 0;

    auto enter = [&](std::uint32_t node) {
        number[node] = low[node] = ++count;
        stack.push_back(node);
        visits.push_back({node, 0});
    };
    for (std::uint32_t root = 0; root < num_nodes; ++root) {
        if (number[root] != unseen) continue;
        enter(root);
        while (!visits.empty()) {
            guard.poll(1);
            Visit& visit = visits.back();
            const std::uint32_t node = visit.node;
            if (visit.next < successors[node].size()) {
                const std::uint32_t successor = successors[node][visit.next++];
                if (number[successor] == unseen)
                    enter(successor);
                else if (low[successor] != finished)
                    low[node] = std::min(low[node], number[successor]);
                continue;
            }
            visits.pop_back();
            if (!visits.empty()) low[visits.back().node] = std::min(low[visits.back().node], low[node]);
            if (low[node] != number[node]) continue;
            const auto first = std::find(stack.rbegin(), stack.rend(), node).base() - 1;
            components.emplace_back(first, stack.end());
            stack.erase(first, stack.end());
            for (std::uint32_t member : components.back()) low[member] = finished;
        }
    }
    std::ranges::reverse(components);
    return components;
}

}  // namespace sing::translate
