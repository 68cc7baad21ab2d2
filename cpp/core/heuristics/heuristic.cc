#include "heuristics/heuristic.h"

#include <utility>

namespace sing {

Heuristic::Heuristic(const Task& task, const Guard& guard) : effects_(guard.memory()) {
    if (!task.has_fixed_effects()) return;
    effects_.reserve(task.operators.size(), task.num_effects());
    for (const Operator& op : task.operators) {
        for (const Effect& effect : op.effects) effects_.push(effect.fact);
        effects_.close_row();
        guard.poll(1 + op.effects.size());
    }
}

void Heuristic::evaluate_successors(const Successors& successors, std::span<Estimate> estimates) {
    scratch_.assign(successors.parent.begin(), successors.parent.end());
    for (std::size_t i = 0; i < successors.operators.size(); ++i) {
        const std::span<const Fact> facts = changes(successors, i);
        for (const Fact& fact : facts) scratch_[static_cast<std::size_t>(fact.variable)] = fact.value;
        estimates[i] = evaluate(scratch_);
        for (const Fact& fact : facts) {
            const auto variable = static_cast<std::size_t>(fact.variable);
            scratch_[variable] = successors.parent[variable];
        }
    }
}

void Heuristic::add_to_batch(const Successors& successors) {
    if (std::exchange(is_batch_over_, false)) batch_.clear();
    estimates_.resize(successors.operators.size());
    evaluate_successors(successors, estimates_);
    for (const Estimate estimate : estimates_)
        batch_.push_back(estimate == DEAD_END ? std::numeric_limits<float>::infinity() : static_cast<float>(estimate));
}

std::span<const float> Heuristic::evaluate_batch() {
    if (std::exchange(is_batch_over_, true)) batch_.clear();
    return batch_;
}

}  // namespace sing
