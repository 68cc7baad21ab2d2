#include "samples/backward_space.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace sing {

namespace {

// The value that an operator needs a variable to have, or UNDEFINED.
Value needed(const Operator& op, std::int32_t variable) {
    const auto found = std::ranges::lower_bound(op.preconditions, variable, {}, &Fact::variable);
    return found == op.preconditions.end() || found->variable != variable ? UNDEFINED : found->value;
}

// The preconditions that an operator leaves as they are.
class PrevailConditions {
public:
    explicit PrevailConditions(const Task& task) : is_changed_(task.variables.size()) {}

    std::span<const Fact> operator()(const Operator& op) {
        for (const Effect& effect : op.effects) is_changed_[static_cast<std::size_t>(effect.fact.variable)] = true;
        facts_.clear();
        for (const Fact& fact : op.preconditions)
            if (!is_changed_[static_cast<std::size_t>(fact.variable)]) facts_.push_back(fact);
        for (const Effect& effect : op.effects) is_changed_[static_cast<std::size_t>(effect.fact.variable)] = false;
        return facts_;
    }

private:
    std::vector<bool> is_changed_;  // by variable
    std::vector<Fact> facts_;
};

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
    OriginalSpace(const Task& task, bool consistent_starts, const Guard& guard)
        : ExplicitSpace(task, consistent_starts, SuccessorGenerator(task, guard)) {}

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
    InverseSpace(const Task& task, bool consistent_starts, InverseOperators inverses, const Guard& guard)
        : ExplicitSpace(task, consistent_starts, generator_of(task, inverses, guard)), inverses_(std::move(inverses)) {}

