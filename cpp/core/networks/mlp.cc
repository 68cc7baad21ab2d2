#include "networks/mlp.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace sing {

bool Mlp::is_finite() const {
    auto finite = [](float x) { return std::isfinite(x); };
    return std::ranges::all_of(layers, [&](const DenseLayer& layer) {
        return std::ranges::all_of(layer.weights, finite) && std::ranges::all_of(layer.biases, finite);
    });
}

bool Mlp::has_residuals() const { return std::ranges::any_of(layers, &DenseLayer::is_residual); }

void Mlp::check() const {
    if (layers.empty()) throw std::invalid_argument("a network needs at least one layer");
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const DenseLayer& layer = layers[i];
        const std::string name = "layer " + std::to_string(i + 1);
        if (layer.num_inputs == 0 || layer.num_outputs == 0) throw std::invalid_argument(name + " is empty");
        if (i > 0 && layer.num_inputs != layers[i - 1].num_outputs)
            throw std::invalid_argument(name + " takes " + std::to_string(layer.num_inputs) +
                                        " numbers, the one before gives " + std::to_string(layers[i - 1].num_outputs));
        if (layer.weights.size() != layer.num_inputs * layer.num_outputs || layer.biases.size() != layer.num_outputs)
            throw std::invalid_argument(name + " has weights or biases of another shape");
        if (!layer.is_residual) continue;
        if (i < 2 || i + 1 == layers.size())
            throw std::invalid_argument(name +
                                        " cannot end a residual block: that takes two layers between the others");
        if (layer.num_outputs != layers[i - 1].num_inputs)
            throw std::invalid_argument(name + " ends a residual block that takes " +
                                        std::to_string(layers[i - 1].num_inputs) + " numbers, and gives " +
                                        std::to_string(layer.num_outputs));
        if (layers[i - 1].is_residual) throw std::invalid_argument(name + " ends a residual block within another");
    }
    if (!is_finite()) throw std::invalid_argument("a network holds numbers that are not finite");
}

}  // namespace sing
