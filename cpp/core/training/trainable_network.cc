#include "training/trainable_network.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sing {
namespace {

constexpr double BETA1 = 0.9, BETA2 = 0.999, EPSILON = 1e-8;

// sums[j] += Σ rows[i, j]
void add_columns(std::span<const float> rows, std::size_t width, float* sums) {
    for (std::size_t i = 0; i < rows.size(); i += width)
        for (std::size_t j = 0; j < width; ++j) sums[j] += rows[i + j];
}

// base^exponent by products alone: std::pow may round differently from library to library.
double power(double base, std::int64_t exponent) {
    double result = 1;
    for (; exponent > 0; exponent /= 2, base *= base)
        if (exponent % 2 == 1) result *= base;
    return result;
}

}  // namespace

TrainableNetwork::TrainableNetwork(const Mlp& mlp) {
    mlp.check();
    if (mlp.layers.size() < 2) throw std::invalid_argument("training needs at least one hidden layer");
    sizes_.push_back(mlp.num_inputs());
    for (const DenseLayer& layer : mlp.layers) sizes_.push_back(layer.num_outputs);
    auto fill = [](const DenseLayer& layer, std::size_t width, Tensor& weights, std::size_t rows, Tensor& biases) {
        weights.resize(rows * width);
        biases.resize(width);
        for (std::size_t i = 0; i < layer.num_inputs; ++i)
            std::copy_n(layer.weights.data() + i * layer.num_outputs, layer.num_outputs,
                        weights.values.data() + i * width);
        std::ranges::copy(layer.biases, biases.values.begin());
    };
    first_width_ = padded(sizes_[1]);
    fill(mlp.layers.front(), first_width_, first_rows_, sizes_[0], first_biases_);
    for (std::size_t i = 1; i + 1 < mlp.layers.size(); ++i) {
        Hidden& hidden = hidden_.emplace_back();
        hidden.inputs = padded(sizes_[i]);
        hidden.outputs = padded(sizes_[i + 1]);
        fill(mlp.layers[i], hidden.outputs, hidden.weights, hidden.inputs, hidden.biases);
        transpose(hidden);
    }
    const DenseLayer& last = mlp.layers.back();
    const std::size_t width = padded(last.num_inputs);
    last_weights_.resize(last.num_outputs * width);
    last_biases_.resize(last.num_outputs);
    for (std::size_t i = 0; i < last.num_inputs; ++i)
        for (std::size_t o = 0; o < last.num_outputs; ++o)
            last_weights_.values[o * width + i] = last.weights[i * last.num_outputs + o];
    std::ranges::copy(last.biases, last_biases_.values.begin());

    activations_.resize(hidden_.size() + 1);
    deltas_.resize(hidden_.size() + 1);
    zeros_.assign(std::max(first_width_, width), 0);
    for (const Hidden& hidden : hidden_)
        if (hidden.inputs > zeros_.size()) zeros_.assign(hidden.inputs, 0);
    is_touched_.assign(sizes_[0], false);
    last_step_.assign(sizes_[0], 0);
}

void TrainableNetwork::transpose(Hidden& hidden) const {
    hidden.transposed.resize(hidden.inputs * hidden.outputs);
    // In square tiles, so that both sides stay in the cache.
    for (std::size_t i = 0; i < hidden.inputs; i += LANE)
        for (std::size_t o = 0; o < hidden.outputs; o += LANE)
            for (std::size_t j = 0; j < LANE; ++j)
                for (std::size_t k = 0; k < LANE; ++k)
                    hidden.transposed[(o + k) * hidden.inputs + i + j] =
                        hidden.weights.values[(i + j) * hidden.outputs + o + k];
}

std::span<const float> TrainableNetwork::forward(const Dataset& data, std::span<const std::uint32_t> samples) {
    const Kernels& kernel = kernels();
    const std::size_t count = samples.size();
    AlignedFloats& first = activations_.front();
    first.resize(count * first_width_);
    for (std::size_t i = 0; i < count; ++i) {
        const std::span<const std::uint32_t> inputs = data.inputs_of(samples[i]);
        float* row = first.data() + i * first_width_;
        if (data.coefficients.empty())
            kernel.sum_rows(first_biases_.values.data(), first_rows_.values.data(), inputs.data(), inputs.size(),
                            first_width_, row);
        else
            kernel.sum_scaled_rows(first_biases_.values.data(), first_rows_.values.data(), inputs.data(),
                                   data.coefficients_of(samples[i]), inputs.size(), first_width_, row);
    }
    kernel.relu(first.data(), first.size());
    for (std::size_t k = 0; k < hidden_.size(); ++k) {
        const Hidden& hidden = hidden_[k];
        AlignedFloats& next = activations_[k + 1];
        next.resize(count * hidden.outputs);
        kernel.multiply(activations_[k].data(), hidden.weights.values.data(), hidden.biases.values.data(), count,
                        hidden.inputs, hidden.outputs, next.data());
        kernel.relu(next.data(), next.size());
    }
    const std::size_t num_outputs = sizes_.back();
    outputs_.resize(count * num_outputs);
    kernel.dots(activations_.back().data(), last_weights_.values.data(), last_biases_.values.data(), count,
                padded(sizes_[sizes_.size() - 2]), num_outputs, outputs_.data());
    return outputs_;
}

