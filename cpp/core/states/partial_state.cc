#include "states/partial_state.h"

#include <algorithm>

namespace sing {

bool PartialState::fits(std::int32_t variable, Value value) const {
    for (Mutexes::GroupId group : mutexes_.groups_of({variable, value}))
        if (num_held_[group] > 0) return false;
    return true;
}

// A few draws succeed nearly always; where they do not, every value is tried from a random first.
bool PartialState::set_consistent(std::int32_t variable, Rng& rng) {
    constexpr int num_draws = 4;
    const auto domain_size = static_cast<std::uint32_t>(domain_sizes_[static_cast<std::size_t>(variable)]);
    for (int i = 0; i < num_draws; ++i) {
        const auto value = static_cast<Value>(rng.below(domain_size));
        if (fits(variable, value)) {
            set(variable, value);
            return true;
        }
    }
    const std::uint32_t first = rng.below(domain_size);
    for (std::uint32_t i = 0; i < domain_size; ++i) {
        const auto value = static_cast<Value>((first + i) % domain_size);
        if (fits(variable, value)) {
            set(variable, value);
            return true;
        }
    }
    return false;
}

bool PartialState::complete_at_random(Rng& rng) {
    undefined_.clear();
    for (std::size_t i = 0; i < values_.size(); ++i)
        if (values_[i] == UNDEFINED && !is_derived_[i]) undefined_.push_back(static_cast<std::int32_t>(i));
    bool complete = true;
    for (std::size_t left = undefined_.size(); left > 0; --left) {
        std::swap(undefined_[rng.below(static_cast<std::uint32_t>(left))], undefined_[left - 1]);
        complete &= set_consistent(undefined_[left - 1], rng);
    }
    return complete;
}

bool PartialState::complete_from(std::span<const Value> model, Rng& rng) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const auto variable = static_cast<std::int32_t>(i);
        if (values_[i] == UNDEFINED && !is_derived_[i] && fits(variable, model[i])) set(variable, model[i]);
    }
    return complete_at_random(rng);
}

}  // namespace sing
