// The layers of a network after the first, for many rows at once.
#pragma once

#include <span>
#include <vector>

#include "networks/aligned.h"
#include "networks/mlp.h"

namespace sing {

class Layers {
public:
    // `layers` follow a layer whose rows have padded(width) numbers; there may be none.
    Layers(std::span<const DenseLayer> layers, std::size_t width);

    std::size_t num_outputs() const { return num_outputs_; }
    // From the rows of the first layer before ReLU, [count, padded(width)], which are overwritten,
    // to [count, num_outputs].
    void evaluate(float* rows, std::size_t count, float* outputs);

private:
    struct Hidden {
        std::size_t inputs, outputs;  // padded
        AlignedFloats weights;        // [inputs, outputs]
        AlignedFloats biases;
    };
    std::size_t num_outputs_;
    std::size_t first_width_;
    bool is_linear_;  // no layer follows the first
    std::vector<Hidden> hidden_;
    AlignedFloats last_weights_;  // [num_outputs, inputs]: transposed, as Kernels::dots wants it
    std::vector<float> last_biases_;
    AlignedFloats buffers_[2];
};

}  // namespace sing
