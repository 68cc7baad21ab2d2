#include "networks/accumulator.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace sing {

Accumulator::Accumulator(const Task& task, const Features& features, const DenseLayer& layer, const Guard& guard)
    : fact_id_(task),
      width_(padded(layer.num_outputs)),
      biases_(width_),
      rows_(width_),
      effects_(guard.memory()),
      row_(width_) {
    if (features.num_inputs() != layer.num_inputs)
        throw std::invalid_argument("the network has " + std::to_string(layer.num_inputs) +
                                    " inputs, the features have " + std::to_string(features.num_inputs()));
    std::ranges::copy(layer.biases, biases_.begin());
    for (std::size_t input = 0; input < layer.num_inputs; ++input)
        if (const float constant = features.constant()[input]; constant != 0)
            for (std::size_t i = 0; i < layer.num_outputs; ++i)
                biases_[i] += constant * layer.weights[input * layer.num_outputs + i];
    for (FactId fact = 0; fact < fact_id_.num_facts(); ++fact) {
        const Feature& feature = features.of(fact);
        if (feature.input == Feature::NONE || feature.coefficient == 0) {
            row_of_fact_.push_back(ZERO_ROW);
            continue;
        }
        row_of_fact_.push_back(static_cast<RowId>(rows_.size() / width_));
        guard.poll(width_);
        const float* weights = layer.weights.data() + feature.input * layer.num_outputs;
        for (std::size_t i = 0; i < width_; ++i)
            rows_.push_back(i < layer.num_outputs ? feature.coefficient * weights[i] : 0.0f);
    }
    effects_.reserve(task.operators.size(), task.num_effects());
    for (const Operator& op : task.operators) {
        for (const Effect& effect : op.effects)
            effects_.push({effect.fact.variable, row_of_fact_[fact_id_(effect.fact)]});
        effects_.close_row();
        guard.poll(1 + op.effects.size());
    }
    rows_of_state_.resize(task.variables.size());
    summands_.resize(task.variables.size());
}

void Accumulator::refresh(std::span<const Value> state) {
    std::size_t count = 0;
    for (std::size_t variable = 0; variable < state.size(); ++variable) {
        const RowId row = row_of_fact_[fact_id_(variable, state[variable])];
        rows_of_state_[variable] = row;
        summands_[count] = row;
        count += row != ZERO_ROW;
    }
    kernels().sum_rows(biases_.data(), rows_.data(), summands_.data(), count, width_, row_.data());
}

void Accumulator::successor_rows(std::span<const OperatorId> operators, float* rows) {
    std::size_t most = 0;
    for (OperatorId op : operators) most += effects_[index(op)].size();
    if (added_.size() < most) {
        added_.resize(most);
        removed_.resize(most);
    }
    offsets_.resize(operators.size() + 1);
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        for (const RowEffect& effect : effects_[index(operators[i])]) {
            const RowId before = rows_of_state_[static_cast<std::size_t>(effect.variable)];
            added_[count] = effect.row;
            removed_[count] = before;
            count += before != effect.row;  // without a branch that cannot be foreseen
        }
        offsets_[i + 1] = count;
    }
    kernels().change_rows(row_.data(), rows_.data(), {added_.data(), removed_.data(), offsets_.data()},
                          operators.size(), width_, rows);
}

}  // namespace sing
