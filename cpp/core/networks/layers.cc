#include "networks/layers.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace sing {

AlignedFloats transposed_weights(const DenseLayer& layer) {
    const std::size_t inputs = padded(layer.num_inputs);
    AlignedFloats weights(layer.num_outputs * inputs);
    for (std::size_t i = 0; i < layer.num_inputs; ++i)
        for (std::size_t o = 0; o < layer.num_outputs; ++o)
            weights[o * inputs + i] = layer.weights[i * layer.num_outputs + o];
    return weights;
}

HiddenLayers::HiddenLayers(std::span<const DenseLayer> layers, std::size_t width) : first_width_(padded(width)) {
    for (const DenseLayer& dense : layers) {
        Layer layer{padded(dense.num_inputs), padded(dense.num_outputs), {}, {}, dense.is_residual};
        layer.weights.resize(layer.inputs * layer.outputs);
        layer.biases.resize(layer.outputs);
        for (std::size_t i = 0; i < dense.num_inputs; ++i)
            std::copy_n(dense.weights.data() + i * dense.num_outputs, dense.num_outputs,
                        layer.weights.data() + i * layer.outputs);
        std::ranges::copy(dense.biases, layer.biases.begin());
        layers_.push_back(std::move(layer));
    }
}

const float* HiddenLayers::evaluate(float* rows, std::size_t count) {
    const Kernels& kernel = kernels();
    std::size_t turn = 0;
    const float* before = nullptr;  // what the layer before was given, after ReLU
    for (const Layer& layer : layers_) {
        kernel.relu(rows, count * layer.inputs);
        AlignedFloats& buffer = buffers_[turn];
        turn = (turn + 1) % std::size(buffers_);
        if (buffer.size() < count * layer.outputs) buffer.resize(count * layer.outputs);
        kernel.multiply(rows, layer.weights.data(), layer.biases.data(), count, layer.inputs, layer.outputs,
                        buffer.data());
        if (layer.is_residual)
            std::transform(before, before + count * layer.outputs, buffer.data(), buffer.data(), std::plus<>());
        before = rows;
        rows = buffer.data();
    }
    return rows;
}

Layers::Layers(std::span<const DenseLayer> layers, std::size_t width)
    : num_outputs_(layers.empty() ? width : layers.back().num_outputs),
      is_linear_(layers.empty()),
      hidden_(layers.first(layers.empty() ? 0 : layers.size() - 1), width) {
    if (is_linear_) return;
    last_weights_ = transposed_weights(layers.back());
    last_biases_ = layers.back().biases;
}

void Layers::evaluate(float* rows, std::size_t count, float* outputs) {
    if (is_linear_) {
        for (std::size_t i = 0; i < count; ++i)
            std::copy_n(rows + i * hidden_.width(), num_outputs_, outputs + i * num_outputs_);
        return;
    }
    const float* last_rows = hidden_.evaluate(rows, count);
    kernels().dots(last_rows, last_weights_.data(), last_biases_.data(), count, hidden_.width(), num_outputs_, outputs);
}

}  // namespace sing
