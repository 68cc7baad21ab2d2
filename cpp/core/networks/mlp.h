// A trained network as plain numbers: what the trainer returns and what model files hold.
#pragma once

#include <cstddef>
#include <vector>

namespace sing {

struct DenseLayer {
    std::size_t num_inputs = 0;
    std::size_t num_outputs = 0;
    std::vector<float> weights;  // [num_inputs, num_outputs], row by row
    std::vector<float> biases;   // [num_outputs]
    // Whether what the layer before it was given is added to its output: together they are a residual block.
    bool is_residual = false;
};

// Fully connected layers with ReLU between them; the last is linear.
struct Mlp {
    std::vector<DenseLayer> layers;

    std::size_t num_inputs() const { return layers.front().num_inputs; }
    std::size_t num_outputs() const { return layers.back().num_outputs; }
    bool is_finite() const;
    bool has_residuals() const;
    // Throws std::invalid_argument unless there are layers, they fit each other and all numbers are finite.
    void check() const;
};

}  // namespace sing
