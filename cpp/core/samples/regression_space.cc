#include "samples/regression_space.h"

#include <utility>
#include <vector>

#include "base/csr.h"
#include "samples/prevail_conditions.h"
#include "states/condition_tree.h"
#include "task/fact_index.h"

namespace sing {
namespace {

// Regression in the modified SAS+ of Alcázar et al. (2013): a partial state is a set of facts that
// must hold, and a step over an operator yields the weakest such set before it.
class RegressionSpace : public BackwardSpace {
public:
    RegressionSpace(const Task& task, const Guard& guard)
        : goal_(task.goal),
          num_variables_(task.variables.size()),
          fact_id_(task),
          effects_(guard.memory()),
          prevail_(guard.memory()),
          tree_(task, required_after(task, guard), guard),
          achievements_(guard.memory()) {
        read_operators(task, guard);
        std::pmr::vector<ConditionTree::Item> achieving(guard.memory());
        const Csr<ConditionTree::Item> of_fact = achievements_by_fact(task, guard);
        for (FactId fact = 0; fact < fact_id_.num_facts(); ++fact) {
            achieving.assign(of_fact[fact].begin(), of_fact[fact].end());
            roots_.push_back(tree_.add(achieving, guard));
        }
    }

    bool draw_start(PartialState& state, Rng&) const override {
        for (std::size_t i = 0; i < num_variables_; ++i) state.set(static_cast<std::int32_t>(i), UNDEFINED);
        for (const Fact& fact : goal_) state.set(fact.variable, fact.value);
        return true;
    }

    // Operators that achieve a fact of the state and contradict none. One that achieves several is
    // reported for the first of its effects alone.
    void candidates(const PartialState& state, std::vector<OperatorId>& operators) const override {
        const std::span<const Value> values = state.values();
        auto report = [&](std::uint32_t id) {
            const Achievement& achievement = achievements_[id];
            for (const SetEffect& effect : effects_[index(achievement.op)]) {
                if (effect.variable == achievement.variable) break;
                if (values[static_cast<std::size_t>(effect.variable)] == effect.after) return;
            }
            operators.push_back(achievement.op);
        };
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] != UNDEFINED)
                tree_.visit<ConditionTree::Undefined::HOLDS>(roots_[fact_id_(i, values[i])], values, report);
    }

    // Refused where the result holds two mutually exclusive facts.
    bool step(OperatorId op, PartialState& state, Rng&, std::vector<Change>& changes) const override {
        const std::size_t first = changes.size();
        for (const SetEffect& effect : effects_[index(op)]) change(state, effect.variable, effect.before, changes);
        for (const Fact& fact : prevail_[index(op)]) change(state, fact.variable, fact.value, changes);
        if (!state.has_conflict()) return true;
        undo(state, std::span(changes).subspan(first));
        changes.resize(first);
        return false;
    }

    bool is_exact(OperatorId, const PartialState&, std::span<const Change>) const override { return true; }

private:
    struct SetEffect {
        std::int32_t variable;
        Value before;  // UNDEFINED: no precondition on it
        Value after;
    };

    struct Achievement {
        OperatorId op;
        std::int32_t variable;  // of the fact that is achieved
    };

    // By operator, what no fact of a state may contradict: the effects, and the preconditions that stay true.
    static Csr<Fact> required_after(const Task& task, const Guard& guard) {
        PrevailConditions prevail_of(task);
        std::vector<Fact> required;
        auto collect = [&](const Operator& op) {
            required.clear();
            for (const Effect& effect : op.effects) required.push_back(effect.fact);
            const std::span<const Fact> prevail = prevail_of(op);
            required.insert(required.end(), prevail.begin(), prevail.end());
            guard.poll(1 + op.effects.size() + op.preconditions.size());
        };
        UsageOrder order(task.variables.size());
        std::size_t num_facts = 0;
        for (const Operator& op : task.operators) {
            collect(op);
            order.count(required);
            num_facts += required.size();
        }
        Csr<Fact> rows(guard.memory());
        rows.reserve(task.operators.size(), num_facts);
        for (const Operator& op : task.operators) {
            collect(op);
            order.sort(required);
            rows.push_row(required);
        }
        return rows;
    }

    void read_operators(const Task& task, const Guard& guard) {
        PrevailConditions prevail_of(task);
        effects_.reserve(task.operators.size(), task.num_effects());
        achievements_.reserve(task.num_effects());
        for (std::uint32_t id = 0; id < task.operators.size(); ++id) {
            const Operator& op = task.operators[id];
            for (const Effect& effect : op.effects) {
                const std::int32_t variable = effect.fact.variable;
                effects_.push({variable, needed(op, variable), effect.fact.value});
                achievements_.push_back({OperatorId{id}, variable});
            }
            effects_.close_row();
            prevail_.push_row(prevail_of(op));
            guard.poll(1 + op.effects.size() + op.preconditions.size());
        }
    }

    // An achievement needs all that its operator requires, but for the fact that it achieves, which holds.
    Csr<ConditionTree::Item> achievements_by_fact(const Task& task, const Guard& guard) const {
        std::pmr::vector<std::pair<FactId, ConditionTree::Item>> pairs(guard.memory());
        pairs.reserve(achievements_.size());
        std::vector<std::uint32_t> position(num_variables_);  // in the operator's row
        for (std::uint32_t op = 0; op < task.operators.size(); ++op) {
            const std::span<const Fact> row = tree_.conditions(op);
            for (std::uint32_t i = 0; i < row.size(); ++i) position[static_cast<std::size_t>(row[i].variable)] = i;
            for (const Effect& effect : task.operators[op].effects) {
                const std::uint32_t own = position[static_cast<std::size_t>(effect.fact.variable)];
                pairs.push_back({fact_id_(effect.fact), {static_cast<std::uint32_t>(pairs.size()), op, own}});
            }
            guard.poll(1 + row.size());
        }
        return Csr<ConditionTree::Item>::from_pairs(fact_id_.num_facts(), pairs, guard.memory());
    }

    std::vector<Fact> goal_;
    std::size_t num_variables_;
    FactIndex fact_id_;
    Csr<SetEffect> effects_;                      // by operator
    Csr<Fact> prevail_;                           // by operator: preconditions it does not change
    ConditionTree tree_;                          // over what operators require after them
    std::vector<ConditionTree::NodeId> roots_;    // by fact: the operators that achieve it
    std::pmr::vector<Achievement> achievements_;  // by item of the tree
};

}  // namespace

std::unique_ptr<BackwardSpace> make_regression_space(const Task& task, const Guard& guard) {
    return std::make_unique<RegressionSpace>(task, guard);
}

}  // namespace sing
