#include "search/orbit_filter.h"

#include <algorithm>

namespace sing {
namespace {

constexpr std::size_t CHANGES_PER_UNIT = 16;

}  // namespace

void OrbitFilter::keep_new(std::span<const Value> state, std::vector<OperatorId>& operators,
                           const Transitions& transitions, const Rate& rate, const Guard& guard) {
    hash_.set_parent(state);
    candidates_.clear();
    for (std::uint32_t i = 0; i < operators.size(); ++i) {
        const std::span<const Fact> changes = transitions.effects(operators[i]);
        candidates_.push_back({hash_.after(changes), i});
        guard.poll(changes.size() / CHANGES_PER_UNIT);
        met_.prefetch(candidates_.back().hash);
    }
    std::erase_if(candidates_, [this](const Candidate& each) { return met_.contains(each.hash); });
    keep_best_of_equals(operators, rate);
    std::ranges::sort(candidates_, {}, &Candidate::position);
    std::size_t num_kept = 0;
    for (const Candidate& each : candidates_) {
        met_.insert(each.hash);
        operators[num_kept++] = operators[each.position];
    }
    operators.resize(num_kept);
}

void OrbitFilter::keep_best_of_equals(std::span<const OperatorId> operators, const Rate& rate) {
    std::ranges::sort(candidates_, {}, &Candidate::rank);
    bool has_equals = false;
    for (std::size_t i = 0; i < candidates_.size();) {
        rated_.clear();
        rated_operators_.clear();
        for (; i < candidates_.size() && rated_.size() < BATCH_SIZE; ++i) {
            if (!has_equal(i)) continue;
            rated_.push_back(i);
            rated_operators_.push_back(operators[candidates_[i].position]);
        }
        if (rated_.empty()) break;
        has_equals = true;
        ratings_.assign(rated_.size(), {});
        rate(rated_operators_, ratings_);
        for (std::size_t k = 0; k < rated_.size(); ++k) candidates_[rated_[k]].rating = ratings_[k];
    }
    if (!has_equals) return;
    std::ranges::sort(candidates_, {}, &Candidate::rank);
    const auto same = std::ranges::unique(candidates_, {}, &Candidate::hash);
    candidates_.erase(same.begin(), same.end());
}

bool OrbitFilter::has_equal(std::size_t i) const {
    return (i > 0 && candidates_[i - 1].hash == candidates_[i].hash) ||
           (i + 1 < candidates_.size() && candidates_[i + 1].hash == candidates_[i].hash);
}

}  // namespace sing
