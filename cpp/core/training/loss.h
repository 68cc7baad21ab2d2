// What training minimises: the mean over all labels of one of these.
#pragma once

#include <cmath>

namespace sing {

enum class LossKind { RELATIVE_ERROR, SQUARED_ERROR };

struct Loss {
    LossKind kind;               // |ŷ - y| / (y + 1), or (ŷ - y)²
    float underestimate_weight;  // times the loss where ŷ < y

    float value(float estimate, float label) const {
        const float error = estimate - label;
        const float loss = kind == LossKind::RELATIVE_ERROR ? std::abs(error) / (label + 1) : error * error;
        return error < 0 ? underestimate_weight * loss : loss;
    }
    // The derivative by the estimate.
    float slope(float estimate, float label) const {
        const float error = estimate - label;
        const float sign = error > 0 ? 1.0f : error < 0 ? -1.0f : 0.0f;
        const float slope = kind == LossKind::RELATIVE_ERROR ? sign / (label + 1) : 2 * error;
        return error < 0 ? underestimate_weight * slope : slope;
    }
};

}  // namespace sing
