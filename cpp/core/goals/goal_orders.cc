#include "goals/goal_orders.h"

#include <algorithm>
#include <memory_resource>
#include <utility>

#include "task/mutexes.h"

namespace sing {

namespace {

// Orders are looked for among so many goals at most: their pairs take this many squared counters.
constexpr std::size_t MAX_GOALS = 2048;

// The goals that cannot hold together with some facts.
class ExcludedGoals {
public:
    ExcludedGoals(const Task& task, const Goals& goals, const Guard& guard)
        : goals_(goals),
          mutexes_(task, guard),
          goals_of_group_(goals_by_group(guard)),
          groups_(mutexes_.num_groups(), guard.memory()),
          is_excluded_(goals.size()) {}

    std::span<const GoalId> found() const { return found_; }

    // Begins with no facts.
    void clear() {
        for (GoalId goal : found_) is_excluded_[goal] = 0;
        found_.clear();
        for (Mutexes::GroupId group : touched_) groups_[group] = {};
        touched_.clear();
    }

    void add(Fact fact) {
        const GoalId own = goals_.on_variable(fact.variable);
        if (own != NO_GOAL && goals_[own] != fact) exclude(own);
        for (Mutexes::GroupId group : mutexes_.groups_of(fact)) add_to_group(group, fact);
    }

private:
    // A group's first fact excludes the goals of all others, a second one that of the first; further ones are no news.
    struct Group {
        Fact first{-1, UNDEFINED};
        bool is_complete = false;
    };

    Csr<GoalId> goals_by_group(const Guard& guard) const {
        std::pmr::vector<std::pair<Mutexes::GroupId, GoalId>> pairs(guard.memory());
        for (GoalId goal = 0; goal < goals_.size(); ++goal)
            for (Mutexes::GroupId group : mutexes_.groups_of(goals_[goal])) pairs.emplace_back(group, goal);
        return Csr<GoalId>::from_pairs(mutexes_.num_groups(), pairs, guard.memory());
    }

    void add_to_group(Mutexes::GroupId id, Fact fact) {
        Group& group = groups_[id];
        if (group.is_complete || group.first == fact) return;
        const bool is_first = group.first.variable < 0;
        if (is_first) {
            group.first = fact;
            touched_.push_back(id);
        }
        group.is_complete = !is_first;
        for (GoalId goal : goals_of_group_[id])
            if (goals_[goal] != fact) exclude(goal);
    }

    void exclude(GoalId goal) {
        if (is_excluded_[goal]) return;
        is_excluded_[goal] = 1;
        found_.push_back(goal);
    }

    const Goals& goals_;
    Mutexes mutexes_;
    Csr<GoalId> goals_of_group_;
    std::pmr::vector<Group> groups_;
    std::vector<Mutexes::GroupId> touched_;
    std::vector<char> is_excluded_;  // by goal
    std::vector<GoalId> found_;
};

// For each goal the operators that achieve it, and how many of these exclude each other goal.
class Achievers {
public:
    Achievers(const Task& task, const Goals& goals, const Guard& guard)
        : goals_(goals), num_achievers_(goals_.size()), num_excluding_(goals_.size() * goals_.size(), guard.memory()) {
        ExcludedGoals excluded(task, goals, guard);
        for (std::uint32_t op = 0; op < task.operators.size(); ++op)
            count(OperatorId{op}, task.operators[op], excluded, guard);
    }

    // Whether goal b has achievers, and `a` cannot hold where one of them is applied or has been.
    bool all_exclude(GoalId b, GoalId a) const {
        return num_achievers_[b] > 0 && num_excluding_[b * goals_.size() + a] == num_achievers_[b];
    }

private:
    void count(OperatorId id, const Operator& op, ExcludedGoals& excluded, const Guard& guard) {
        if (std::ranges::none_of(goals_.effects(id), &GoalEffect::achieves)) return;
        exclude(op, excluded, guard);
        for (const Effect& effect : op.effects)
            if (effect.conditions.empty()) count(effect, excluded, guard);
        for (const Effect& effect : op.effects) {
            const GoalId goal = goals_.on_variable(effect.fact.variable);
            if (effect.conditions.empty() || goal == NO_GOAL || goals_[goal] != effect.fact) continue;
            exclude(op, excluded, guard);
            for (const Fact& fact : effect.conditions) excluded.add(fact);
            excluded.add(effect.fact);
            count(effect, excluded, guard);
        }
    }

