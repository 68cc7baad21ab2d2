#include "task/unfold_goal.h"

#include <algorithm>
#include <memory_resource>
#include <utility>
#include <vector>

#include "base/csr.h"
#include "task/strata.h"

namespace sing {
namespace {

class Unfolding {
public:
    Unfolding(const Task& task, const Guard& guard)
        : task_(task),
          axioms_of_(guard.memory()),
          strata_(find_strata(task, guard)),
          unfolded_(task.variables.size(), UNDEFINED) {
        std::pmr::vector<std::pair<std::uint32_t, std::uint32_t>> heads(guard.memory());
        for (std::uint32_t i = 0; i < task.axioms.size(); ++i)
            heads.emplace_back(static_cast<std::uint32_t>(task.axioms[i].fact.variable), i);
        axioms_of_ = Csr<std::uint32_t>::from_pairs(task.variables.size(), heads, guard.memory());
    }

    std::vector<Fact> run(const Guard& guard) {
        std::vector<Fact> unfolded, pending(task_.goal.rbegin(), task_.goal.rend());
        while (!pending.empty()) {
            const Fact fact = pending.back();
            pending.pop_back();
            if (!unfold(fact, pending)) unfolded.push_back(fact);
            guard.poll(1);
        }
        return unfolded;
    }

private:
    // Appends what the fact is replaced by. False where it stays.
    bool unfold(Fact fact, std::vector<Fact>& facts) {
        const auto variable = static_cast<std::size_t>(fact.variable);
        if (!task_.variables[variable].is_derived() || strata_[variable].is_in_cycle) return false;
        if (unfolded_[variable] == fact.value) return true;
        const std::span<const std::uint32_t> axioms = axioms_of_[variable];
        const bool is_default = fact.value == task_.variables[variable].default_value;
        const bool is_conjunction =
            is_default ? std::ranges::all_of(axioms, [&](auto id) { return has_opposite(id); }) : axioms.size() == 1;
        if (!is_conjunction) return false;
        unfolded_[variable] = fact.value;
        for (std::uint32_t id : axioms)
            for (const Fact& condition : task_.axioms[id].conditions)
                facts.push_back(is_default ? Fact{condition.variable, 1 - condition.value} : condition);
        return true;
    }

    bool has_opposite(std::uint32_t axiom) const {
        const std::vector<Fact>& conditions = task_.axioms[axiom].conditions;
        return conditions.size() == 1 &&
               task_.variables[static_cast<std::size_t>(conditions.front().variable)].domain_size() == 2;
    }

    const Task& task_;
    Csr<std::uint32_t> axioms_of_;  // by variable
    std::vector<Stratum> strata_;   // by variable
    std::vector<Value> unfolded_;   // by variable: the value that was replaced
};

}  // namespace

void unfold_goal(Task& task, const Guard& guard) {
    if (std::ranges::none_of(task.goal, [&](const Fact& fact) { return task.is_derived(fact.variable); })) return;
    std::vector<Fact> goal = Unfolding(task, guard).run(guard);
    std::ranges::sort(goal);
    goal.erase(std::unique(goal.begin(), goal.end()), goal.end());
    const bool is_consistent = std::ranges::adjacent_find(goal, {}, &Fact::variable) == goal.end();
    if (is_consistent) task.goal = std::move(goal);
}

}  // namespace sing
