// How variables depend on each other.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "task/task.h"

namespace sing::translate {

// An edge leads from the variable of a condition to the variable of an effect behind it; its weight counts how often.
class CausalGraph {
public:
    struct Edge {
        std::uint32_t target;
        std::int64_t weight;
    };

    CausalGraph(const Task& task, const Guard& guard);

    std::span<const Edge> edges(std::uint32_t variable) const { return edges_[variable]; }  // sorted by target
    // Variables in topological order, where cycles are broken by weight.
    std::vector<std::int32_t> order(const Task& task) const;
    // By variable: whether a goal depends on it.
    std::vector<char> relevant(const Task& task) const;

private:
    void count(const Task& task);
    void add(std::int32_t source, std::int32_t target);
    void grow();
    void sort_component(std::span<const std::uint32_t> component, std::span<const std::uint32_t> component_of,
                        std::span<const char> is_goal, std::vector<std::int32_t>& order) const;

    const Guard& guard_;
    std::uint32_t num_variables_;
    // While edges are counted: a table by source and target.
    struct Entry {
        std::uint64_t key;
        std::int64_t weight;  // 0: not in use
    };
    std::pmr::vector<Entry> table_;
    std::size_t num_entries_ = 0;
    Csr<Edge> edges_;
};

}  // namespace sing::translate
