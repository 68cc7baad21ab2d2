#include "pairs/pruned_task.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/csr.h"
#include "pairs/pair_steps.h"
#include "task/fact_index.h"

namespace sing {
namespace {

std::size_t bytes_of(const Variable& variable) {
    std::size_t bytes = sizeof(Variable) + variable.name.size();
    for (const std::string& name : variable.value_names) bytes += sizeof(std::string) + name.size();
    return bytes;
}

std::size_t bytes_of(const Operator& op, std::size_t num_conditions) {
    return sizeof(Operator) + op.name.size() + (op.preconditions.size() + num_conditions) * sizeof(Fact) +
           op.effects.size() * sizeof(Effect);
}

class Pruner {
public:
    Pruner(const Task& task, const ExcludedPairs& pairs, std::size_t max_work, const Guard& guard)
        : plain_(task),
          pairs_(pairs),
          guard_(guard),
          work_left_(max_work),
          fact_id_(task),
          variable_of_(guard.memory()),
          facts_(pairs.excluded.num_words(), 0, guard.memory()),
          before_(pairs.excluded.num_words(), 0, guard.memory()),
          after_(pairs.excluded.num_words(), 0, guard.memory()) {
        for (std::int32_t variable = 0; const Variable& each : task.variables) {
            variable_of_.insert(variable_of_.end(), static_cast<std::size_t>(each.domain_size()), variable);
            ++variable;
        }
        for (FactId fact = 0; fact < variable_of_.size(); ++fact)
            if (!pairs.excluded(fact)) set_bit(facts_, fact);
    }

    std::optional<PrunedTask> prune() {
        PrunedTask pruned;
        std::vector<bool> is_dead = pairs_.is_dead;
        Csr<Fact> conditions(guard_.memory());  // by operator
        std::vector<Fact> known;
        for (std::size_t i = 0; i < plain_.operators.size(); ++i) {
            const Operator& op = plain_.operators[i];
            known = op.preconditions;
            if (!is_dead[i]) is_dead[i] = !find_conditions(op, known);
            if (is_dead[i]) known.resize(op.preconditions.size());
            conditions.push_row(std::span(known).subspan(op.preconditions.size()));
            pruned.num_dead += is_dead[i];
            pruned.num_conditions += known.size() - op.preconditions.size();
            guard_.poll(1);
        }
        if (pruned.num_dead + pruned.num_conditions == 0) return std::nullopt;
        count_copy(conditions);
        pruned.task = plain_;
        if (pruned.num_dead > 0) add_impossible_fact(pruned.task);
        for (std::size_t i = 0; i < is_dead.size(); ++i) {
            std::vector<Fact>& preconditions = pruned.task.operators[i].preconditions;
            preconditions.reserve(preconditions.size() + conditions[i].size() + (is_dead[i] ? 1 : 0));
            preconditions.insert(preconditions.end(), conditions[i].begin(), conditions[i].end());
            if (is_dead[i]) preconditions.push_back(impossible_);
            std::ranges::sort(preconditions);
            guard_.poll(1 + preconditions.size());
        }
        return pruned;
    }

private:
    void count_copy(const Csr<Fact>& conditions) const {
        for (const Variable& variable : plain_.variables) guard_.take(bytes_of(variable));
        for (const std::vector<Fact>& group : plain_.mutex_groups)
            guard_.take(sizeof(std::vector<Fact>) + group.size() * sizeof(Fact));
        for (std::size_t i = 0; i < plain_.operators.size(); ++i) {
            guard_.take(bytes_of(plain_.operators[i], conditions[i].size() + 1));
            guard_.poll(1);
        }
    }

    void add_impossible_fact(Task& task) {
        impossible_ = {static_cast<std::int32_t>(task.variables.size()), 1};
        task.variables.push_back({"impossible", -1, {"NegatedAtom impossible()", "Atom impossible()"}});
        task.initial_state.push_back(0);
    }

    // Appends to the known conditions what else must hold before the operator, so that it does not lead from a state on
    // a way to the goal to one that is on none. False where it always does.
    bool find_conditions(const Operator& op, std::vector<Fact>& known) {
        const std::map<std::int32_t, Value> effects = last_effects(op);
        for (std::size_t num_known = known.size() + 1; num_known != known.size();) {
            if (work_left_ == 0) return true;
            num_known = known.size();
            look(known, effects);
            if (!has_values_for_all()) return false;
            FactId seen_until = 0;
            for (std::size_t i = 0; i < before_.size(); ++i) {
                for_each_bit(before_[i] & ~after_[i], i, [&](FactId fact) {
                    if (fact < seen_until) return;
                    const auto [first, end] = values_of(variable_of_[fact]);
                    seen_until = end;
                    if (count_bits(after_, first, end) == 1) know_the_only_value(first, end, known);
                });
            }
        }
        return true;
    }

    void know_the_only_value(FactId first, FactId end, std::vector<Fact>& known) const {
        const std::int32_t variable = variable_of_[first];
        if (std::ranges::find(known, variable, &Fact::variable) != known.end()) return;
        for (FactId fact = first; fact < end; ++fact)
            if (has_bit(after_, fact)) known.push_back({variable, static_cast<Value>(fact - first)});
    }

    // Which facts may hold before an operator beside those that are known, and which of them may hold beside its
    // effects, where it does not change them.
    void look(std::span<const Fact> known, const std::map<std::int32_t, Value>& effects) {
        std::ranges::copy(facts_, before_.begin());
        for (const Fact& fact : known) drop_bits(before_, pairs_.excluded[fact_id_(fact)]);
        std::ranges::copy(before_, after_.begin());
        for (const auto& [variable, value] : effects) drop_bits(after_, pairs_.excluded[fact_id_({variable, value})]);
        for (const auto& [variable, value] : effects) {
            const auto [first, end] = values_of(variable);
            for_each_word(first, end, [&](std::size_t i, BitWord some) { after_[i] |= before_[i] & some; });
        }
        const std::size_t work = (2 + known.size() + effects.size()) * before_.size() + plain_.variables.size();
        work_left_ -= std::min(work_left_, work);
        guard_.poll(work);
    }

    bool has_values_for_all() const {
        FactId end = 0;
        return std::ranges::all_of(plain_.variables, [&](const Variable& variable) {
            const FactId first = std::exchange(end, end + static_cast<FactId>(variable.domain_size()));
            return count_bits(after_, first, end) > 0;
        });
    }

    FactRange values_of(std::int32_t variable) const {
        const FactId first = fact_id_({variable, 0});
        const Value size = plain_.variables[static_cast<std::size_t>(variable)].domain_size();
        return {first, first + static_cast<FactId>(size)};
    }

    const Task& plain_;
    const ExcludedPairs& pairs_;
    const Guard& guard_;
    std::size_t work_left_;
    FactIndex fact_id_;
    std::pmr::vector<std::int32_t> variable_of_;  // by fact
    std::pmr::vector<BitWord> facts_;             // on some way to the goal
    std::pmr::vector<BitWord> before_, after_;    // scratch: see look()
    Fact impossible_{};
};

}  // namespace

std::optional<PrunedTask> prune(const Task& task, const ExcludedPairs& pairs, std::size_t max_work,
                                const Guard& guard) {
    return Pruner(task, pairs, max_work, guard).prune();
}

}  // namespace sing
