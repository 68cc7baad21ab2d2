#include "translate/simplify.h"

#include <algorithm>
#include <optional>
#include <set>

namespace sing::translate {
namespace {

// What becomes of the values of a task.
class Renaming {
public:
    Renaming(const Task& task, bool keeps_no_ops, const Guard& guard)
        : keeps_no_ops_(keeps_no_ops),
          guard_(guard),
          first_(guard.memory()),
          new_value_(guard.memory()),
          new_variable_(guard.memory()),
          arcs_(guard.memory()) {
        std::size_t num_facts = 0;
        for (const Variable& variable : task.variables) {
            first_.push_back(num_facts);
            num_facts += variable.value_names.size();
        }
        new_value_.assign(num_facts, ALWAYS_FALSE);
        find_changes(task);
        for (std::size_t i = 0; i < task.variables.size(); ++i) decide(task, i);
    }

    Solvability apply(Task& task) {
        if (!convert(task.goal)) return Solvability::UNSOLVABLE;
        if (task.goal.empty()) return Solvability::SOLVED;
        std::erase_if(task.operators, [&](Operator& op) { return !convert(op); });
        std::erase_if(task.axioms, [&](Axiom& axiom) {
            guard_.poll(1);
            if (!convert(axiom.conditions) || new_value(axiom.fact) < 0) return true;
            axiom.fact = converted(axiom.fact);
            return false;
        });
        std::erase_if(task.mutex_groups, [&](std::vector<Fact>& group) {
            guard_.poll(1);
            std::erase_if(group, [&](Fact fact) { return new_value(fact) < 0; });
            for (Fact& fact : group) fact = converted(fact);
            return group.size() < 2;
        });
        convert_variables(task);
        return Solvability::OPEN;
    }

private:
    static constexpr Value ALWAYS_FALSE = -1, ALWAYS_TRUE = -2;
    struct Change {
        std::int32_t variable;
        Value from, to;  // from UNDEFINED: from any value
        friend auto operator<=>(const Change&, const Change&) = default;
    };

    std::size_t index(Fact fact) const {
        return first_[static_cast<std::size_t>(fact.variable)] + static_cast<std::size_t>(fact.value);
    }
    Value new_value(Fact fact) const { return new_value_[index(fact)]; }
    Fact converted(Fact fact) const {
        return {new_variable_[static_cast<std::size_t>(fact.variable)], new_value(fact)};
    }

    void find_changes(const Task& task) {
        auto add = [&](const Change& change) {
            if (arcs_.empty() || arcs_.back() != change) arcs_.push_back(change);
            if (arcs_.size() < 2 * num_distinct_ + 4096) return;
            remove_duplicates();
        };
        for (const Operator& op : task.operators)
            for (const Effect& effect : op.effects) {
                guard_.poll(1);
                Value from = UNDEFINED;
                bool is_possible = true;
                auto require = [&](Fact fact) {
                    if (fact.variable != effect.fact.variable) return;
                    is_possible = is_possible && (from == UNDEFINED || from == fact.value);
                    from = fact.value;
                };
                std::ranges::for_each(op.preconditions, require);
                std::ranges::for_each(effect.conditions, require);
                if (is_possible) add({effect.fact.variable, from, effect.fact.value});
            }
        for (const Axiom& axiom : task.axioms) add({axiom.fact.variable, UNDEFINED, axiom.fact.value});
        remove_duplicates();
    }

    void remove_duplicates() {
        guard_.poll(arcs_.size());
        std::ranges::sort(arcs_);
        arcs_.erase(std::unique(arcs_.begin(), arcs_.end()), arcs_.end());
        num_distinct_ = arcs_.size();
    }

