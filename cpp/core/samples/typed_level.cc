#include "samples/typed_level.h"

#include <algorithm>

namespace sing {

void TypedLevel::clear() {
    states_.clear();
    weights_.clear();
    position_of_.clear();
}

void TypedLevel::add(std::span<const Value> state, std::uint64_t type, double weight, Rng& rng) {
    if (max_types_ > 0) type %= max_types_;
    const auto [found, is_new] = position_of_.try_emplace(type, weights_.size());
    if (is_new) {
        states_.insert(states_.end(), state.begin(), state.end());
        weights_.push_back(weight);
        return;
    }
    constexpr int bits = 53;  // of a double
    double& all = weights_[found->second];
    all += weight;
    const double uniform =
        static_cast<double>(rng.next() >> (64 - bits)) / static_cast<double>(std::uint64_t{1} << bits);
    if (uniform * all < weight)
        std::ranges::copy(state, states_.begin() + static_cast<std::ptrdiff_t>(found->second * num_variables_));
}

std::size_t TypedLevel::memory_bytes() const {
    constexpr std::size_t bytes_a_type = 64;  // of the map
    return states_.capacity() * sizeof(Value) + weights_.capacity() * sizeof(double) + weights_.size() * bytes_a_type;
}

}  // namespace sing
