// One voice per goal: a network with an estimate for each goal fact, summed over those that do not hold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "goals/goals.h"
#include "heuristics/heuristic.h"
#include "networks/accumulator.h"
#include "networks/layers.h"
#include "networks/mlp.h"

namespace sing {

// h = Σ over open goals of max(1, what the goal's head says), rounded. Heads share the hidden layers. For the
// successors of a state only those heads are evaluated that are open there or that one of the operators opens.
//
// A successor is preferred where its operator achieves a goal, or where an open voice falls by more than 0.6 of a step.
class VoicesHeuristic : public Heuristic {
public:
    // At least one hidden layer, and one output for each goal fact in the order of the task. Throws
    // std::invalid_argument for a network of another shape.
    VoicesHeuristic(const Task& task, const Features& features, const Mlp& mlp, const Guard& guard);

    Estimate evaluate(std::span<const Value> state) override;
    void evaluate_successors(const Successors& successors, std::span<Estimate> estimates) override;
    std::span<const std::uint8_t> preferred() const override { return preferred_; }

private:
    using Head = GoalId;  // each goal has a head in the same position
    static constexpr std::uint32_t NOT_CHOSEN = 0xFFFF'FFFFu;

    void choose_heads(const Successors& successors);
    // The outputs of the chosen heads for rows of the first layer, which are overwritten; [rows, chosen heads].
    void evaluate_heads(AlignedFloats& rows, std::size_t num_rows, std::vector<float>& outputs);
    // The same for the state that the accumulator was refreshed with; it stays as it is.
    void evaluate_heads_of_state(std::vector<float>& outputs);

    Goals goals_;
    Accumulator accumulator_;
    HiddenLayers hidden_;
    AlignedFloats weights_;  // [goals, width of the last hidden layer]
    std::vector<float> biases_;

    std::vector<Head> chosen_;  // heads evaluated for the present parent: first those that are open there
    std::size_t num_open_ = 0;
    std::vector<std::uint32_t> place_;  // by head: its position among the chosen, or NOT_CHOSEN
    AlignedFloats chosen_weights_;
    std::vector<float> chosen_biases_;
    AlignedFloats state_row_, rows_;
    std::vector<float> parent_outputs_, outputs_;
    std::vector<std::uint8_t> preferred_;
};

}  // namespace sing
