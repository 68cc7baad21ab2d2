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
    explicit Achievers(const Task& task)
        : goal_(task.goal),
          goal_of_(goal_of_variable(task)),
          mutexes_(task),
          goals_of_group_(mutexes_.num_groups()),
          num_achievers_(goal_.size()),
          num_excluding_(goal_.size() * goal_.size()) {
        for (std::uint32_t goal = 0; goal < goal_.size(); ++goal)
            for (Mutexes::GroupId group : mutexes_.groups_of(goal_[goal])) goals_of_group_[group].push_back(goal);
        for (const Operator& op : task.operators) count(op);
    }

    // Whether goal b has achievers, and `a` cannot hold where one of them is applied or has been.
    bool all_exclude(std::uint32_t b, std::uint32_t a) const {
        return num_achievers_[b] > 0 && num_excluding_[b * goal_.size() + a] == num_achievers_[b];
    }

private:
    void count(const Operator& op) {
        std::vector<std::uint32_t> achieved;
        for (const Effect& effect : op.effects) {
            const std::uint32_t goal = goal_of_[static_cast<std::size_t>(effect.fact.variable)];
            if (goal != NOT_A_GOAL && goal_[goal] == effect.fact) achieved.push_back(goal);
        }
        if (achieved.empty()) return;
        const std::vector<std::uint32_t> excluded = excluded_by(op);
        for (std::uint32_t b : achieved) {
            ++num_achievers_[b];
            for (std::uint32_t a : excluded) ++num_excluding_[b * goal_.size() + a];
        }
    }

    std::vector<std::uint32_t> excluded_by(const Operator& op) const {
        std::vector<std::uint32_t> excluded;
        auto exclude = [&](Fact fact) {
            const std::uint32_t goal = goal_of_[static_cast<std::size_t>(fact.variable)];
            if (goal != NOT_A_GOAL && goal_[goal] != fact) excluded.push_back(goal);
            for (Mutexes::GroupId group : mutexes_.groups_of(fact))
                for (std::uint32_t other : goals_of_group_[group])
                    if (goal_[other] != fact) excluded.push_back(other);
        };
        for (const Fact& fact : op.preconditions) exclude(fact);
        for (const Effect& effect : op.effects) exclude(effect.fact);
        std::ranges::sort(excluded);
        excluded.erase(std::unique(excluded.begin(), excluded.end()), excluded.end());
        return excluded;
    }

    const std::vector<Fact>& goal_;
    std::vector<std::uint32_t> goal_of_;  // by variable
    Mutexes mutexes_;
    std::vector<std::vector<std::uint32_t>> goals_of_group_;
    std::vector<std::uint32_t> num_achievers_;
    std::vector<std::uint32_t> num_excluding_;  // [b, a]
};

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> OpenGoals::find_orders(const Task& task) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> orders;
    const auto num_goals = static_cast<std::uint32_t>(task.goal.size());
    if (num_goals > MAX_GOALS) return orders;
    const Achievers achievers(task);
    for (std::uint32_t b = 0; b < num_goals; ++b)
        for (std::uint32_t a = 0; a < num_goals; ++a)
            if (a != b && achievers.all_exclude(b, a) && !achievers.all_exclude(a, b)) orders.emplace_back(b, a);
    return orders;
}

OpenGoals::OpenGoals(const Task& task, bool with_orders) : goal_(task.goal), plain_(task) {
    if (!with_orders) return;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const auto& [b, a] : find_orders(task)) pairs.emplace_back(a, b);
    has_orders_ = !pairs.empty();
    if (!has_orders_) return;
    before_ = Csr<std::uint32_t>::from_pairs(goal_.size(), pairs);
    touches_ = goal_touches(task);
}

template <typename IsOpen>
std::int32_t OpenGoals::count_with_orders(const IsOpen& is_open) const {
    std::int32_t count = 0;
    for (std::uint32_t goal = 0; goal < goal_.size(); ++goal)
        count += is_open(goal) || std::ranges::any_of(before_[goal], is_open);
    return count;
}

std::int32_t OpenGoals::ordered_count(std::span<const Value> state) const {
    return count_with_orders([&](std::uint32_t goal) { return is_open(goal, state); });
}

std::int32_t OpenGoals::ordered_count_after(std::span<const Value> parent, std::int32_t parent_count, OperatorId op) const {
    const std::span<const GoalTouch> touches = touches_[index(op)];
    if (touches.empty()) return parent_count;
    return count_with_orders([&](std::uint32_t goal) {
        const auto touch = std::ranges::find(touches, goal, &GoalTouch::goal);
        return touch == touches.end() ? is_open(goal, parent) : !touch->achieves;
    });
}

}  // namespace sing
