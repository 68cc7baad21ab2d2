// Novelty: has a state with this estimate shown a fact that none before it had?
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/memory.h"
#include "heuristics/heuristic.h"
#include "task/fact_index.h"

namespace sing {

// Novelty of width 1 (Lipovetzky & Geffner 2012): states are sorted into classes by (estimate,
// number of open goals); a state is novel where it holds a fact that no state recorded
// earlier in its class held.
class Novelty {
public:
    struct Class {
        Estimate estimate;
        std::int32_t num_open_goals;
        friend bool operator==(const Class&, const Class&) = default;
    };
    enum class Verdict { NOVEL, SEEN, FULL };  // FULL: the memory limit is reached

    Novelty(const Task& task, MemoryMeter& meter);
    ~Novelty();
    Novelty(const Novelty&) = delete;
    Novelty& operator=(const Novelty&) = delete;

    // Records a state.
    Verdict record(std::span<const Value> state, Class cls);
    // Records a successor that is in its parent's class: only its operator's effects can be news.
    Verdict record_effects(std::span<const Fact> effects, Class cls);

private:
    using Bits = std::vector<std::uint64_t>;

    Bits* facts_of(Class cls);
    bool add(Bits& bits, std::size_t variable, Value value) const;

    FactIndex fact_id_;
    std::size_t num_words_;
    std::unordered_map<std::uint64_t, Bits> seen_;  // by class
    MemoryMeter& meter_;
};

}  // namespace sing
