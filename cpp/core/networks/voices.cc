#include "networks/voices.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "networks/network.h"

namespace sing {

namespace {

// A voice that falls by less may be noise.
constexpr float LEAST_FALL = 0.6f;

const DenseLayer& checked_first(const Mlp& mlp, std::size_t num_goals) {
    mlp.check();
    if (mlp.layers.size() < 2 || mlp.num_outputs() != num_goals)
        throw std::invalid_argument("voices need a hidden layer and one output for each of the " +
                                    std::to_string(num_goals) + " goals");
    return mlp.layers.front();
}

float voice(float output) { return std::max(output, 1.0f); }

// Calls visit(GoalEffect) for what the i-th successor changes.
template <typename Visit>
void for_goal_effects(const Goals& goals, const Successors& successors, std::size_t i, const Visit& visit) {
    if (successors.changes)
        goals.for_effects((*successors.changes)[i], visit);
    else
        for (const GoalEffect& effect : goals.effects(successors.operators[i])) visit(effect);
}

}  // namespace

VoicesHeuristic::VoicesHeuristic(const Task& task, const Features& features, const Mlp& mlp, const Guard& guard)
    : Heuristic(task, guard),
      goals_(task, guard),
      accumulator_(task, features, checked_first(mlp, task.goal.size()), guard),
      hidden_(std::span(mlp.layers).subspan(1, mlp.layers.size() - 2), mlp.layers.front().num_outputs),
      weights_(transposed_weights(mlp.layers.back())),
      biases_(mlp.layers.back().biases),
      place_(task.goal.size(), NOT_CHOSEN) {}

Estimate VoicesHeuristic::evaluate(std::span<const Value> state) {
    accumulator_.refresh(state);
    choose_heads({state, {}});
    evaluate_heads_of_state(outputs_);
    float sum = 0;
    for (float output : outputs_) sum += voice(output);
    return to_estimate(sum);
}

void VoicesHeuristic::choose_heads(const Successors& successors) {
    for (Head head : chosen_) place_[head] = NOT_CHOSEN;
    chosen_.clear();
    auto choose = [&](Head head) {
        place_[head] = static_cast<std::uint32_t>(chosen_.size());
        chosen_.push_back(head);
    };
    for (Head head = 0; head < goals_.size(); ++head)
        if (goals_.is_open(head, successors.parent)) choose(head);
    num_open_ = chosen_.size();
    for (std::size_t i = 0; i < successors.operators.size(); ++i)
        for_goal_effects(goals_, successors, i, [&](const GoalEffect& effect) {
            if (!effect.achieves && place_[effect.goal] == NOT_CHOSEN) choose(effect.goal);
        });
    const std::size_t width = hidden_.width();
    chosen_weights_.resize(chosen_.size() * width);
    chosen_biases_.resize(chosen_.size());
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
        std::copy_n(weights_.data() + chosen_[i] * width, width, chosen_weights_.data() + i * width);
        chosen_biases_[i] = biases_[chosen_[i]];
    }
}

void VoicesHeuristic::evaluate_heads(AlignedFloats& rows, std::size_t num_rows, std::vector<float>& outputs) {
    const float* last_rows = hidden_.evaluate(rows.data(), num_rows);
    outputs.resize(num_rows * chosen_.size());
    kernels().dots(last_rows, chosen_weights_.data(), chosen_biases_.data(), num_rows, hidden_.width(), chosen_.size(),
                   outputs.data());
}

void VoicesHeuristic::evaluate_heads_of_state(std::vector<float>& outputs) {
    state_row_.assign(accumulator_.row(), accumulator_.row() + accumulator_.width());
    evaluate_heads(state_row_, 1, outputs);
}

void VoicesHeuristic::evaluate_successors(const Successors& successors, std::span<Estimate> estimates) {
    const std::size_t count = successors.operators.size();
    accumulator_.refresh(successors.parent);
    rows_.resize(count * accumulator_.width());
    accumulator_.successor_rows(successors, rows_.data());
    choose_heads(successors);
    evaluate_heads_of_state(parent_outputs_);
    evaluate_heads(rows_, count, outputs_);
    preferred_.assign(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
        const float* outputs = outputs_.data() + i * chosen_.size();
        float sum = 0;
        bool preferred = false;
        for (std::size_t k = 0; k < num_open_; ++k) {
            sum += voice(outputs[k]);
            preferred |= outputs[k] < parent_outputs_[k] - LEAST_FALL;
        }
        for_goal_effects(goals_, successors, i, [&](const GoalEffect& effect) {
            const std::uint32_t place = place_[effect.goal];
            if (effect.achieves && place < num_open_) {
                sum -= voice(outputs[place]);
                preferred = true;
            }
            if (!effect.achieves && place >= num_open_) sum += voice(outputs[place]);
        });
        estimates[i] = to_estimate(sum);
        preferred_[i] = preferred;
    }
}

}  // namespace sing
