#include "landmarks/landmarks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/csr.h"
#include "landmarks/fact_needs.h"

namespace sing {
namespace {

class Finder {
public:
    Finder(const Task& task, std::size_t max_facts, const Guard& guard)
        : task_(task),
          max_facts_(max_facts),
          guard_(guard),
          rules_(task, guard),
          needs_(task, rules_, guard),
          achievers_(guard.memory()),
          is_landmark_(rules_.num_facts()) {
        std::pmr::vector<std::pair<FactId, RuleId>> pairs(guard.memory());
        for (RuleId rule = 0; rule < rules_.size(); ++rule) {
            if (needs_.applies(rule))
                for (FactId fact : rules_.added(rule)) pairs.emplace_back(fact, rule);
            guard.poll(1);
        }
        achievers_ = Csr<RuleId>::from_pairs(rules_.num_facts(), pairs, guard.memory());
        for (std::size_t variable = 0; variable < task.variables.size(); ++variable)
            for (Value value = 0; value < task.variables[variable].domain_size(); ++value)
                facts_.push_back({static_cast<std::int32_t>(variable), value});
    }

    std::optional<Landmarks> find() {
        for (const Fact& goal : task_.goal)
            if (!needs_.is_reachable(id(goal))) return std::nullopt;
        find_facts();
        // Disjunctions are appended on the way, and looked behind in turn.
        for (std::size_t i = 0; i < found_.sets.size(); ++i) look_behind(i);
        return std::move(found_);
    }

private:
    FactId id(Fact fact) const { return rules_.fact_id()(fact); }

    void find_facts() {
        for (const Fact& fact : facts_) {
            if (!may_be_landmark(fact) || !is_needed(id(fact))) continue;
            is_landmark_[id(fact)] = true;
            found_.sets.push_back({fact});
        }
    }

    bool is_needed(FactId fact) const {
        guard_.poll(1 + task_.goal.size());
        return std::ranges::any_of(task_.goal, [&](Fact goal) { return needs_.needs(id(goal), fact); });
    }

    // Derived facts come and go without an operator that could be seen to achieve them; but goals are goals.
    bool may_be_landmark(Fact fact) const {
        return task_.initial_state[static_cast<std::size_t>(fact.variable)] != fact.value &&
               (!task_.is_derived(fact.variable) || std::ranges::binary_search(task_.goal, fact));
    }

    // What holds directly before a landmark is achieved for the first time.
    void look_behind(std::size_t landmark) {
        const std::vector<RuleId> rules = first_achievers(found_.sets[landmark]);
        if (rules.empty()) return;
        std::map<FactId, std::size_t> num_uses;  // by condition: of so many of the rules
        for (RuleId rule : rules)
            for (FactId fact : rules_.conditions(rule))
                if (fact < facts_.size()) ++num_uses[fact];
        for (const auto& [fact, count] : num_uses)
            if (count == rules.size() && !task_.is_derived(facts_[fact].variable))
                found_.orders.push_back({facts_[fact], landmark});
        if (max_facts_ > 1) add_disjunctions(rules);
    }

    // The rules that may achieve one of the facts before any of them has held.
    std::vector<RuleId> first_achievers(const Landmark& landmark) const {
        std::vector<RuleId> rules;
        for (const Fact& fact : landmark)
            for (RuleId rule : achievers_[id(fact)]) {
                const bool is_late = std::ranges::any_of(rules_.conditions(rule), [&](FactId condition) {
                    return std::ranges::any_of(landmark,
                                               [&](Fact other) { return needs_.needs(condition, id(other)); });
                });
                if (!is_late) rules.push_back(rule);
                guard_.poll(1 + rules_.conditions(rule).size() * landmark.size());
            }
        std::ranges::sort(rules);
        const auto rest = std::ranges::unique(rules);
        rules.erase(rest.begin(), rest.end());
        return rules;
    }

    // Of each predicate of which all rules have a condition: these conditions.
    void add_disjunctions(const std::vector<RuleId>& rules) {
        std::map<std::string_view, std::set<Fact>> facts_of;
        for (std::size_t i = 0; i < rules.size() && (i == 0 || !facts_of.empty()); ++i) {
            std::map<std::string_view, std::set<Fact>> kept;
            for (FactId condition : rules_.conditions(rules[i])) {
                if (condition >= facts_.size() || !task_.is_atom(facts_[condition])) continue;
                const std::string_view name = predicate(facts_[condition]);
                if (i > 0 && !facts_of.contains(name)) continue;
                std::set<Fact>& facts = kept.try_emplace(name, facts_of[name]).first->second;
                if (facts.size() <= max_facts_) facts.insert(facts_[condition]);
            }
            facts_of = std::move(kept);
            guard_.poll(rules_.conditions(rules[i]).size());
        }
        for (const auto& [name, facts] : facts_of) {
            const bool is_news =
                facts.size() > 1 && facts.size() <= max_facts_ &&
                std::ranges::all_of(facts, [&](Fact fact) { return may_be_landmark(fact) && !is_landmark_[id(fact)]; });
            Landmark landmark(facts.begin(), facts.end());
            if (is_news && disjunctions_.insert(landmark).second) found_.sets.push_back(std::move(landmark));
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
    RelaxedRules rules_;
    FactNeeds needs_;
    Csr<RuleId> achievers_;          // by fact
    std::vector<Fact> facts_;        // by number
    std::vector<bool> is_landmark_;  // by fact
    std::set<Landmark> disjunctions_;
    Landmarks found_;
};

}  // namespace

std::optional<Landmarks> find_landmarks(const Task& task, std::size_t max_facts, const Guard& guard) {
    return Finder(task, max_facts, guard).find();
}

}  // namespace sing
