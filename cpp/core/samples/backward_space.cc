#include "samples/backward_space.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace sing {

namespace {

const Fact* find_on(std::span<const Fact> facts, std::int32_t variable) {
    const auto found = std::ranges::find(facts, variable, &Fact::variable);
    return found == facts.end() ? nullptr : &*found;
}

bool changes(const Operator& op, std::int32_t variable) {
    return std::ranges::any_of(op.effects, [&](const Effect& effect) { return effect.fact.variable == variable; });
}

// The values before an effect without a precondition on its variable.
std::vector<Value> values_before(const Task& task, Fact after) {
    const Value domain_size = task.variables[static_cast<std::size_t>(after.variable)].domain_size();
    std::vector<Value> atoms, negations;
    for (Value value = 0; value < domain_size; ++value)
        if (value != after.value) (task.is_atom({after.variable, value}) ? atoms : negations).push_back(value);
    if (!atoms.empty()) return atoms;
    return negations.empty() ? std::vector<Value>{after.value} : negations;
}

InverseOperator inverse_of(const Task& task, const Operator& op) {
    InverseOperator inverse;
    for (const Fact& fact : op.preconditions)
        if (!changes(op, fact.variable)) inverse.preconditions.push_back(fact);
    for (const Effect& effect : op.effects) {
        const Fact after = effect.fact;
        if (task.is_atom(after)) inverse.preconditions.push_back(after);
        if (const Fact* before = find_on(op.preconditions, after.variable))
            inverse.effects.push_back({after.variable, {before->value}});
        else
            inverse.effects.push_back({after.variable, values_before(task, after)});
    }
    std::ranges::sort(inverse.preconditions);
    return inverse;
}

std::vector<std::vector<Fact>> preconditions_of(std::span<const InverseOperator> inverses) {
    std::vector<std::vector<Fact>> preconditions;
    for (const InverseOperator& inverse : inverses) preconditions.push_back(inverse.preconditions);
    return preconditions;
}

// Full states.
class ExplicitSpace : public BackwardSpace {
public:
    ExplicitSpace(const Task& task, bool consistent_starts, SuccessorGenerator generator)
        : task_(task), consistent_starts_(consistent_starts), generator_(std::move(generator)) {}

    bool draw_start(PartialState& state, Rng& rng) const override {
        for (std::size_t i = 0; i < task_.variables.size(); ++i) state.set(static_cast<std::int32_t>(i), UNDEFINED);
        for (const Fact& fact : task_.goal) state.set(fact.variable, fact.value);
        if (consistent_starts_) return state.complete_at_random(rng) && !state.has_conflict();
        for (std::size_t i = 0; i < task_.variables.size(); ++i) {
            const auto variable = static_cast<std::int32_t>(i);
            const auto domain_size = static_cast<std::uint32_t>(task_.variables[i].domain_size());
            if (state[variable] == UNDEFINED) state.set(variable, static_cast<Value>(rng.below(domain_size)));
        }
        return true;
    }

    void candidates(const PartialState& state, std::vector<OperatorId>& operators) const override {
        generator_.applicable(state.values(), operators);
    }

protected:
    const Task& task_;

private:
    bool consistent_starts_;
    SuccessorGenerator generator_;
};

class OriginalSpace : public ExplicitSpace {
public:
    OriginalSpace(const Task& task, bool consistent_starts)
        : ExplicitSpace(task, consistent_starts, SuccessorGenerator(task)) {}

    bool step(OperatorId op, PartialState& state, Rng&, std::vector<Change>& changes) const override {
        for (const Effect& effect : task_.operators[index(op)].effects)
            change(state, effect.fact.variable, effect.fact.value, changes);
        return true;
    }

    // A forward step is no inversion at all: it counts as exact, so that the share speaks of "ei".
    bool is_exact(OperatorId, const PartialState&, std::span<const Change>) const override { return true; }
};

class InverseSpace : public ExplicitSpace {
public:
    InverseSpace(const Task& task, bool consistent_starts, std::vector<InverseOperator> inverses)
        : ExplicitSpace(task, consistent_starts, SuccessorGenerator(task, preconditions_of(inverses))),
          inverses_(std::move(inverses)) {}

    bool step(OperatorId op, PartialState& state, Rng& rng, std::vector<Change>& changes) const override {
        for (const InverseEffect& effect : inverses_[index(op)].effects) {
            const std::size_t choice =
                effect.values.size() == 1 ? 0 : rng.below(static_cast<std::uint32_t>(effect.values.size()));
            change(state, effect.variable, effect.values[choice], changes);
        }
        return true;
    }

