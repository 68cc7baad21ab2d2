// Facts waiting to be settled, cheapest first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory_resource>
#include <tuple>
#include <utility>
#include <vector>

#include "task/fact_index.h"

namespace sing {

// A list for each of the least costs, and a heap for those so large that lists would not pay. What is pushed must not
// be cheaper than what was popped last, until the queue is empty.
template <typename Number>
class CostQueue {
public:
    explicit CostQueue(std::pmr::memory_resource* memory) : heap_(memory) {}

    void push(Number cost, FactId fact) {
        if (cost < static_cast<Number>(NUM_LISTS)) {
            lists_[static_cast<std::size_t>(cost)].push_back(fact);
            lowest_ = std::min(lowest_, static_cast<std::size_t>(cost));
            highest_ = std::max(highest_, static_cast<std::size_t>(cost));
        } else {
            heap_.emplace_back(cost, fact);
            std::ranges::push_heap(heap_, std::greater{});
        }
    }

    bool pop(Number& cost, FactId& fact) {
        for (; lowest_ <= highest_; ++lowest_) {
            std::vector<FactId>& list = lists_[lowest_];
            if (list.empty()) continue;
            cost = static_cast<Number>(lowest_);
            fact = list.back();
            list.pop_back();
            return true;
        }
        lowest_ = NUM_LISTS;
        highest_ = 0;
        if (heap_.empty()) return false;
        std::ranges::pop_heap(heap_, std::greater{});
        std::tie(cost, fact) = heap_.back();
        heap_.pop_back();
        return true;
    }

    void clear() {
        for (std::size_t i = lowest_; i <= highest_; ++i) lists_[i].clear();
        lowest_ = NUM_LISTS;
        highest_ = 0;
        heap_.clear();
    }

private:
    static constexpr std::size_t NUM_LISTS = 1024;
    std::array<std::vector<FactId>, NUM_LISTS> lists_;
    std::size_t lowest_ = NUM_LISTS;  // no list below it has entries
    std::size_t highest_ = 0;         // nor any above it
    std::pmr::vector<std::pair<Number, FactId>> heap_;
};

}  // namespace sing
