#include "pairs/pruned_task.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "pairs/pair_steps.h"
#include "task/fact_index.h"

namespace sing {
namespace {

class Pruner {
public:
    Pruner(const Task& task, const ExcludedPairs& pairs, const Guard& guard)
        : plain_(task),
          pairs_(pairs),
          guard_(guard),
          fact_id_(task),
          fact_of_(guard.memory()),
          facts_(pairs.excluded.num_words(), 0, guard.memory()),
          before_(pairs.excluded.num_words(), 0, guard.memory()),
          after_(pairs.excluded.num_words(), 0, guard.memory()) {
        for (std::int32_t variable = 0; const Variable& v : task.variables) {
            for (Value value = 0; value < v.domain_size(); ++value) fact_of_.push_back({variable, value});
            ++variable;
        }
        for (FactId fact = 0; fact < fact_of_.size(); ++fact)
            if (!pairs.excluded(fact)) set_bit(facts_, fact);
    }

    std::optional<PrunedTask> prune() {
        std::vector<std::vector<Fact>> conditions;  // by operator
        std::vector<bool> is_dead = pairs_.is_dead;
        PrunedTask pruned;
        for (std::size_t i = 0; i < plain_.operators.size(); ++i) {
            conditions.emplace_back();
            if (!is_dead[i]) is_dead[i] = !find_conditions(plain_.operators[i], conditions.back());
            if (is_dead[i]) conditions.back().clear();
            pruned.num_dead += is_dead[i];
            pruned.num_conditions += conditions.back().size();
        }
        if (pruned.num_dead + pruned.num_conditions == 0) return std::nullopt;
        for (const Operator& op : plain_.operators) guard_.take(bytes_of(op));
        pruned.task = plain_;
        if (pruned.num_dead > 0) add_impossible_fact(pruned.task);
        for (std::size_t i = 0; i < is_dead.size(); ++i) {
            std::vector<Fact>& preconditions = pruned.task.operators[i].preconditions;
            if (is_dead[i]) conditions[i] = {impossible_};
            preconditions.insert(preconditions.end(), conditions[i].begin(), conditions[i].end());
            std::ranges::sort(preconditions);
            guard_.poll(1 + preconditions.size());
        }
        return pruned;
    }

private:
    static std::size_t bytes_of(const Operator& op) {
        return sizeof(Operator) + op.name.size() + (op.preconditions.size() + 1) * sizeof(Fact) +
               op.effects.size() * sizeof(Effect);
    }

    void add_impossible_fact(Task& task) {
        impossible_ = {static_cast<std::int32_t>(task.variables.size()), 1};
        task.variables.push_back({"impossible", -1, {"NegatedAtom impossible()", "Atom impossible()"}});
        task.initial_state.push_back(0);
    }

    // What must hold before the operator, so that it does not lead from a state on a way to the goal to one that is on
    // none. False where it always does.
    bool find_conditions(const Operator& op, std::vector<Fact>& found) {
        std::vector<Fact> known = op.preconditions;
        const std::map<std::int32_t, Value> effects = last_effects(op);
        for (bool goes_on = true; goes_on;) {
            goes_on = false;
            look(known, effects);
            if (!has_values_for_all()) return false;
            for (std::size_t i = 0; i < before_.size(); ++i) {
                for_each_bit(before_[i] & ~after_[i], i, [&](FactId fact) {
                    const std::int32_t variable = fact_of_[fact].variable;
                    if (std::ranges::find(known, variable, &Fact::variable) != known.end()) return;
                    const auto [num_values, value] = possible_values(variable);
                    if (num_values != 1) return;
                    known.push_back({variable, value});
                    found.push_back(known.back());
                    goes_on = true;
                });
            }
        }
        return true;
    }

    // Which facts may hold before an operator beside those that are known, and which of them may hold beside its
    // effects, where it does not change them.
    void look(std::span<const Fact> known, const std::map<std::int32_t, Value>& effects) {
        std::ranges::copy(facts_, before_.begin());
        for (const Fact& fact : known) drop_bits(before_, pairs_.excluded[fact_id_(fact)]);
        std::ranges::copy(before_, after_.begin());
        for (const auto& [variable, value] : effects) drop_bits(after_, pairs_.excluded[fact_id_({variable, value})]);
        for (const auto& [variable, value] : effects)
            for (Value other = 0; other < plain_.variables[static_cast<std::size_t>(variable)].domain_size(); ++other) {
                const FactId fact = fact_id_({variable, other});
                if (has_bit(before_, fact)) set_bit(after_, fact);
            }
        guard_.poll((known.size() + effects.size()) * before_.size());
    }

    bool has_values_for_all() const {
        FactId first = 0;
        for (const Variable& variable : plain_.variables) {
            const FactId end = first + static_cast<FactId>(variable.domain_size());
            if (!has_any_bit(after_, first, end)) return false;
            first = end;
        }
        guard_.poll(plain_.variables.size());
        return true;
    }

    // How many values a variable may have, and the last of them.
    std::pair<std::size_t, Value> possible_values(std::int32_t variable) const {
        std::pair<std::size_t, Value> found{0, UNDEFINED};
        const Value size = plain_.variables[static_cast<std::size_t>(variable)].domain_size();
        for (Value value = 0; value < size; ++value)
            if (has_bit(after_, fact_id_({variable, value}))) found = {found.first + 1, value};
        return found;
    }

    const Task& plain_;
    const ExcludedPairs& pairs_;
    const Guard& guard_;
    FactIndex fact_id_;
    std::pmr::vector<Fact> fact_of_;            // by number
    std::pmr::vector<BitWord> facts_;           // on some way to the goal
    std::pmr::vector<BitWord> before_, after_;  // scratch: see look()
    Fact impossible_{};
};

}  // namespace

std::optional<PrunedTask> prune(const Task& task, const ExcludedPairs& pairs, const Guard& guard) {
    return Pruner(task, pairs, guard).prune();
}

}  // namespace sing
