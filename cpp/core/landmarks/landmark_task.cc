#include "landmarks/landmark_task.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/csr.h"
#include "task/fact_index.h"

namespace sing {
namespace {

std::size_t bytes_of(const Operator& op) {
    return sizeof(Operator) + op.name.size() + op.preconditions.size() * sizeof(Fact) +
           op.effects.size() * sizeof(Effect);
}

class Builder {
public:
    Builder(const Task& task, const Landmarks& landmarks, const Guard& guard)
        : plain_(task), landmarks_(landmarks), guard_(guard), fact_id_(task) {
        for (const Operator& op : task.operators) {
            guard.take(bytes_of(op));
            guard.poll(1 + op.effects.size());
        }
        task_ = task;
    }

    Task build() {
        for (const Landmark& landmark : landmarks_.sets) add_goal(landmark);
        extend_operators();
        for (const LandmarkOrder& order : landmarks_.orders) add_order(order);
        return std::move(task_);
    }

private:
    static constexpr std::int32_t HELD_INITIALLY = -1;

    bool is_goal(Fact fact) const { return std::ranges::binary_search(plain_.goal, fact); }

    void add_goal(const Landmark& landmark) {
        if (landmark.size() == 1 && is_goal(landmark.front())) {
            achieved_.push_back(landmark.front());
            return;
        }
        const auto variable = static_cast<std::int32_t>(task_.variables.size());
        const std::string name = "has-held(" + std::to_string(achieved_.size()) + ")";
        task_.variables.push_back({"landmark" + std::to_string(variable), -1, {"NegatedAtom " + name, "Atom " + name}});
        task_.initial_state.push_back(0);
        achieved_.push_back({variable, 1});
        task_.goal.push_back(achieved_.back());
        for (const Fact& fact : landmark) pairs_.emplace_back(fact_id_(fact), variable);
        if (landmark.size() == 1) has_held_[landmark.front()] = variable;
    }

    void extend_operators() {
        const auto variables = Csr<std::int32_t>::from_pairs(fact_id_.num_facts(), pairs_, guard_.memory());
        std::set<std::pair<std::int32_t, std::vector<Fact>>>
            added;  // variables, and the conditions on which they are set
        for (Operator& op : task_.operators) {
            added.clear();
            for (const Effect& effect : op.effects)
                for (std::int32_t variable : variables[fact_id_(effect.fact)])
                    added.emplace(variable, effect.conditions);
            guard_.take(added.size() * sizeof(Effect));
            for (const auto& [variable, conditions] : added) op.effects.push_back({conditions, {variable, 1}});
            guard_.poll(1 + op.effects.size());
        }
    }

    // A goal that is lost is open again anyway; other facts are needed again only after they have held.
    void add_order(const LandmarkOrder& order) {
        if (is_goal(order.fact)) return;
        const auto held = has_held_.find(order.fact);
        const auto [entry, is_new] = needed_again_.try_emplace(order.fact, task_.needed_again.size());
        if (is_new)
            task_.needed_again.push_back({order.fact, held == has_held_.end() ? HELD_INITIALLY : held->second, {}});
        task_.needed_again[entry->second].before.push_back(achieved_[order.landmark]);
        guard_.poll(1);
    }

    const Task& plain_;
    const Landmarks& landmarks_;
    const Guard& guard_;
    FactIndex fact_id_;
    Task task_;
    std::vector<Fact> achieved_;                          // by landmark: the goal that says so
    std::map<Fact, std::int32_t> has_held_;               // by landmark of one fact: its variable
    std::vector<std::pair<FactId, std::int32_t>> pairs_;  // facts, and the variables that they set
    std::map<Fact, std::size_t> needed_again_;            // positions in Task::needed_again
};

}  // namespace

Task with_landmarks(const Task& task, const Landmarks& landmarks, const Guard& guard) {
    return Builder(task, landmarks, guard).build();
}

}  // namespace sing
