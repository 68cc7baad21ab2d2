#include "landmarks/landmarks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/csr.h"
#include "landmarks/fact_needs.h"
#include "task/fact_index.h"

namespace sing {
namespace {

class Finder {
public:
    Finder(const Task& task, std::size_t max_facts, const Guard& guard)
        : task_(task),
          max_facts_(max_facts),
          guard_(guard),
          fact_id_(task),
          needs_(task, guard),
          achievers_(guard.memory()),
          is_landmark_(fact_id_.num_facts()) {
        std::pmr::vector<std::pair<FactId, OperatorId>> pairs(guard.memory());
        for (std::uint32_t op = 0; op < task.operators.size(); ++op) {
            if (needs_.is_reachable(OperatorId{op}))
                for (const Effect& effect : task.operators[op].effects)
                    pairs.emplace_back(fact_id_(effect.fact), OperatorId{op});
            guard.poll(1);
        }
        achievers_ = Csr<OperatorId>::from_pairs(fact_id_.num_facts(), pairs, guard.memory());
    }

    std::optional<Landmarks> find() {
        for (const Fact& goal : task_.goal)
            if (!needs_.is_reachable(fact_id_(goal))) return std::nullopt;
        find_facts();
        // Disjunctions are appended on the way, and looked behind in turn.
        for (std::size_t i = 0; i < found_.sets.size(); ++i) look_behind(i);
        return std::move(found_);
    }

private:
    void find_facts() {
        for (std::size_t variable = 0; variable < task_.variables.size(); ++variable)
            for (Value value = 0; value < task_.variables[variable].domain_size(); ++value) {
                const Fact fact{static_cast<std::int32_t>(variable), value};
                if (holds_initially(fact) || !is_needed(fact_id_(fact))) continue;
                is_landmark_[fact_id_(fact)] = true;
                found_.sets.push_back({fact});
            }
    }

    bool is_needed(FactId fact) const {
        guard_.poll(1 + task_.goal.size());
        return std::ranges::any_of(task_.goal, [&](Fact goal) { return needs_.needs(fact_id_(goal), fact); });
    }

    bool holds_initially(Fact fact) const {
        return task_.initial_state[static_cast<std::size_t>(fact.variable)] == fact.value;
    }

    // What holds directly before a landmark is achieved for the first time.
    void look_behind(std::size_t landmark) {
        const std::vector<OperatorId> operators = first_achievers(found_.sets[landmark]);
        if (operators.empty()) return;
        std::map<Fact, std::size_t> num_uses;  // by precondition: of so many of the operators
        for (OperatorId op : operators)
            for (const Fact& fact : task_.operators[index(op)].preconditions) ++num_uses[fact];
        for (const auto& [fact, count] : num_uses)
            if (count == operators.size()) found_.orders.push_back({fact, landmark});
        if (max_facts_ > 1) add_disjunctions(operators);
    }

    // The operators that may achieve one of the facts before any of them has held.
    std::vector<OperatorId> first_achievers(const Landmark& landmark) const {
        std::vector<OperatorId> operators;
        for (const Fact& fact : landmark)
            for (OperatorId op : achievers_[fact_id_(fact)]) {
                const std::vector<Fact>& preconditions = task_.operators[index(op)].preconditions;
                const bool is_late = std::ranges::any_of(preconditions, [&](Fact precondition) {
                    return std::ranges::any_of(landmark, [&](Fact other) {
                        return needs_.needs(fact_id_(precondition), fact_id_(other));
                    });
                });
                if (!is_late) operators.push_back(op);
                guard_.poll(1 + preconditions.size() * landmark.size());
            }
        std::ranges::sort(operators);
        const auto rest = std::ranges::unique(operators);
        operators.erase(rest.begin(), rest.end());
        return operators;
    }

    // The predicates of which each of the operators has a precondition.
    void add_disjunctions(const std::vector<OperatorId>& operators) {
        std::map<std::string_view, std::set<Fact>> facts_of;
        for (const Fact& fact : task_.operators[index(operators.front())].preconditions)
            if (task_.is_atom(fact)) facts_of[predicate(fact)];
        for (OperatorId op : operators) {
            std::map<std::string_view, std::set<Fact>> kept;
            for (const Fact& fact : task_.operators[index(op)].preconditions)
                if (const auto found = facts_of.find(predicate(fact)); found != facts_of.end()) {
                    if (!kept.contains(found->first)) kept[found->first] = std::move(found->second);
                    kept[found->first].insert(fact);
                }
            std::erase_if(kept, [&](const auto& entry) { return entry.second.size() > max_facts_; });
            facts_of = std::move(kept);
            if (facts_of.empty()) return;
            guard_.poll(task_.operators[index(op)].preconditions.size());
        }
        for (const auto& [name, facts] : facts_of) {
            const bool is_known = std::ranges::any_of(
                facts, [&](Fact fact) { return holds_initially(fact) || is_landmark_[fact_id_(fact)]; });
            Landmark landmark(facts.begin(), facts.end());
            if (facts.size() > 1 && !is_known && disjunctions_.insert(landmark).second)
                found_.sets.push_back(std::move(landmark));
        }
    }

    // Of "Atom at(truck1, depot)" it is "Atom at".
    std::string_view predicate(Fact fact) const {
        const std::string_view name =
            task_.variables[static_cast<std::size_t>(fact.variable)].value_names[static_cast<std::size_t>(fact.value)];
        return name.substr(0, name.find('('));
    }

    const Task& task_;
    std::size_t max_facts_;
    const Guard& guard_;
    FactIndex fact_id_;
    FactNeeds needs_;
    Csr<OperatorId> achievers_;      // by fact
    std::vector<bool> is_landmark_;  // by fact
    std::set<Landmark> disjunctions_;
    Landmarks found_;
};

}  // namespace

std::optional<Landmarks> find_landmarks(const Task& task, std::size_t max_facts, const Guard& guard) {
    return Finder(task, max_facts, guard).find();
}

}  // namespace sing