    // Which values stay, and their new numbers.
    void decide(const Task& task, std::size_t variable) {
        const auto number = static_cast<std::int32_t>(variable);
        const Value initial = task.initial_state[variable];
        const auto changes = std::ranges::equal_range(arcs_, number, {}, &Change::variable);
        std::vector<Value> reached{initial};
        auto reach = [&](const Change& change) {
            Value& value = new_value_[index({number, change.to})];
            if (value != ALWAYS_FALSE) return;
            value = ALWAYS_TRUE;
            reached.push_back(change.to);
        };
        new_value_[index({number, initial})] = ALWAYS_TRUE;
        for (const Change& change : changes)
            if (change.from == UNDEFINED) reach(change);
        for (std::size_t i = 0; i < reached.size(); ++i) {
            guard_.poll(1);
            for (const Change& change : std::ranges::equal_range(changes, reached[i], {}, &Change::from)) reach(change);
        }
        if (reached.size() == 1) {
            new_variable_.push_back(-1);
            return;
        }
        new_variable_.push_back(num_variables_++);
        Value next = 0;
        for (Value value = 0; value < task.variables[variable].domain_size(); ++value)
            if (new_value({number, value}) == ALWAYS_TRUE) new_value_[index({number, value})] = next++;
    }

    // False where a fact never holds. Facts that always hold are left out.
    bool convert(std::vector<Fact>& facts) const {
        std::size_t num_kept = 0;
        for (Fact fact : facts) {
            if (new_value(fact) == ALWAYS_FALSE) return false;
            if (new_value(fact) != ALWAYS_TRUE) facts[num_kept++] = converted(fact);
        }
        facts.resize(num_kept);
        return true;
    }

    // False where the operator is never applicable or changes nothing.
    bool convert(Operator& op) const {
        guard_.poll(1);
        if (!convert(op.preconditions)) return false;
        const bool is_conditional =
            std::ranges::any_of(op.effects, [](const Effect& effect) { return !effect.conditions.empty(); });
        std::erase_if(op.effects, [&](Effect& effect) { return !convert(effect, op.preconditions); });
        // Conditions that have become shorter may have made effects equal, or changed their order.
        if (is_conditional) {
            std::ranges::sort(op.effects, before);
            const auto same = [](const Effect& a, const Effect& b) {
                return a.fact == b.fact && a.conditions == b.conditions;
            };
            op.effects.erase(std::unique(op.effects.begin(), op.effects.end(), same), op.effects.end());
        }
        return keeps_no_ops_ || !op.effects.empty();
    }

    static bool before(const Effect& a, const Effect& b) {
        return a.fact != b.fact ? a.fact < b.fact : a.conditions < b.conditions;
    }

    // False where the effect never changes anything.
    bool convert(Effect& effect, const std::vector<Fact>& preconditions) const {
        // A value is dropped although an effect has it where that effect never takes place.
        if (new_value(effect.fact) < 0 || !convert(effect.conditions)) return false;
        const Fact fact = converted(effect.fact);
        auto contradicts = [&](Fact condition) {
            const auto found = std::ranges::lower_bound(preconditions, condition.variable, {}, &Fact::variable);
            return found != preconditions.end() && found->variable == condition.variable &&
                   found->value != condition.value;
        };
        if (std::ranges::any_of(effect.conditions, contradicts)) return false;
        effect.fact = fact;
        return !std::ranges::binary_search(preconditions, fact);
    }

    void convert_variables(Task& task) const {
        std::vector<Variable> variables;
        std::vector<Value> initial_state;
        for (std::size_t i = 0; i < task.variables.size(); ++i) {
            if (new_variable_[i] < 0) continue;
            guard_.poll(1);
            const auto number = static_cast<std::int32_t>(i);
            Variable& variable = task.variables[i];
            Value value = 0;
            std::erase_if(variable.value_names, [&](const std::string&) { return new_value({number, value++}) < 0; });
            initial_state.push_back(new_value({number, task.initial_state[i]}));
            variables.push_back(std::move(variable));
        }
        task.variables = std::move(variables);
        task.initial_state = std::move(initial_state);
    }

    bool keeps_no_ops_;
    const Guard& guard_;
    std::pmr::vector<std::size_t> first_;          // by variable: its first fact
    std::pmr::vector<Value> new_value_;            // by fact
    std::pmr::vector<std::int32_t> new_variable_;  // by variable; -1: dropped
    std::int32_t num_variables_ = 0;
    std::pmr::vector<Change> arcs_;
    std::size_t num_distinct_ = 0;
};

}  // namespace

Solvability drop_unreachable_values(Task& task, bool keeps_no_ops, const Guard& guard) {
    return Renaming(task, keeps_no_ops, guard).apply(task);
}

}  // namespace sing::translate
