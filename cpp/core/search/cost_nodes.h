// What a search by cost knows of each of its states.
#pragma once

#include <cstdint>
#include <new>

#include "base/cost.h"
#include "base/ids.h"
#include "base/memory.h"
#include "heuristics/heuristic.h"
#include "search/cost_open_list.h"

namespace sing {

// NEW: it was registered and nothing else. PENDING: it is of the expansion that goes on, and its estimates come next.
// CLOSED: it was expanded, or dropped because of the bound; a cheaper way opens it again.
enum class Mark : std::uint8_t { NEW, PENDING, OPEN, CLOSED, GOAL, DEAD };

// Arrays by state, of which only those exist that the search needs: without an estimate the lower bound is one, and
// without an order of its own it has real costs.
class CostNodes {
public:
    CostNodes(bool has_estimates, bool has_own_order, std::uint32_t weight, MemoryMeter& memory)
        : has_estimates_(has_estimates),
          has_own_order_(has_own_order),
          weight_(weight),
          marks_(1, memory),
          path_costs_(1, memory),
          order_costs_(1, memory),
          bounds_(1, memory),
          estimates_(1, memory) {}

    // Makes room for the states up to this one. Throws std::bad_alloc where memory is full.
    void reserve(StateId id) {
        const std::size_t i = index(id);
        if (!marks_.reserve(i) || !path_costs_.reserve(i) || !bounds_.reserve(i) ||
            (has_estimates_ && !estimates_.reserve(i)) || (has_own_order_ && !order_costs_.reserve(i)))
            throw std::bad_alloc();
    }

    Mark& mark(StateId id) { return marks_[index(id)][0]; }
    // Of the cheapest way known: in real costs, and as the order counts them.
    Cost path_cost(StateId id) const { return path_costs_[index(id)][0]; }
    Cost order_cost(StateId id) const { return (has_own_order_ ? order_costs_ : path_costs_)[index(id)][0]; }
    void set_costs(StateId id, Cost path_cost, Cost order_cost) {
        path_costs_[index(id)][0] = path_cost;
        if (has_own_order_) order_costs_[index(id)][0] = order_cost;
    }
    Cost bound(StateId id) const { return bounds_[index(id)][0]; }
    void set_bound(StateId id, Cost bound) { bounds_[index(id)][0] = bound; }
    void set_estimate(StateId id, Estimate estimate) {
        if (has_estimates_) estimates_[index(id)][0] = estimate;
    }

    // Of all plans through the state by the cheapest way known.
    Cost least_cost(StateId id) const { return finite_sum(path_cost(id), bound(id)); }
    CostOpenList::Rank rank(StateId id) const {
        const Cost h = has_estimates_ ? static_cast<Cost>(estimates_[index(id)][0]) : bound(id);
        return {finite_sum(order_cost(id), finite_product(weight_, h)), h};
    }

private:
    bool has_estimates_, has_own_order_;
    Cost weight_;
    PagedArray<Mark> marks_;
    PagedArray<Cost> path_costs_, order_costs_, bounds_;
    PagedArray<Estimate> estimates_;
};

}  // namespace sing
