// Costs and lower bounds as Python sees them.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/cost.h"
#include "common.h"
#include "heuristics/lower_bound.h"
#include "state_types.h"

namespace sing {

// INFINITE_COST is None. Python counts without end; costs beyond 64 bits are None here.
inline nb::object to_python(Cost cost) { return cost == INFINITE_COST ? nb::none() : nb::object(nb::int_(cost)); }
inline Cost cost_from_python(const nb::object& cost) {
    Cost value = INFINITE_COST;
    return !cost.is_none() && nb::try_cast<Cost>(cost, value) ? value : INFINITE_COST;
}

class PyLowerBound {
public:
    PyLowerBound(const Task& task, std::unique_ptr<LowerBound> bound) : states_(task), bound_(std::move(bound)) {}

    nb::object evaluate(const std::vector<Value>& state) {
        return to_python(bound_->evaluate(states_.enter(state), INFINITE_COST, Guard()));
    }
    // For the successor by each operator.
    std::vector<nb::object> evaluate_successors(const std::vector<Value>& state,
                                                const std::vector<std::uint32_t>& operators) {
        bound_->enter(states_.enter(state), operators.size(), Guard());
        std::vector<nb::object> bounds;
        for (std::uint32_t op : operators) {
            const std::vector<Value> successor = states_.successor(state, op);
            bounds.push_back(to_python(bound_->evaluate_successor(successor, OperatorId{op}, INFINITE_COST, Guard())));
        }
        return bounds;
    }
    LowerBound& get() { return *bound_; }

private:
    PyStates states_;
    std::unique_ptr<LowerBound> bound_;
};

}  // namespace sing
