#include "training/dataset.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sing {

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
