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
    rows_of_state_.resize(task.variables.size());
    summands_.resize(task.variables.size());
    if (!task.has_fixed_effects()) return;
    effects_.reserve(task.operators.size(), task.num_effects());
    for (const Operator& op : task.operators) {
        for (const Effect& effect : op.effects)
            effects_.push({effect.fact.variable, row_of_fact_[fact_id_(effect.fact)]});
        effects_.close_row();
        guard.poll(1 + op.effects.size());
    }
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

void Accumulator::successor_rows(const Successors& successors, float* rows) {
    if (successors.changes)
        list_changes(*successors.changes);
    else
        list_effects(successors.operators);
    kernels().change_rows(row_.data(), rows_.data(), {added_.data(), removed_.data(), offsets_.data()},
                          successors.operators.size(), width_, rows);
}

void Accumulator::make_room(std::size_t num_changes, std::size_t num_successors) {
    if (added_.size() < num_changes) {
        added_.resize(num_changes);
        removed_.resize(num_changes);
    }
    offsets_.resize(num_successors + 1);
}

void Accumulator::list_changes(const Csr<Fact>& changes) {
    make_room(changes.items().size(), changes.num_rows());
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < changes.num_rows(); ++i) {
        for (const Fact& fact : changes[i]) {
            added_[count] = row_of_fact_[fact_id_(fact)];
            removed_[count] = rows_of_state_[static_cast<std::size_t>(fact.variable)];
            count += removed_[count] != added_[count];
        }
        offsets_[i + 1] = count;
    }
}

void Accumulator::list_effects(std::span<const OperatorId> operators) {
    std::size_t most = 0;
    for (OperatorId op : operators) most += effects_[index(op)].size();
    make_room(most, operators.size());
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
}

}  // namespace sing
