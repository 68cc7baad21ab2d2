#include "translate/variable_order.h"

#include <algorithm>
#include <string>
#include <vector>

#include "translate/causal_graph.h"

namespace sing::translate {
namespace {

// Gives variables their new numbers and drops facts of variables without one.
class Renumbering {
public:
    Renumbering(const std::vector<std::int32_t>& order, std::size_t num_variables) : new_number_(num_variables, -1) {
        for (std::size_t i = 0; i < order.size(); ++i)
            new_number_[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    }

    bool has(std::int32_t variable) const { return new_number_[static_cast<std::size_t>(variable)] >= 0; }
    void apply(Fact& fact) const { fact.variable = new_number_[static_cast<std::size_t>(fact.variable)]; }
    void apply(std::vector<Fact>& facts) const {
        std::erase_if(facts, [&](Fact fact) { return !has(fact.variable); });
        for (Fact& fact : facts) apply(fact);
    }

private:
    std::vector<std::int32_t> new_number_;  // -1: dropped
};

bool is_of_one_variable(const std::vector<Fact>& facts) {
    return std::ranges::all_of(facts, [&](Fact fact) { return fact.variable == facts.front().variable; });
}

}  // namespace

void order_variables(Task& task, const VariableChoice& choice, const Guard& guard) {
    std::vector<std::int32_t> order;
    {
        const CausalGraph graph(task, guard);
        order = graph.order(task);
        const std::vector<char> is_relevant = graph.relevant(task);
        if (!choice.keeps_irrelevant)
            std::erase_if(order,
                          [&](std::int32_t variable) { return !is_relevant[static_cast<std::size_t>(variable)]; });
    }
    const Renumbering renumbering(order, task.variables.size());

    std::vector<Variable> variables;
    std::vector<Value> initial_state;
    for (std::int32_t variable : order) {
        variables.push_back(std::move(task.variables[static_cast<std::size_t>(variable)]));
        initial_state.push_back(task.initial_state[static_cast<std::size_t>(variable)]);
    }
    task.variables = std::move(variables);
    task.initial_state = std::move(initial_state);
    renumbering.apply(task.goal);
    std::ranges::sort(task.goal);
    std::erase_if(task.mutex_groups, [&](std::vector<Fact>& group) {
        guard.poll(1);
        renumbering.apply(group);
        return is_of_one_variable(group);
    });
    std::erase_if(task.operators, [&](Operator& op) {
        guard.poll(1);
        std::erase_if(op.effects, [&](const Effect& effect) { return !renumbering.has(effect.fact.variable); });
        for (Effect& effect : op.effects) {
            renumbering.apply(effect.fact);
            renumbering.apply(effect.conditions);
        }
        renumbering.apply(op.preconditions);
        std::ranges::sort(op.preconditions);
        return op.effects.empty() && !choice.keeps_no_ops;
    });
    std::erase_if(task.axioms, [&](Axiom& axiom) {
        guard.poll(1);
        if (!renumbering.has(axiom.fact.variable)) return true;
        renumbering.apply(axiom.fact);
        renumbering.apply(axiom.conditions);
        return false;
    });
}

}  // namespace sing::translate
