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

float to_fine_estimate(float output) {
    constexpr float largest = 1e9f;
    if (!(output < largest)) return largest;
    return output > 0 ? output : 0;
}

Estimate to_estimate(float output) { return static_cast<Estimate>(to_fine_estimate(output) + 0.5f); }

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

void Network::add(const Successors& successors) {
    const std::size_t count = successors.operators.size();
    const std::size_t width = accumulator_.width();
    if (rows_.size() < (num_added_ + count) * width) rows_.resize((num_added_ + count) * width);
    accumulator_.refresh(successors.parent);
    accumulator_.successor_rows(successors, rows_.data() + num_added_ * width);
    num_added_ += count;
}

std::span<const float> Network::evaluate_added() {
    const std::size_t count = std::exchange(num_added_, 0);
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

std::span<const float> NetworkHeuristic::evaluate_batch() {
    const std::span<const float> outputs = network_.evaluate_added();
    batch_.resize(outputs.size());
    std::ranges::transform(outputs, batch_.begin(), to_fine_estimate);
    return batch_;
}

ForeignNetworkHeuristic::ForeignNetworkHeuristic(const Task& task, const Features& features, Evaluate evaluate,
                                                 const Guard& guard)
    : Heuristic(task, guard), features_(features), evaluate_(std::move(evaluate)) {}

// The outputs for the first `count` rows of inputs, as estimates.
std::span<const float> ForeignNetworkHeuristic::run(std::size_t count) {
    outputs_.assign(count, 0);
    if (count > 0) evaluate_(std::span(inputs_).first(count * features_.num_inputs()), outputs_);
    std::ranges::transform(outputs_, outputs_.begin(), to_fine_estimate);
    return outputs_;
}

Estimate ForeignNetworkHeuristic::evaluate(std::span<const Value> state) {
    inputs_.assign(features_.constant().begin(), features_.constant().end());
    features_.add_inputs(state, inputs_);
    return to_estimate(run(1)[0]);
}

void ForeignNetworkHeuristic::evaluate_successors(const Successors& successors, std::span<Estimate> estimates) {
    add_to_batch(successors);
    std::ranges::transform(evaluate_batch(), estimates.begin(), to_estimate);
}

std::span<const float> ForeignNetworkHeuristic::evaluate_batch() { return run(std::exchange(num_added_, 0)); }

void ForeignNetworkHeuristic::add_to_batch(const Successors& successors) {
    const std::size_t count = successors.operators.size();
    if (count == 0) return;
    const std::size_t num_inputs = features_.num_inputs();
    if (inputs_.size() < (num_added_ + count) * num_inputs) inputs_.resize((num_added_ + count) * num_inputs);
    const std::span<float> rows = std::span(inputs_).subspan(num_added_ * num_inputs, count * num_inputs);
    num_added_ += count;
    std::ranges::copy(features_.constant(), rows.begin());
    features_.add_inputs(successors.parent, rows.first(num_inputs));
    for (std::size_t i = 1; i < count; ++i)
        std::copy_n(rows.begin(), num_inputs, rows.begin() + static_cast<std::ptrdiff_t>(i * num_inputs));
    for (std::size_t i = 0; i < count; ++i) {
        const auto row = rows.subspan(i * num_inputs, num_inputs);
        for (const Fact& fact : changes(successors, i)) {
            const auto variable = static_cast<std::size_t>(fact.variable);
            const Feature& before = features_.of(variable, successors.parent[variable]);
            const Feature& after = features_.of(variable, fact.value);
            if (before.input != Feature::NONE) row[before.input] -= before.coefficient;
            if (after.input != Feature::NONE) row[after.input] += after.coefficient;
        }
    }
}

}  // namespace sing
