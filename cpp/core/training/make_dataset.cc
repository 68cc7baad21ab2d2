#include "training/make_dataset.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace sing {
namespace {

// A dataset whose labels are counted and not there yet. `state_at(row)` gives the values of one state; it is called
// twice for each.
template <typename StateAt>
Dataset make_inputs(const Features& features, std::size_t size, std::size_t num_outputs, const Guard& guard,
                    StateAt state_at) {
    const auto for_inputs = [&](std::size_t row, auto visit) {
        const std::span<const Value> state = state_at(row);
        for (std::size_t variable = 0; variable < state.size(); ++variable)
            if (const Feature& feature = features.of(variable, state[variable]);
                feature.input != Feature::NONE && feature.coefficient != 0)
                visit(feature);
        guard.poll(1 + state.size());
    };
    std::size_t num_entries = 0;  // counted first: growing would hold the data twice
    for (std::size_t row = 0; row < size; ++row) for_inputs(row, [&](const Feature&) { ++num_entries; });
    Dataset data;
    data.num_inputs = features.num_inputs();
    data.num_outputs = num_outputs;
    const bool is_binary = features.is_binary();
    guard.take(num_entries * (sizeof(data.inputs[0]) + (is_binary ? 0 : sizeof(float))));
    guard.take(size * (sizeof(data.offsets[0]) + num_outputs * sizeof(data.labels[0])));
    data.inputs.reserve(num_entries);
    if (!is_binary) data.coefficients.reserve(num_entries);
    data.offsets.reserve(size + 1);
    for (std::size_t row = 0; row < size; ++row) {
        for_inputs(row, [&](const Feature& feature) {
            data.inputs.push_back(feature.input);
            if (!is_binary) data.coefficients.push_back(feature.coefficient);
        });
        data.offsets.push_back(data.inputs.size());
    }
    return data;
}

void require_same_task(bool condition) {
    if (!condition) throw std::invalid_argument("the features are those of another task");
}

}  // namespace

Dataset make_dataset(const Samples& samples, const StatePacker& packer, std::span<const std::uint32_t> chosen,
                     const Features& features, const Guard& guard) {
    require_same_task(features.num_variables() == packer.num_variables());
    if (std::ranges::any_of(features.constant(), [](float constant) { return constant != 0; }))
        throw std::invalid_argument("samples are trained on in the search space they come from");
    if (std::ranges::any_of(chosen, [&](std::uint32_t sample) { return sample >= samples.size(); }))
        throw std::out_of_range("there is no such sample");
    std::vector<Value> state(packer.num_variables());
    Dataset data = make_inputs(features, chosen.size(), 1, guard, [&](std::size_t row) {
        samples.unpack(chosen[row], packer, state);
        return std::span<const Value>(state);
    });
    data.labels.reserve(chosen.size());
    for (std::uint32_t sample : chosen) data.labels.push_back(static_cast<float>(samples.labels[sample]));
    return data;
}

Dataset make_dataset(const GoalSamples& samples, const Features& features, const Guard& guard) {
    const std::size_t num_variables = features.num_variables();
    require_same_task(samples.states.size() == samples.size * num_variables);
    const std::size_t num_outputs = samples.labels.size() / std::max<std::size_t>(samples.size, 1);
    Dataset data = make_inputs(features, samples.size, num_outputs, guard, [&](std::size_t row) {
        return std::span(samples.states).subspan(row * num_variables, num_variables);
    });
    data.labels = samples.labels;
    return data;
}

}  // namespace sing
