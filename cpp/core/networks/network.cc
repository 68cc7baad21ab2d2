#include "networks/network.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sing {

namespace {

const DenseLayer& checked_first(const Mlp& mlp) {
    mlp.check();
    return mlp.layers.front();
}

}  // namespace

Estimate to_estimate(float output) {
    constexpr float largest = 1e9f;
    if (!(output < largest)) return static_cast<Estimate>(largest);
    return output > 0 ? static_cast<Estimate>(output + 0.5f) : 0;
}

Network::Network(const Task& task, const Features& features, const Mlp& mlp, const Guard& guard)
    : accumulator_(task, features, checked_first(mlp), guard),
      layers_(std::span(mlp.layers).subspan(1), mlp.layers.front().num_outputs) {}

std::span<const float> Network::evaluate(std::span<const Value> state) {
    accumulator_.refresh(state);
    rows_.assign(accumulator_.row(), accumulator_.row() + accumulator_.width());
    outputs_.resize(num_outputs());
    layers_.evaluate(rows_.data(), 1, outputs_.data());
    return outputs_;
}

std::span<const float> Network::evaluate_successors(const Successors& successors) {
    const std::size_t count = successors.operators.size();
    accumulator_.refresh(successors.parent);
    rows_.resize(count * accumulator_.width());
    accumulator_.successor_rows(successors, rows_.data());
    outputs_.resize(count * num_outputs());
    layers_.evaluate(rows_.data(), count, outputs_.data());
    return outputs_;
}

NetworkHeuristic::NetworkHeuristic(const Task& task, const Features& features, const Mlp& mlp, const Guard& guard)
    : Heuristic(task, guard), network_(task, features, mlp, guard) {
    if (network_.num_outputs() != 1)
        throw std::invalid_argument("a heuristic needs a network with one output, this one has " +
                                    std::to_string(network_.num_outputs()));
}

Estimate NetworkHeuristic::evaluate(std::span<const Value> state) { return to_estimate(network_.evaluate(state)[0]); }

void NetworkHeuristic::evaluate_successors(const Successors& successors, std::span<Estimate> estimates) {
    std::ranges::transform(network_.evaluate_successors(successors), estimates.begin(), to_estimate);
}

ForeignNetworkHeuristic::ForeignNetworkHeuristic(const Task& task, const Features& features, Evaluate evaluate,
                                                 const Guard& guard)
    : Heuristic(task, guard), features_(features), evaluate_(std::move(evaluate)) {}

void ForeignNetworkHeuristic::run(std::span<Estimate> estimates) {
    outputs_.assign(estimates.size(), 0);
    evaluate_(inputs_, outputs_);
    std::ranges::transform(outputs_, estimates.begin(), to_estimate);
}

Estimate ForeignNetworkHeuristic::evaluate(std::span<const Value> state) {
    inputs_.assign(features_.constant().begin(), features_.constant().end());
    features_.add_inputs(state, inputs_);
    Estimate estimate;
    run({&estimate, 1});
    return estimate;
}

void ForeignNetworkHeuristic::evaluate_successors(const Successors& successors, std::span<Estimate> estimates) {
    if (estimates.empty()) return;
    const std::size_t num_inputs = features_.num_inputs();
    inputs_.resize(estimates.size() * num_inputs);
    std::ranges::copy(features_.constant(), inputs_.begin());
    features_.add_inputs(successors.parent, std::span(inputs_).first(num_inputs));
    for (std::size_t i = 1; i < estimates.size(); ++i)
        std::copy_n(inputs_.begin(), num_inputs, inputs_.begin() + static_cast<std::ptrdiff_t>(i * num_inputs));
    for (std::size_t i = 0; i < estimates.size(); ++i) {
        const auto row = std::span(inputs_).subspan(i * num_inputs, num_inputs);
        for (const Fact& fact : changes(successors, i)) {
            const auto variable = static_cast<std::size_t>(fact.variable);
            const Feature& before = features_.of(variable, successors.parent[variable]);
            const Feature& after = features_.of(variable, fact.value);
            if (before.input != Feature::NONE) row[before.input] -= before.coefficient;
            if (after.input != Feature::NONE) row[after.input] += after.coefficient;
        }
    }
    run(estimates);
}

}  // namespace sing
