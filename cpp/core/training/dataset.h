// Training samples as a network sees them: sparse input vectors with their labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sing {

// Sample i has input inputs[k] = coefficients[k] for k in [offsets[i], offsets[i + 1]), all others 0.
struct Dataset {
    std::size_t num_inputs = 0;
    std::size_t num_outputs = 1;
    std::vector<std::uint64_t> offsets{0};
    std::vector<std::uint32_t> inputs;
    std::vector<float> coefficients;  // empty: all are 1
    std::vector<float> labels;        // [size, num_outputs]; NaN: this output has no label here

    std::size_t size() const { return offsets.size() - 1; }
    std::span<const std::uint32_t> inputs_of(std::size_t sample) const {
        return std::span(inputs).subspan(offsets[sample], offsets[sample + 1] - offsets[sample]);
    }
    const float* coefficients_of(std::size_t sample) const { return coefficients.data() + offsets[sample]; }
    std::span<const float> labels_of(std::size_t sample) const {
        return std::span(labels).subspan(sample * num_outputs, num_outputs);
    }
    // The samples at these positions, as a dataset of their own.
    Dataset subset(std::span<const std::uint32_t> positions) const;
    // Throws std::invalid_argument where the arrays contradict each other.
    void check() const;
};

}  // namespace sing
