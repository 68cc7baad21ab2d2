// Facts that the states of a beam have had.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/guard.h"
#include "goals/goals.h"
#include "task/fact_index.h"
#include "task/task.h"

namespace sing {

// A state is novel if it has a fact that no state that was noted, with as many open goals, had.
class BeamNovelty {
public:
    // The goals must outlive it.
    BeamNovelty(const Task& task, const Goals& goals, const Guard& guard)
        : fact_id_(task), goals_(goals), seen_(goals.size() + 1, guard.memory()) {}

    bool is_novel(std::span<const Value> state) const {
        const std::pmr::vector<std::uint64_t>& seen = seen_[class_of(state)];
        if (seen.empty()) return true;
        for (std::size_t variable = 0; variable < state.size(); ++variable) {
            const FactId fact = fact_id_(variable, state[variable]);
            if (!(seen[fact / 64] >> (fact % 64) & 1)) return true;
        }
        return false;
    }
    void note(std::span<const Value> state) {
        std::pmr::vector<std::uint64_t>& seen = seen_[class_of(state)];
        if (seen.empty()) seen.resize(fact_id_.num_facts() / 64 + 1);
        for (std::size_t variable = 0; variable < state.size(); ++variable) {
            const FactId fact = fact_id_(variable, state[variable]);
            seen[fact / 64] |= std::uint64_t{1} << (fact % 64);
        }
    }

private:
    std::size_t class_of(std::span<const Value> state) const {
        return static_cast<std::size_t>(goals_.num_open(state));
    }

    FactIndex fact_id_;
    const Goals& goals_;
    std::pmr::vector<std::pmr::vector<std::uint64_t>> seen_;  // bits by fact, for each number of open goals
};

}  // namespace sing
