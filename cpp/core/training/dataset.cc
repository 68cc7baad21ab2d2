#include "training/dataset.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sing {

Dataset Dataset::subset(std::span<const std::uint32_t> positions) const {
    Dataset some;
    some.num_inputs = num_inputs;
    some.num_outputs = num_outputs;
    for (std::uint32_t position : positions) {
        const std::span<const std::uint32_t> own = inputs_of(position);
        some.inputs.insert(some.inputs.end(), own.begin(), own.end());
        if (!coefficients.empty())
            some.coefficients.insert(some.coefficients.end(), coefficients_of(position),
                                     coefficients_of(position) + own.size());
        some.offsets.push_back(some.inputs.size());
        some.labels.insert(some.labels.end(), labels_of(position).begin(), labels_of(position).end());
    }
    return some;
}

void Dataset::check() const {
    if (num_inputs == 0 || num_outputs == 0) throw std::invalid_argument("a dataset needs inputs and outputs");
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != inputs.size() || !std::ranges::is_sorted(offsets))
        throw std::invalid_argument("the offsets of a dataset must rise from 0 to the number of entries");
    if (!coefficients.empty() && coefficients.size() != inputs.size())
        throw std::invalid_argument("a dataset needs one coefficient per entry, or none");
    if (labels.size() != size() * num_outputs) throw std::invalid_argument("a dataset needs one label per output");
    if (std::ranges::any_of(inputs, [&](std::uint32_t input) { return input >= num_inputs; }))
        throw std::invalid_argument("a dataset has entries beyond its inputs");
    if (!std::ranges::all_of(coefficients, [](float x) { return std::isfinite(x); }))
        throw std::invalid_argument("a dataset has coefficients that are not finite");
    if (std::ranges::any_of(labels, [](float label) { return label < 0 || std::isinf(label); }))
        throw std::invalid_argument("labels must be 0 or more, or NaN for none");
}

}  // namespace sing
