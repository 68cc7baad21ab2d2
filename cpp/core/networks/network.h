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
    std::span<const float> evaluate_successors(const Successors& successors);

private:
    Accumulator accumulator_;
    Layers layers_;
    AlignedFloats rows_;
    std::vector<float> outputs_;
};

// The output of a network with one output, rounded to whole steps and at least 0.
class NetworkHeuristic : public Heuristic {
public:
    NetworkHeuristic(const Task& task, const Features& features, const Mlp& mlp, const Guard& guard);
    Estimate evaluate(std::span<const Value> state) override;
    void evaluate_successors(const Successors& successors, std::span<Estimate> estimates) override;

private:
    Network network_;
};

// The same for a network that something else evaluates: it is given input vectors, [count, inputs],
// and fills in one output for each.
class ForeignNetworkHeuristic : public Heuristic {
public:
    using Evaluate = std::function<void(std::span<const float> inputs, std::span<float> outputs)>;

    ForeignNetworkHeuristic(const Task& task, const Features& features, Evaluate evaluate, const Guard& guard);
    Estimate evaluate(std::span<const Value> state) override;
    void evaluate_successors(const Successors& successors, std::span<Estimate> estimates) override;

private:
    void run(std::span<Estimate> estimates);

    Features features_;
    Evaluate evaluate_;
    std::vector<float> inputs_;
    std::vector<float> outputs_;
};

// A network's output as an estimate: rounded, 0 or more, and never DEAD_END, not even from NaN.
Estimate to_estimate(float output);

}  // namespace sing
