#include "samples/explicit_spaces.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "samples/prevail_conditions.h"
#include "states/successor_generator.h"

namespace sing {
namespace {

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

}  // namespace

InverseOperators::InverseOperators(const Task& task, const Guard& guard)
    : preconditions_(guard.memory()), effects_(guard.memory()), atoms_(guard.memory()), negations_(guard.memory()) {
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

std::unique_ptr<BackwardSpace> make_original_space(const Task& task, bool consistent_starts, const Guard& guard) {
    return std::make_unique<OriginalSpace>(task, consistent_starts, guard);
}

std::unique_ptr<BackwardSpace> make_inverse_space(const Task& task, bool consistent_starts, const Guard& guard) {
    return std::make_unique<InverseSpace>(task, consistent_starts, InverseOperators(task, guard), guard);
}

}  // namespace sing