    bool is_exact(OperatorId op, const PartialState& state, std::span<const Change> changes) const override {
        const Operator& forward = task_.operators[index(op)];
        for (const Fact& fact : forward.preconditions)
            if (state[fact.variable] != fact.value) return false;
        auto after = [&](const Effect& effect) {
            const auto change = std::ranges::find(changes, effect.fact.variable, &Change::variable);
            return change == changes.end() ? state[effect.fact.variable] : change->before;
        };
        return std::ranges::all_of(forward.effects, [&](const Effect& e) { return after(e) == e.fact.value; });
    }

private:
    std::vector<InverseOperator> inverses_;
};

// Regression in the modified SAS+ of Alcázar et al. (2013): a partial state is a set of facts that
// must hold, and a step over an operator yields the weakest such set before it.
class RegressionSpace : public BackwardSpace {
public:
    explicit RegressionSpace(const Task& task)
        : goal_(task.goal), num_variables_(task.variables.size()), fact_id_(task), tree_(task) {
        UsageOrder order(task.variables.size());
        for (const Operator& op : task.operators) {
            for (const Effect& effect : op.effects) {
                const Fact* before = find_on(op.preconditions, effect.fact.variable);
                effects_.push({effect.fact.variable, before ? before->value : UNDEFINED, effect.fact.value});
            }
            effects_.close_row();
            for (const Fact& fact : op.preconditions)
                if (!changes(op, fact.variable)) prevail_.push(fact);
            prevail_.close_row();
            order.count(required_after(op));
        }
        Csr<Fact> conditions;  // by achievement
        std::vector<std::vector<ConditionTree::Item>> of_fact(fact_id_.num_facts());
        for (std::uint32_t op = 0; op < task.operators.size(); ++op) {
            std::vector<Fact> required = required_after(task.operators[op]);
            order.sort(required);
            for (const Effect& effect : task.operators[op].effects) {
                for (const Fact& fact : required)
                    if (fact != effect.fact) conditions.push(fact);
                conditions.close_row();
                of_fact[fact_id_(effect.fact)].push_back(static_cast<ConditionTree::Item>(achievements_.size()));
                achievements_.push_back({OperatorId{op}, effect.fact.variable});
            }
        }
        for (auto& items : of_fact) roots_.push_back(tree_.add(conditions, std::move(items)));
        tree_.finish();
    }

    bool draw_start(PartialState& state, Rng&) const override {
        for (std::size_t i = 0; i < num_variables_; ++i) state.set(static_cast<std::int32_t>(i), UNDEFINED);
        for (const Fact& fact : goal_) state.set(fact.variable, fact.value);
        return true;
    }

    // Operators that achieve a fact of the state and contradict none. One that achieves several is
    // reported for the first of its effects alone.
    void candidates(const PartialState& state, std::vector<OperatorId>& operators) const override {
        const std::span<const Value> values = state.values();
        auto report = [&](ConditionTree::Item item) {
            const Achievement& achievement = achievements_[item];
            for (const SetEffect& effect : effects_[index(achievement.op)]) {
                if (effect.variable == achievement.variable) break;
                if (values[static_cast<std::size_t>(effect.variable)] == effect.after) return;
            }
            operators.push_back(achievement.op);
        };
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] != UNDEFINED) tree_.visit<true>(roots_[fact_id_(i, values[i])], values, report);
    }

    // Refused where the result holds two mutually exclusive facts.
    bool step(OperatorId op, PartialState& state, Rng&, std::vector<Change>& changes) const override {
        const std::size_t first = changes.size();
        for (const SetEffect& effect : effects_[index(op)]) change(state, effect.variable, effect.before, changes);
        for (const Fact& fact : prevail_[index(op)]) change(state, fact.variable, fact.value, changes);
        if (!state.has_conflict()) return true;
        undo(state, std::span(changes).subspan(first));
        changes.resize(first);
        return false;
    }

    bool is_exact(OperatorId, const PartialState&, std::span<const Change>) const override { return true; }

private:
    struct SetEffect {
        std::int32_t variable;
        Value before;  // UNDEFINED: no precondition on it
        Value after;
    };

    struct Achievement {
        OperatorId op;
        std::int32_t variable;  // of the fact that is achieved
    };

    // What no fact of a state may contradict: the effects, and the preconditions that stay true.
    static std::vector<Fact> required_after(const Operator& op) {
        std::vector<Fact> required;
        for (const Effect& effect : op.effects) required.push_back(effect.fact);
        for (const Fact& fact : op.preconditions)
            if (!changes(op, fact.variable)) required.push_back(fact);
        return required;
    }

    std::vector<Fact> goal_;
    std::size_t num_variables_;
    FactIndex fact_id_;
    Csr<SetEffect> effects_;                    // by operator
    Csr<Fact> prevail_;                         // by operator: preconditions it does not change
    ConditionTree tree_;                        // over what operators require after them
    std::vector<ConditionTree::NodeId> roots_;  // by fact: the operators that achieve it
    std::vector<Achievement> achievements_;     // by item of the tree
};

}  // namespace

std::vector<InverseOperator> inverse_operators(const Task& task) {
    task.require_supported();
    std::vector<InverseOperator> inverses;
    for (const Operator& op : task.operators) inverses.push_back(inverse_of(task, op));
    return inverses;
}

std::unique_ptr<BackwardSpace> make_backward_space(std::string_view name, const Task& task, bool consistent_starts) {
    task.require_supported();
    if (name == "eo") return std::make_unique<OriginalSpace>(task, consistent_starts);
    if (name == "ei") return std::make_unique<InverseSpace>(task, consistent_starts, inverse_operators(task));
    if (name == "r") return std::make_unique<RegressionSpace>(task);
    throw std::invalid_argument("there is no backward space '" + std::string(name) + "'; there are eo, ei, r");
}

}  // namespace sing