    bool step(OperatorId op, PartialState& state, Rng& rng, std::vector<Change>& changes) const override {
        for (const InverseOperators::Effect& effect : inverses_.effects(op)) {
            const std::uint32_t num_values = inverses_.num_values(effect);
            const std::uint32_t choice = num_values == 1 ? 0 : rng.below(num_values);
            change(state, effect.after.variable, inverses_.value(effect, choice), changes);
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
    static SuccessorGenerator generator_of(const Task& task, const InverseOperators& inverses, const Guard& guard) {
        return {task,
                [&](std::size_t op) { return inverses.preconditions(OperatorId{static_cast<std::uint32_t>(op)}); },
                guard};
    }

    InverseOperators inverses_;
};

// Regression in the modified SAS+ of Alcázar et al. (2013): a partial state is a set of facts that
// must hold, and a step over an operator yields the weakest such set before it.
class RegressionSpace : public BackwardSpace {
public:
    RegressionSpace(const Task& task, const Guard& guard)
        : goal_(task.goal),
          num_variables_(task.variables.size()),
          fact_id_(task),
          effects_(guard.memory()),
          prevail_(guard.memory()),
          tree_(task, required_after(task, guard), guard),
          achievements_(guard.memory()) {
        read_operators(task, guard);
        std::pmr::vector<ConditionTree::Item> achieving(guard.memory());
        const Csr<ConditionTree::Item> of_fact = achievements_by_fact(task, guard);
        for (FactId fact = 0; fact < fact_id_.num_facts(); ++fact) {
            achieving.assign(of_fact[fact].begin(), of_fact[fact].end());
            roots_.push_back(tree_.add(achieving, guard));
        }
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
        auto report = [&](std::uint32_t id) {
            const Achievement& achievement = achievements_[id];
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

    // By operator, what no fact of a state may contradict: the effects, and the preconditions that stay true.
    static Csr<Fact> required_after(const Task& task, const Guard& guard) {
        PrevailConditions prevail_of(task);
        std::vector<Fact> required;
        auto collect = [&](const Operator& op) {
            required.clear();
            for (const Effect& effect : op.effects) required.push_back(effect.fact);
            const std::span<const Fact> prevail = prevail_of(op);
            required.insert(required.end(), prevail.begin(), prevail.end());
            guard.poll(1 + op.effects.size() + op.preconditions.size());
        };
        UsageOrder order(task.variables.size());
        std::size_t num_facts = 0;
        for (const Operator& op : task.operators) {
            collect(op);
            order.count(required);
            num_facts += required.size();
        }
        Csr<Fact> rows(guard.memory());
        rows.reserve(task.operators.size(), num_facts);
        for (const Operator& op : task.operators) {
            collect(op);
            order.sort(required);
            rows.push_row(required);
        }
        return rows;
    }

    void read_operators(const Task& task, const Guard& guard) {
        PrevailConditions prevail_of(task);
        effects_.reserve(task.operators.size(), task.num_effects());
        achievements_.reserve(task.num_effects());
        for (std::uint32_t id = 0; id < task.operators.size(); ++id) {
            const Operator& op = task.operators[id];
            for (const Effect& effect : op.effects) {
                const std::int32_t variable = effect.fact.variable;
                effects_.push({variable, needed(op, variable), effect.fact.value});
                achievements_.push_back({OperatorId{id}, variable});
            }
            effects_.close_row();
            prevail_.push_row(prevail_of(op));
            guard.poll(1 + op.effects.size() + op.preconditions.size());
        }
    }

    // An achievement needs all that its operator requires, but for the fact that it achieves, which holds.
    Csr<ConditionTree::Item> achievements_by_fact(const Task& task, const Guard& guard) const {
        std::pmr::vector<std::pair<FactId, ConditionTree::Item>> pairs(guard.memory());
        pairs.reserve(achievements_.size());
        std::vector<std::uint32_t> position(num_variables_);  // in the operator's row
        for (std::uint32_t op = 0; op < task.operators.size(); ++op) {
            const std::span<const Fact> row = tree_.conditions(op);
            for (std::uint32_t i = 0; i < row.size(); ++i) position[static_cast<std::size_t>(row[i].variable)] = i;
            for (const Effect& effect : task.operators[op].effects) {
                const std::uint32_t own = position[static_cast<std::size_t>(effect.fact.variable)];
                pairs.push_back({fact_id_(effect.fact), {static_cast<std::uint32_t>(pairs.size()), op, own}});
            }
            guard.poll(1 + row.size());
        }
        return Csr<ConditionTree::Item>::from_pairs(fact_id_.num_facts(), pairs, guard.memory());
    }

    std::vector<Fact> goal_;
    std::size_t num_variables_;
    FactIndex fact_id_;
    Csr<SetEffect> effects_;                      // by operator
    Csr<Fact> prevail_;                           // by operator: preconditions it does not change
    ConditionTree tree_;                          // over what operators require after them
    std::vector<ConditionTree::NodeId> roots_;    // by fact: the operators that achieve it
    std::pmr::vector<Achievement> achievements_;  // by item of the tree
};

}  // namespace

InverseOperators::InverseOperators(const Task& task, const Guard& guard)
    : preconditions_(guard.memory()), effects_(guard.memory()), atoms_(guard.memory()), negations_(guard.memory()) {
    task.require_supported();
    for (std::size_t i = 0; i < task.variables.size(); ++i) {
        const Value domain_size = task.variables[i].domain_size();
        for (Value value = 0; value < domain_size; ++value)
            (task.is_atom({static_cast<std::int32_t>(i), value}) ? atoms_ : negations_).push(value);
        atoms_.close_row();
        negations_.close_row();
        guard.poll(static_cast<std::size_t>(domain_size));
    }
    PrevailConditions prevail_of(task);
    std::vector<Fact> preconditions;
    for (const Operator& op : task.operators) {
        const std::span<const Fact> prevail = prevail_of(op);
        preconditions.assign(prevail.begin(), prevail.end());
        for (const sing::Effect& effect : op.effects) {
            if (task.is_atom(effect.fact)) preconditions.push_back(effect.fact);
            effects_.push({effect.fact, needed(op, effect.fact.variable)});
        }
        effects_.close_row();
        std::ranges::sort(preconditions);
        preconditions_.push_row(preconditions);
        guard.poll(1 + op.effects.size() + op.preconditions.size());
    }
}

// Values of the same kind as those that an effect without a precondition on its variable may have changed; the value
// after it may be one of them, and does not count.
std::span<const Value> InverseOperators::others(Fact after) const {
    const auto variable = static_cast<std::size_t>(after.variable);
    const bool is_atom = std::ranges::binary_search(atoms_[variable], after.value);
    const bool has_atom = atoms_[variable].size() > is_atom;
    return has_atom ? atoms_[variable] : negations_[variable];
}

std::uint32_t InverseOperators::num_values(const Effect& effect) const {
    if (effect.before != UNDEFINED) return 1;
    const std::span<const Value> values = others(effect.after);
    const bool has_own = std::ranges::binary_search(values, effect.after.value);
    return std::max(1u, static_cast<std::uint32_t>(values.size() - has_own));
}

Value InverseOperators::value(const Effect& effect, std::uint32_t choice) const {
    if (effect.before != UNDEFINED) return effect.before;
    const std::span<const Value> values = others(effect.after);
    const auto own = std::ranges::lower_bound(values, effect.after.value);
    const bool has_own = own != values.end() && *own == effect.after.value;
    if (values.size() == has_own) return effect.after.value;
    return values[choice + (has_own && choice >= own - values.begin())];
}

std::unique_ptr<BackwardSpace> make_backward_space(std::string_view name, const Task& task, bool consistent_starts,
                                                   const Guard& guard) {
    task.require_supported();
    if (name == "eo") return std::make_unique<OriginalSpace>(task, consistent_starts, guard);
    if (name == "ei")
        return std::make_unique<InverseSpace>(task, consistent_starts, InverseOperators(task, guard), guard);
    if (name == "r") return std::make_unique<RegressionSpace>(task, guard);
    throw std::invalid_argument("there is no backward space '" + std::string(name) + "'; there are eo, ei, r");
}

}  // namespace sing