void TrainableNetwork::backward(const Dataset& data, std::span<const std::uint32_t> samples,
                                std::span<const float> slopes) {
    const Kernels& kernel = kernels();
    const std::size_t count = samples.size();
    const std::size_t num_outputs = sizes_.back();
    for (std::size_t k = 0; k < deltas_.size(); ++k) deltas_[k].resize(activations_[k].size());

    add_columns(slopes, num_outputs, last_biases_.gradients.data());
    kernel.dots_backward(activations_.back().data(), last_weights_.values.data(), slopes.data(), count,
                         padded(sizes_[sizes_.size() - 2]), num_outputs, deltas_.back().data(),
                         last_weights_.gradients.data());
    for (std::size_t k = hidden_.size(); k > 0; --k) {
        Hidden& hidden = hidden_[k - 1];
        kernel.relu_backward(activations_[k].data(), deltas_[k].data(), deltas_[k].size());
        add_columns(deltas_[k], hidden.outputs, hidden.biases.gradients.data());
        kernel.add_outer(activations_[k - 1].data(), deltas_[k].data(), count, hidden.inputs, hidden.outputs,
                         hidden.weights.gradients.data());
        kernel.multiply(deltas_[k].data(), hidden.transposed.data(), zeros_.data(), count, hidden.outputs,
                        hidden.inputs, deltas_[k - 1].data());
    }
    AlignedFloats& first = deltas_.front();
    kernel.relu_backward(activations_.front().data(), first.data(), first.size());
    add_columns(first, first_width_, first_biases_.gradients.data());
    for (std::size_t i = 0; i < count; ++i) {
        const std::span<const std::uint32_t> inputs = data.inputs_of(samples[i]);
        const float* delta = first.data() + i * first_width_;
        touch(inputs);
        if (data.coefficients.empty())
            kernel.scatter_row(delta, inputs.data(), inputs.size(), first_width_, first_rows_.gradients.data());
        else
            kernel.scatter_scaled_row(delta, inputs.data(), data.coefficients_of(samples[i]), inputs.size(),
                                      first_width_, first_rows_.gradients.data());
    }
}

void TrainableNetwork::touch(std::span<const std::uint32_t> inputs) {
    for (std::uint32_t input : inputs) {
        if (is_touched_[input]) continue;
        is_touched_[input] = true;
        touched_.push_back(input);
    }
}

void TrainableNetwork::step(float learning_rate, float first_factor) {
    ++num_steps_;
    const double correction1 = 1 - power(BETA1, num_steps_), correction2 = 1 - power(BETA2, num_steps_);
    AdamStep step{};
    step.step_size = static_cast<float>(learning_rate * std::sqrt(correction2) / correction1);
    step.epsilon = static_cast<float>(EPSILON * std::sqrt(correction2));
    step.decay1 = static_cast<float>(BETA1);
    step.decay2 = static_cast<float>(BETA2);
    step.gain1 = static_cast<float>(1 - BETA1);
    step.gain2 = static_cast<float>(1 - BETA2);
    auto move = [&](Tensor& tensor) {
        kernels().adam(step, tensor.values.data(), tensor.gradients.data(), tensor.means.data(), tensor.squares.data(),
                       tensor.values.size());
    };
    move(first_biases_);
    for (Hidden& hidden : hidden_) {
        move(hidden.weights);
        move(hidden.biases);
        transpose(hidden);
    }
    move(last_weights_);
    move(last_biases_);
    AdamStep first_step = step;
    first_step.step_size *= first_factor;
    for (std::uint32_t input : touched_) {
        const std::int64_t rested = num_steps_ - last_step_[input];
        AdamStep row_step = first_step;
        if (rested > 1) {
            row_step.decay1 = static_cast<float>(power(BETA1, rested));
            row_step.decay2 = static_cast<float>(power(BETA2, rested));
        }
        const std::size_t at = input * first_width_;
        kernels().adam(row_step, first_rows_.values.data() + at, first_rows_.gradients.data() + at,
                       first_rows_.means.data() + at, first_rows_.squares.data() + at, first_width_);
        last_step_[input] = num_steps_;
        is_touched_[input] = false;
    }
    touched_.clear();
}

Mlp TrainableNetwork::to_mlp(AlignedFloats Tensor::* field) const {
    Mlp mlp;
    auto add = [&](const Tensor& weights, const Tensor& biases, std::size_t width) {
        const std::size_t inputs = sizes_[mlp.layers.size()], outputs = sizes_[mlp.layers.size() + 1];
        DenseLayer layer{inputs, outputs, {}, {}};
        for (std::size_t i = 0; i < inputs; ++i) {
            const float* row = (weights.*field).data() + i * width;
            layer.weights.insert(layer.weights.end(), row, row + outputs);
        }
        layer.biases.assign((biases.*field).begin(), (biases.*field).begin() + static_cast<std::ptrdiff_t>(outputs));
        mlp.layers.push_back(std::move(layer));
    };
    add(first_rows_, first_biases_, first_width_);
    for (const Hidden& hidden : hidden_) add(hidden.weights, hidden.biases, hidden.outputs);

    const std::size_t inputs = sizes_[sizes_.size() - 2], outputs = sizes_.back();
    DenseLayer last{inputs, outputs, std::vector<float>(inputs * outputs), {}};
    for (std::size_t i = 0; i < inputs; ++i)
        for (std::size_t o = 0; o < outputs; ++o)
            last.weights[i * outputs + o] = (last_weights_.*field)[o * padded(inputs) + i];
    last.biases.assign((last_biases_.*field).begin(), (last_biases_.*field).end());
    mlp.layers.push_back(std::move(last));
    return mlp;
}

}  // namespace sing
