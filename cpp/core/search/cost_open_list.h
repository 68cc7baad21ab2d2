// The states waiting to be expanded, by path cost and estimate.
#pragma once

#include <compare>
#include <map>
#include <memory_resource>
#include <vector>

#include "base/cost.h"
#include "base/ids.h"
#include "base/memory.h"

namespace sing {

// Lowest f first, among these lowest h, among these the one that came last: with an exact h that is a descent to the
// goal. States of equal rank share a bucket, so that where costs are few, pushing and popping take constant time.
class CostOpenList {
public:
    struct Rank {
        Cost f;
        Cost h;
        friend auto operator<=>(const Rank&, const Rank&) = default;
    };

    struct Entry {
        Rank rank;
        StateId id;
    };

    // Throws std::bad_alloc at the meter's limit.
    explicit CostOpenList(MemoryMeter& meter) : buckets_(&meter) {}

    bool empty() const { return buckets_.empty(); }
    void push(const Entry& entry) { buckets_[entry.rank].push_back(entry.id); }
    Entry pop() {
        const auto first = buckets_.begin();
        const Entry popped{first->first, first->second.back()};
        first->second.pop_back();
        if (first->second.empty()) buckets_.erase(first);
        return popped;
    }

private:
    std::pmr::map<Rank, std::pmr::vector<StateId>> buckets_;
};

}  // namespace sing
