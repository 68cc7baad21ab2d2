#include "translate/operators.h"

#include <algorithm>
#include <set>

#include "translate/room.h"

namespace sing::translate {
namespace {

// The value that the condition has for the variable, or UNDEFINED.
Value value_in(const Condition& condition, std::int32_t variable) {
    const auto found = std::ranges::lower_bound(condition, variable, {}, &Fact::variable);
    return found != condition.end() && found->variable == variable ? found->value : UNDEFINED;
}

// Adds the fact. False where the condition has another one of its variable.
bool add_fact(Condition& condition, Fact fact) {
    const auto place = std::ranges::lower_bound(condition, fact.variable, {}, &Fact::variable);
    if (place != condition.end() && place->variable == fact.variable) return place->value == fact.value;
    condition.insert(place, fact);
    return true;
}

// That a variable of two values has the other one need not be said where it gets this one, unless it may get the other
// one at the same time.
void drop_opposites(Fact fact, bool may_get_opposite, std::vector<Condition>& conditions) {
    if (may_get_opposite || (conditions.size() == 1 && conditions.front().empty())) return;
    const Fact opposite{fact.variable, 1 - fact.value};
    for (Condition& condition : conditions) {
        std::erase(condition, opposite);
        if (!condition.empty()) continue;
        conditions.assign(1, {});
        return;
    }
}

}  // namespace

OperatorEncoder::VariableEffects& OperatorEncoder::effects_on(std::int32_t variable) {
    // Where the entry is not of this operator it points to another variable, or to none.
    std::uint32_t& place = place_[static_cast<std::size_t>(variable)];
    if (place < effects_.size() && effects_[place].variable == variable) return effects_[place];
    place = static_cast<std::uint32_t>(effects_.size());
    effects_.push_back({variable, {}, {}, {}});
    return effects_.back();
}

void OperatorEncoder::collect(GroundAction& action) {
    effects_.clear();
    std::set<std::pair<AtomId, std::vector<Literal>>> added;
    for (const GroundEffect& effect : action.effects)
        if (!effect.literal.is_negated()) added.emplace(effect.literal.atom(), effect.conditions);
    for (GroundEffect& effect : action.effects) {
        guard_.poll(1);
        const AtomId atom = effect.literal.atom();
        const bool is_delete = effect.literal.is_negated();
        // What is deleted and added at once holds afterwards.
        if (is_delete && !added.empty() && added.contains({atom, effect.conditions})) continue;
        encoding_.encode(effect.conditions, conditions_);
        if (conditions_.empty()) continue;
        const Fact fact = encoding_.fact(atom);
        VariableEffects& effects = effects_on(fact.variable);
        std::vector<Condition>& known = (is_delete ? effects.deletes : effects.adds)[fact.value];
        known.insert(known.end(), conditions_.begin(), conditions_.end());
        if (!is_delete) effects.add_conditions.push_back(std::move(effect.conditions));
    }
}

// Conditions of which one holds exactly where no atom of the variable is added.
std::vector<Condition> OperatorEncoder::no_add_conditions(const VariableEffects& effects) {
    std::vector<Condition> result;
    if (std::ranges::any_of(effects.add_conditions, [](const auto& literals) { return literals.empty(); }))
        return result;
    // One literal of each condition is denied, in all combinations.
    std::vector<std::size_t> choice(effects.add_conditions.size(), 0);
    std::vector<Literal> denied(choice.size());
    std::size_t num_bytes = 0;
    while (true) {
        guard_.poll(1);
        for (std::size_t i = 0; i < choice.size(); ++i) denied[i] = effects.add_conditions[i][choice[i]].negation();
        encoding_.encode(denied, conditions_);
        for (const Condition& condition : conditions_) {
            num_bytes += 2 * sizeof(Condition) + condition.size() * sizeof(Fact);
            result.push_back(condition);
        }
        require_room(guard_, num_bytes);
        std::size_t i = choice.size();
        while (i > 0 && ++choice[i - 1] == effects.add_conditions[i - 1].size()) choice[--i] = 0;
        if (i == 0) return result;
    }
}

void OperatorEncoder::encode_deletes(VariableEffects& effects) {
    if (effects.deletes.empty()) return;
    const std::vector<Condition> no_add = no_add_conditions(effects);
    std::size_t num_bytes = 0;
    const Value none_of_those = encoding_.none_of_those(effects.variable);
    for (auto& [value, conditions] : effects.deletes)
        for (Condition& condition : conditions) {
            if (!add_fact(condition, {effects.variable, value})) continue;
            for (const Condition& denial : no_add) {
                guard_.poll(1);
                Condition both = condition;
                if (!std::ranges::all_of(denial, [&](Fact fact) { return add_fact(both, fact); })) continue;
                num_bytes += 2 * sizeof(Condition) + both.size() * sizeof(Fact);
                require_room(guard_, num_bytes);
                effects.adds[none_of_those].push_back(std::move(both));
            }
        }
}

void OperatorEncoder::encode(GroundAction& action, std::vector<Operator>& operators) {
    encoding_.encode(action.precondition, conditions_);
    if (conditions_.empty()) return;
    const std::vector<Condition> preconditions = std::move(conditions_);
    collect(action);
    for (VariableEffects& effects : effects_) encode_deletes(effects);
    std::ranges::sort(effects_, {}, &VariableEffects::variable);
    for (const Condition& precondition : preconditions) build(precondition, action.cost, operators);
}

void OperatorEncoder::build(const Condition& precondition, std::int64_t cost, std::vector<Operator>& operators) {
    guard_.poll(1);
    Operator op{{}, precondition, {}, cost};
    for (const VariableEffects& effects : effects_) add_effects(effects, precondition, op);
    if (!op.effects.empty() || keeps_no_ops_) operators.push_back(std::move(op));
}

// Sorted by value, then by conditions. What the precondition says is left out of the conditions.
void OperatorEncoder::add_effects(const VariableEffects& effects, const Condition& precondition, Operator& op) const {
    const Value before = value_in(precondition, effects.variable);
    for (const auto& [value, alternatives] : effects.adds) {
        if (value == before) continue;
        const Fact fact{effects.variable, value};
        std::vector<Condition> conditions = alternatives;
        if (encoding_.domain_size(effects.variable) == 2)
            drop_opposites(fact, effects.adds.contains(1 - value), conditions);
        std::set<Condition> kept;
        for (Condition& condition : conditions) {
            const bool is_impossible = std::ranges::any_of(condition, [&](Fact needed) {
                const Value given = value_in(precondition, needed.variable);
                return given != UNDEFINED && given != needed.value;
            });
            if (is_impossible) continue;
            std::erase_if(condition, [&](Fact needed) { return value_in(precondition, needed.variable) != UNDEFINED; });
            kept.insert(std::move(condition));
        }
        for (const Condition& condition : kept) op.effects.push_back({condition, fact});
    }
}

}  // namespace sing::translate
