// States from Python and their successors.
#pragma once

#include <utility>
#include <vector>

#include "common.h"
#include "heuristics/heuristic.h"
#include "states/progression.h"
#include "states/transitions.h"

namespace sing {

// A state from Python has a value for each variable; those of derived variables are computed anew.
class PyStates {
public:
    explicit PyStates(const Task& task)
        : check_(task),
          num_operators_(task.operators.size()),
          transitions_(task, StatePacker(task), Guard()),
          progression_(task, transitions_, Guard()) {}
    PyStates(const PyStates&) = delete;  // the progression refers to the transitions
    PyStates& operator=(const PyStates&) = delete;

    // Valid until the next call.
    std::span<const Value> enter(std::vector<Value> state) {
        check_(state);
        state_ = std::move(state);
        progression_.enter(state_);
        return state_;
    }
    // The operators need not be applicable. Valid until the next call.
    Successors successors(std::vector<Value> state, const std::vector<std::uint32_t>& operators) {
        enter(std::move(state));
        operators_ = checked_operators(operators, num_operators_);
        return {state_, operators_, progression_.changes(state_, std::span<const OperatorId>(operators_))};
    }
    std::vector<Value> successor(std::vector<Value> state, std::uint32_t op) {
        enter(std::move(state));
        progression_.advance(state_, checked_operators({op}, num_operators_).front());
        return state_;
    }

private:
    StateCheck check_;
    std::size_t num_operators_;
    Transitions transitions_;
    Progression progression_;
    std::vector<Value> state_;
    std::vector<OperatorId> operators_;
};

}  // namespace sing
