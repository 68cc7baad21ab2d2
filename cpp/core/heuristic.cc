#include "heuristic.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "ff_heuristic.h"
#include "goal_count.h"

namespace sing {

Heuristic::Heuristic(const Task& task) {
    task.require_supported();
    for (const Operator& op : task.operators) {
        for (const Effect& effect : op.effects) effects_.push(effect.fact);
        effects_.close_row();
    }
}

void Heuristic::evaluate_successors(const Successors& successors, std::span<Estimate> estimates) {
    scratch_.assign(successors.parent.begin(), successors.parent.end());
    for (std::size_t i = 0; i < successors.operators.size(); ++i) {
        const std::span<const Fact> changes = effects(successors.operators[i]);
        for (const Fact& fact : changes) scratch_[static_cast<std::size_t>(fact.variable)] = fact.value;
        estimates[i] = evaluate(scratch_);
        for (const Fact& fact : changes) {
            const auto variable = static_cast<std::size_t>(fact.variable);
            scratch_[variable] = successors.parent[variable];
        }
    }
}

namespace {

// Knows nothing: every state is as far as any other.
class BlindHeuristic : public Heuristic {
public:
    using Heuristic::Heuristic;
    Estimate evaluate(std::span<const Value>) override { return 0; }
    void evaluate_successors(const Successors&, std::span<Estimate> estimates) override {
        std::ranges::fill(estimates, 0);
    }
};

// The number of goals that do not hold.
class GoalCountHeuristic : public Heuristic {
public:
    explicit GoalCountHeuristic(const Task& task) : Heuristic(task), goals_(task) {}
    Estimate evaluate(std::span<const Value> state) override { return goals_.unsatisfied(state); }
    void evaluate_successors(const Successors& successors, std::span<Estimate> estimates) override {
        const Estimate parent = goals_.unsatisfied(successors.parent);
        for (std::size_t i = 0; i < estimates.size(); ++i)
            estimates[i] = parent + goals_.change(successors.parent, successors.operators[i]);
    }

private:
    GoalCount goals_;
};

}  // namespace

std::unique_ptr<Heuristic> make_heuristic(std::string_view name, const Task& task) {
    if (name == "blind") return std::make_unique<BlindHeuristic>(task);
    if (name == "goalcount") return std::make_unique<GoalCountHeuristic>(task);
    if (name == "ff") return std::make_unique<FFHeuristic>(task);
    throw std::invalid_argument("there is no heuristic '" + std::string(name) + "'; there are blind, goalcount, ff");
}

}  // namespace sing
