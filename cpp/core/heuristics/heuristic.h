// The interface between a search and a heuristic.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "task/task.h"

namespace sing {

// Estimated number of operators to the goal, 0 or more.
using Estimate = std::int32_t;
// No plan exists from here; the search drops the state.
inline constexpr Estimate DEAD_END = std::numeric_limits<Estimate>::max();

// Some successors of one state: operator i leads to successor i. Successors are given by their
// parent and operator so that heuristics can work on the difference alone.
struct Successors {
    std::span<const Value> parent;
    std::span<const OperatorId> operators;
    // By successor, facts that it has, among them all that its parent has not; at most one for each variable. Null
    // where these are the operators' effects.
    const Csr<Fact>* changes = nullptr;
};

// To add a heuristic: derive from this class and name it in make_heuristic.cc. Estimates may depend
// on nothing but the state; an object may keep scratch memory, so it serves one thread.
class Heuristic {
public:
    Heuristic(const Task& task, const Guard& guard);
    virtual ~Heuristic() = default;
    Heuristic(const Heuristic&) = delete;
    Heuristic& operator=(const Heuristic&) = delete;

    virtual Estimate evaluate(std::span<const Value> state) = 0;
    // estimates[i] = evaluate(successor i), or a cheaper estimate. By default it builds each successor in turn.
    virtual void evaluate_successors(const Successors& successors, std::span<Estimate> estimates);

    // Finer estimates of the successors of several states, infinity for DEAD_END: add_to_batch() any number of times,
    // then evaluate_batch() returns them in that order and ends the batch. What it returns is valid until more is
    // added. By default they are those of evaluate_successors().
    virtual void add_to_batch(const Successors& successors);
    virtual std::span<const float> evaluate_batch();

    // After evaluate_successors(): 1 for each successor that the heuristic prefers; empty where it has no preferences.
    virtual std::span<const std::uint8_t> preferred() const { return {}; }

    // What it has done so far beyond a few steps for each estimate, in units that take about as long as generating a
    // successor. It follows from what was evaluated, not from a clock.
    virtual std::uint64_t work() const { return 0; }

protected:
    std::span<const Fact> changes(const Successors& successors, std::size_t i) const {
        return successors.changes ? (*successors.changes)[i] : effects_[index(successors.operators[i])];
    }

private:
    Csr<Fact> effects_;  // by operator; empty where they depend on the state
    std::vector<Value> scratch_;
    std::vector<Estimate> estimates_;
    std::vector<float> batch_;
    bool is_batch_over_ = false;
};

}  // namespace sing
