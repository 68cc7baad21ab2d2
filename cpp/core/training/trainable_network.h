// A network whose weights move: forward, backward and a step of Adam, a batch at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "networks/aligned.h"
#include "networks/mlp.h"
#include "training/dataset.h"

namespace sing {

// The cost of a batch follows the entries of its samples: the first layer sums and updates only the
// rows of inputs that are not 0. Rows that a batch does not touch rest (the means of their gradients
// decay all the same), so a step differs from dense Adam only where inputs are rare.
class TrainableNetwork {
public:
    // At least one hidden layer. Throws std::invalid_argument where the network is malformed.
    explicit TrainableNetwork(const Mlp& mlp);

    // The outputs for these samples, [samples, num_outputs]; kept for backward().
    std::span<const float> forward(const Dataset& data, std::span<const std::uint32_t> samples);
    // Adds the gradients of a loss whose derivatives by the last outputs are given.
    void backward(const Dataset& data, std::span<const std::uint32_t> samples, std::span<const float> slopes);
    // One step of Adam, for the weights of the first layer at the rate times a factor; the gradients become 0.
    void step(float learning_rate, float first_factor);

    Mlp weights() const { return to_mlp(&Tensor::values); }
    Mlp gradients() const { return to_mlp(&Tensor::gradients); }

private:
    // Weights with their gradients and what Adam remembers of these.
    struct Tensor {
        AlignedFloats values, gradients, means, squares;
        void resize(std::size_t size) {
            for (AlignedFloats* floats : {&values, &gradients, &means, &squares}) floats->assign(size, 0);
        }
    };
    struct Hidden {
        std::size_t inputs, outputs;  // padded
        Tensor weights;               // [inputs, outputs]
        Tensor biases;
        AlignedFloats transposed;  // [outputs, inputs]
    };

    Mlp to_mlp(AlignedFloats Tensor::* field) const;
    void transpose(Hidden& hidden) const;
    void touch(std::span<const std::uint32_t> inputs);

    std::vector<std::size_t> sizes_;  // inputs, hidden layers, outputs; not padded
    std::size_t first_width_;
    Tensor first_rows_;  // [inputs, first_width_]
    Tensor first_biases_;
    std::vector<Hidden> hidden_;  // after the first
    Tensor last_weights_;         // [outputs, width]: transposed
    Tensor last_biases_;

    std::vector<AlignedFloats> activations_;  // of each hidden layer, [batch, width]
    std::vector<AlignedFloats> deltas_;       // their derivatives
    std::vector<float> outputs_;
    AlignedFloats zeros_;

    std::int64_t num_steps_ = 0;
    std::vector<std::uint32_t> touched_;   // inputs with a gradient now
    std::vector<bool> is_touched_;         // by input
    std::vector<std::int64_t> last_step_;  // by input: when its row last moved
};

}  // namespace sing
