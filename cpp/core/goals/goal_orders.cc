#include "goals/goal_orders.h"

#include <algorithm>
#include <utility>

#include "task/mutexes.h"

namespace sing {

namespace {

// Orders are looked for among so many goals at most: their pairs take this many squared counters.
constexpr std::size_t MAX_GOALS = 2048;

// For each goal the operators that achieve it, and how many of these exclude each other goal.
class Achievers {
public:
    Achievers(const Task& task, const Goals& goals)
        : goals_(goals),
          mutexes_(task),
          goals_of_group_(mutexes_.num_groups()),
          num_achievers_(goals_.size()),
          num_excluding_(goals_.size() * goals_.size()) {
        for (GoalId goal = 0; goal < goals_.size(); ++goal)
            for (Mutexes::GroupId group : mutexes_.groups_of(goals_[goal])) goals_of_group_[group].push_back(goal);
        for (std::uint32_t op = 0; op < task.operators.size(); ++op) count(OperatorId{op}, task.operators[op]);
    }

    // Whether goal b has achievers, and `a` cannot hold where one of them is applied or has been.
    bool all_exclude(GoalId b, GoalId a) const {
        return num_achievers_[b] > 0 && num_excluding_[b * goals_.size() + a] == num_achievers_[b];
    }

private:
    void count(OperatorId id, const Operator& op) {
        std::vector<GoalId> achieved;
        for (const GoalEffect& effect : goals_.effects(id))
            if (effect.achieves) achieved.push_back(effect.goal);
        if (achieved.empty()) return;
        const std::vector<GoalId> excluded = excluded_by(op);
        for (GoalId b : achieved) {
            ++num_achievers_[b];
            for (GoalId a : excluded) ++num_excluding_[b * goals_.size() + a];
        }
    }

    std::vector<GoalId> excluded_by(const Operator& op) const {
        std::vector<GoalId> excluded;
        auto exclude = [&](Fact fact) {
            const GoalId goal = goals_.on_variable(fact.variable);
            if (goal != NO_GOAL && goals_[goal] != fact) excluded.push_back(goal);
            for (Mutexes::GroupId group : mutexes_.groups_of(fact))
                for (GoalId other : goals_of_group_[group])
                    if (goals_[other] != fact) excluded.push_back(other);
        };
        for (const Fact& fact : op.preconditions) exclude(fact);
        for (const Effect& effect : op.effects) exclude(effect.fact);
        std::ranges::sort(excluded);
        excluded.erase(std::unique(excluded.begin(), excluded.end()), excluded.end());
        return excluded;
    }

    const Goals& goals_;
    Mutexes mutexes_;
    std::vector<std::vector<GoalId>> goals_of_group_;
    std::vector<std::uint32_t> num_achievers_;
    std::vector<std::uint32_t> num_excluding_;  // [b, a]
};

}  // namespace

std::vector<std::pair<GoalId, GoalId>> OpenGoals::find_orders(const Task& task) {
    std::vector<std::pair<GoalId, GoalId>> orders;
    const auto num_goals = static_cast<std::uint32_t>(task.goal.size());
    if (num_goals > MAX_GOALS) return orders;
    const Goals goals(task);
    const Achievers achievers(task, goals);
    for (GoalId b = 0; b < num_goals; ++b)
        for (GoalId a = 0; a < num_goals; ++a)
            if (a != b && achievers.all_exclude(b, a) && !achievers.all_exclude(a, b)) orders.emplace_back(b, a);
    return orders;
}

OpenGoals::OpenGoals(const Task& task, bool with_orders) : goals_(task) {
    if (!with_orders) return;
    std::vector<std::pair<GoalId, GoalId>> pairs;
    for (const auto& [b, a] : find_orders(task)) pairs.emplace_back(a, b);
    has_orders_ = !pairs.empty();
    if (!has_orders_) return;
    before_ = Csr<GoalId>::from_pairs(goals_.size(), pairs);
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

std::int32_t OpenGoals::ordered_count_after(std::span<const Value> parent, std::int32_t parent_count,
                                            OperatorId op) const {
    const std::span<const GoalEffect> effects = goals_.effects(op);
    if (effects.empty()) return parent_count;
    return count_with_orders([&](GoalId goal) {
        const auto effect = std::ranges::find(effects, goal, &GoalEffect::goal);
        return effect == effects.end() ? goals_.is_open(goal, parent) : !effect->achieves;
    });
}

}  // namespace sing
