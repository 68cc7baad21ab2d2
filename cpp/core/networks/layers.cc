#include "networks/layers.h"

#include <algorithm>

namespace sing {

Layers::Layers(std::span<const DenseLayer> layers, std::size_t width)
    : num_outputs_(layers.empty() ? width : layers.back().num_outputs),
      first_width_(padded(width)),
      is_linear_(layers.empty()) {
    if (is_linear_) return;
    for (const DenseLayer& layer : layers.first(layers.size() - 1)) {
        Hidden hidden{padded(layer.num_inputs), padded(layer.num_outputs), {}, {}};
        hidden.weights.resize(hidden.inputs * hidden.outputs);
        hidden.biases.resize(hidden.outputs);
        for (std::size_t i = 0; i < layer.num_inputs; ++i)
            std::copy_n(layer.weights.data() + i * layer.num_outputs, layer.num_outputs,
                        hidden.weights.data() + i * hidden.outputs);
        std::ranges::copy(layer.biases, hidden.biases.begin());
        hidden_.push_back(std::move(hidden));
    }
    const DenseLayer& last = layers.back();
    const std::size_t inputs = padded(last.num_inputs);
    last_weights_.resize(last.num_outputs * inputs);
    for (std::size_t i = 0; i < last.num_inputs; ++i)
        for (std::size_t o = 0; o < last.num_outputs; ++o)
            last_weights_[o * inputs + i] = last.weights[i * last.num_outputs + o];
    last_biases_ = last.biases;
}

void Layers::evaluate(float* rows, std::size_t count, float* outputs) {
    if (is_linear_) {
        for (std::size_t i = 0; i < count; ++i)
            std::copy_n(rows + i * first_width_, num_outputs_, outputs + i * num_outputs_);
        return;
    }
    const Kernels& kernel = kernels();
    std::size_t width = first_width_;
    std::size_t turn = 0;
    for (const Hidden& hidden : hidden_) {
        kernel.relu(rows, count * width);
        AlignedFloats& buffer = buffers_[turn];
        turn = 1 - turn;
        if (buffer.size() < count * hidden.outputs) buffer.resize(count * hidden.outputs);
        kernel.multiply(rows, hidden.weights.data(), hidden.biases.data(), count, hidden.inputs, hidden.outputs,
                        buffer.data());
        rows = buffer.data();
        width = hidden.outputs;
    }
    kernel.dots(rows, last_weights_.data(), last_biases_.data(), count, width, num_outputs_, outputs);
}

}  // namespace sing
