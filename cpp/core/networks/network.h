// Networks as heuristics.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "heuristics/heuristic.h"
#include "networks/accumulator.h"
#include "networks/layers.h"

namespace sing {

// A network on the states of one task. It keeps scratch memory, so it serves one thread.
class Network {
public:
    // Throws std::invalid_argument where the network is malformed or does not fit the features.
    Network(const Task& task, const Features& features, const Mlp& mlp, const Guard& guard);

    std::size_t num_outputs() const { return layers_.num_outputs(); }
    // [num_outputs]
    std::span<const float> evaluate(std::span<const Value> state);
    // [successors, num_outputs]
    std::span<const float> evaluate_successors(const Successors& successors) {
        add(successors);
        return evaluate_added();
    }
    // The same for the successors of several states: [all that were added since the last time, num_outputs].
    void add(const Successors& successors);
    std::span<const float> evaluate_added();

private:
    Accumulator accumulator_;
    Layers layers_;
    AlignedFloats rows_;  // of the first layer
    std::size_t num_added_ = 0;
    std::vector<float> outputs_;
};

// The output of a network with one output, rounded to whole steps and at least 0.
class NetworkHeuristic : public Heuristic {
public:
    NetworkHeuristic(const Task& task, const Features& features, const Mlp& mlp, const Guard& guard);
    Estimate evaluate(std::span<const Value> state) override;
    void evaluate_successors(const Successors& successors, std::span<Estimate> estimates) override;
    void add_to_batch(const Successors& successors) override { network_.add(successors); }
    std::span<const float> evaluate_batch() override;

private:
    Network network_;
    std::vector<float> batch_;
};

// The same for a network that something else evaluates: it is given input vectors, [count, inputs],
// and fills in one output for each.
class ForeignNetworkHeuristic : public Heuristic {
public:
    using Evaluate = std::function<void(std::span<const float> inputs, std::span<float> outputs)>;

    ForeignNetworkHeuristic(const Task& task, const Features& features, Evaluate evaluate, const Guard& guard);
    Estimate evaluate(std::span<const Value> state) override;
    void evaluate_successors(const Successors& successors, std::span<Estimate> estimates) override;
    void add_to_batch(const Successors& successors) override;
    std::span<const float> evaluate_batch() override;

private:
    std::span<const float> run(std::size_t count);

    Features features_;
    Evaluate evaluate_;
    std::vector<float> inputs_;  // of the batch
    std::size_t num_added_ = 0;
    std::vector<float> outputs_;
};

// A network's output as an estimate: 0 or more, and never DEAD_END, not even from NaN. Rounded to whole steps, and as
// fine as it is.
Estimate to_estimate(float output);
float to_fine_estimate(float output);

}  // namespace sing
