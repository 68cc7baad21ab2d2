// The layers of a network after the first, for many rows at once.
#pragma once

#include <span>
#include <vector>

#include "networks/aligned.h"
#include "networks/mlp.h"

namespace sing {

// The weights of a last layer as Kernels::dots wants them: [outputs, padded(inputs)], 0 where a row is padded.
AlignedFloats transposed_weights(const DenseLayer& layer);

// The hidden layers after the first.
class HiddenLayers {
public:
    // `layers` follow a layer whose rows have padded(width) numbers; there may be none.
    HiddenLayers(std::span<const DenseLayer> layers, std::size_t width);

    // Of the rows that evaluate() returns, padded.
    std::size_t width() const { return layers_.empty() ? first_width_ : layers_.back().outputs; }
    // From the rows of the first layer before ReLU, [count, padded(width)], to those of the last hidden layer before
    // ReLU, [count, width()]. Overwrites the first. What is returned is valid until the next call, and is the first
    // rows themselves where there are no layers.
    const float* evaluate(float* rows, std::size_t count);

private:
    struct Layer {
        std::size_t inputs, outputs;  // padded
        AlignedFloats weights;        // [inputs, outputs]
        AlignedFloats biases;
        bool is_residual;
    };
    std::size_t first_width_;
    std::vector<Layer> layers_;
    // What a layer is given, what it gives, and what was given to the layer before it.
    AlignedFloats buffers_[3];
};

// All layers after the first.
class Layers {
public:
    // As above; where there are none, the first layer's rows are the outputs.
    Layers(std::span<const DenseLayer> layers, std::size_t width);

    std::size_t num_outputs() const { return num_outputs_; }
    // From the rows of the first layer before ReLU, [count, padded(width)], which are overwritten,
    // to [count, num_outputs].
    void evaluate(float* rows, std::size_t count, float* outputs);

private:
    std::size_t num_outputs_;
    bool is_linear_;  // no layer follows the first
    HiddenLayers hidden_;
    AlignedFloats last_weights_;  // transposed
    std::vector<float> last_biases_;
};

}  // namespace sing
