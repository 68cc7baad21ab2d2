#include "samples/state_types.h"

#include "states/word_hash.h"

namespace sing {
namespace {

// A number that looks random, so that sums of them tell sets apart.
std::uint64_t key_of(std::uint64_t number) { return WordHash::mixed(number + 0x9E3779B97F4A7C15ull); }

}  // namespace

std::uint64_t StateTypes::of_values(std::span<const Value> state) {
    std::uint64_t hash = 0;
    for (Value value : state) hash = WordHash::mixed(hash + static_cast<std::uint64_t>(value) + 2);
    return hash;
}

std::uint64_t StateTypes::of_full(std::span<const Value> state, Progression& progression) {
    if (system_ == TypeSystem::STATES) return of_values(state);
    std::uint64_t held = 0;
    for (GoalId goal = 0; goal < goals_.size(); ++goal)
        if (!goals_.is_open(goal, state)) held += key_of(goal);
    if (system_ == TypeSystem::GOALS) return held;
    operators_.clear();
    generator_.applicable(state, operators_);
    std::uint64_t children = 0;
    for (OperatorId op : operators_) {
        std::uint64_t child = held;
        goals_.for_effects(progression.changes(state, op), [&](const GoalEffect& effect) {
            const bool held_before = state[static_cast<std::size_t>(effect.variable)] == effect.wanted;
            if (held_before != effect.achieves) child += held_before ? 0 - key_of(effect.goal) : key_of(effect.goal);
        });
        children += key_of(child);
    }
    return key_of(held) + WordHash::mixed(children);
}

std::uint64_t StateTypes::of_partial(const PartialState& state) {
    const std::span<const Value> values = state.values();
    if (system_ == TypeSystem::STATES) return of_values(values);
    std::uint64_t num_facts = 0;
    for (Value value : values) num_facts += value != UNDEFINED;
    std::uint64_t type = 0;
    for (GoalId goal = 0; goal < goals_.size(); ++goal)
        if (!goals_.is_open(goal, values)) {
            type += key_of(goal);
            --num_facts;
        }
    type += key_of(goals_.size() + num_facts);
    if (system_ == TypeSystem::GOALS) return type;
    operators_.clear();
    space_.candidates(state, operators_);
    return key_of(type) + operators_.size();
}

}  // namespace sing
