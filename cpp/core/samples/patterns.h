// Conjunctions of facts from which one goal is a known number of steps away, found by regression from that goal alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/guard.h"
#include "states/condition_tree.h"
#include "task/task.h"

namespace sing {

struct Pattern {
    std::uint32_t goal;   // position in the task's goal
    std::uint32_t depth;  // so many operators lead from any state where the facts hold to one where the goal does
    std::vector<Fact> facts;
    bool is_shortest;  // of a breadth-first search: no pattern of that search with its newest fact is nearer
};

struct PatternConfig {
    std::uint32_t num_searches;   // for each goal
    std::uint32_t max_width;      // of novelty, for every second search
    std::uint32_t num_walks;      // for each goal, at most
    std::uint64_t max_steps;      // backward steps tried by all searches, and twice that with all walks
    std::uint64_t max_facts;      // in all patterns together; they are what takes memory
    std::uint32_t max_branching;  // steps tried from one pattern, chosen at random
    std::uint64_t seed;
};

// Regression from each goal fact in two ways, both kept short by novelty.
// - Breadth-first searches keep a pattern where it has a fact that no pattern before it in its search had. So a search
//   has at most as many patterns as the task has facts, and still reaches deep. Its first pattern is the goal itself.
//   Every second search looks at pairs of facts instead where `max_width` is 2 (and the task has at most 4,096 facts).
// - Random walks go on as long as a step brings a fact that is new to the walk. They reach what takes many steps of one
//   kind, such as twenty products for one order, where searches see nothing new after the first of them.
// Each ends when it has used its share of the steps. Where the deadline passes, what was found until then is returned;
// where memory is too small for regression, nothing is.
std::vector<Pattern> find_patterns(const Task& task, const PatternConfig& config, Deadline& deadline,
                                   MemoryMeter& meter);

// Finds the patterns that hold in a state.
class PatternMatcher {
public:
    static constexpr std::uint32_t NONE = 0xFFFF'FFFFu;

    PatternMatcher(const Task& task, std::span<const Pattern> patterns, const Guard& guard);
    // The least depth of a pattern of the goal that holds, or NONE.
    std::uint32_t depth(std::uint32_t goal, std::span<const Value> state) const;

private:
    static Csr<Fact> sorted_facts(const Task& task, std::span<const Pattern> patterns, const Guard& guard);

    ConditionTree tree_;
    std::vector<ConditionTree::NodeId> roots_;  // by goal
    std::vector<std::uint32_t> depths_;         // by pattern
};

}  // namespace sing