    // By what holds wherever the operator is applied, or has been.
    void exclude(const Operator& op, ExcludedGoals& excluded, const Guard& guard) const {
        excluded.clear();
        for (const Fact& fact : op.preconditions) excluded.add(fact);
        for (const Effect& effect : op.effects)
            if (effect.conditions.empty()) excluded.add(effect.fact);
        guard.poll((1 + op.preconditions.size() + op.effects.size()) * (1 + goals_.size() / 8));
    }

    void count(const Effect& effect, const ExcludedGoals& excluded, const Guard& guard) {
        const GoalId goal = goals_.on_variable(effect.fact.variable);
        if (goal == NO_GOAL || goals_[goal] != effect.fact) return;
        ++num_achievers_[goal];
        for (GoalId a : excluded.found()) ++num_excluding_[goal * goals_.size() + a];
        guard.poll(1 + excluded.found().size());
    }

    const Goals& goals_;
    std::vector<std::uint32_t> num_achievers_;
    std::pmr::vector<std::uint32_t> num_excluding_;  // [b, a]
};

}  // namespace

std::vector<std::pair<GoalId, GoalId>> OpenGoals::find_orders(const Task& task, const Guard& guard) {
    std::vector<std::pair<GoalId, GoalId>> orders;
    const auto num_goals = static_cast<std::uint32_t>(task.goal.size());
    if (num_goals > MAX_GOALS) return orders;
    const Goals goals(task, guard);
    const Achievers achievers(task, goals, guard);
    for (GoalId b = 0; b < num_goals; ++b) {
        for (GoalId a = 0; a < num_goals; ++a)
            if (a != b && achievers.all_exclude(b, a) && !achievers.all_exclude(a, b)) orders.emplace_back(b, a);
        guard.poll(num_goals);
    }
    return orders;
}

OpenGoals::OpenGoals(const Task& task, bool with_orders, const Guard& guard)
    : goals_(task, guard), before_(guard.memory()) {
    if (!with_orders) return;
    std::vector<std::pair<GoalId, GoalId>> pairs;
    for (const auto& [b, a] : find_orders(task, guard)) pairs.emplace_back(a, b);
    has_orders_ = !pairs.empty();
    if (has_orders_) before_ = Csr<GoalId>::from_pairs(goals_.size(), pairs, guard.memory());
}

template <typename IsOpen>
std::int32_t OpenGoals::count_with_orders(const IsOpen& is_open) const {
    std::int32_t count = 0;
    for (GoalId goal = 0; goal < goals_.size(); ++goal)
        count += is_open(goal) || std::ranges::any_of(before_[goal], is_open);
    return count;
}

std::int32_t OpenGoals::ordered_count(std::span<const Value> state) const {
    return count_with_orders([&](GoalId goal) { return goals_.is_open(goal, state); });
}

std::int32_t OpenGoals::count_after(std::span<const Value> parent, std::int32_t parent_count,
                                    std::span<const Fact> changes) const {
    if (!has_orders_) return parent_count + goals_.change(parent, changes);
    std::vector<GoalEffect> effects;
    goals_.for_effects(changes, [&](const GoalEffect& effect) { effects.push_back(effect); });
    return ordered_count_after(parent, parent_count, effects);
}

std::int32_t OpenGoals::ordered_count_after(std::span<const Value> parent, std::int32_t parent_count,
                                            std::span<const GoalEffect> effects) const {
    if (effects.empty()) return parent_count;
    return count_with_orders([&](GoalId goal) {
        const auto effect = std::ranges::find(effects, goal, &GoalEffect::goal);
        return effect == effects.end() ? goals_.is_open(goal, parent) : !effect->achieves;
    });
}

}  // namespace sing
