// Stratified sampling of a search tree, one level after the other.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/rng.h"
#include "task/task.h"

namespace sing {

// One level of Chen's stratified sampling: of all states of one type one stands for them, with the weight of all. A
// state that is added takes the place of the one before it with the probability of its share of the weight, so each has
// the same chance.
class TypedLevel {
public:
    // Where `max_types` is not 0, types share strata beyond that number: they are taken modulo it.
    TypedLevel(std::size_t num_variables, std::uint32_t max_types)
        : num_variables_(num_variables), max_types_(max_types) {}

    void clear();
    void add(std::span<const Value> state, std::uint64_t type, double weight, Rng& rng);

    std::size_t size() const { return weights_.size(); }
    std::span<const Value> state(std::size_t i) const {
        return std::span(states_).subspan(i * num_variables_, num_variables_);
    }
    double weight(std::size_t i) const { return weights_[i]; }
    std::size_t memory_bytes() const;

private:
    std::size_t num_variables_;
    std::uint32_t max_types_;
    std::vector<Value> states_;  // [types, variables]
    std::vector<double> weights_;
    std::unordered_map<std::uint64_t, std::size_t> position_of_;  // by type
};

}  // namespace sing
