#include "samples/general_regression.h"

#include <algorithm>
#include <utility>

#include "base/csr.h"
#include "samples/demands.h"
#include "task/fact_index.h"

namespace sing {
namespace {

class GeneralRegressionSpace : public BackwardSpace {
public:
    GeneralRegressionSpace(const Task& task, const Guard& guard)
        : task_(task), table_(task, guard), fact_id_(task), achievers_(guard.memory()) {
        std::pmr::vector<std::pair<FactId, OperatorId>> pairs(guard.memory());
        for (std::uint32_t op = 0; op < task.operators.size(); ++op) {
            for (const Effect& effect : task.operators[op].effects)
                pairs.emplace_back(fact_id_(effect.fact), OperatorId{op});
            guard.poll(1 + task.operators[op].effects.size());
        }
        achievers_ = Csr<OperatorId>::from_pairs(fact_id_.num_facts(), pairs, guard.memory());
    }

    bool draw_start(PartialState& state, Rng& rng) const override {
        for (std::size_t i = 0; i < task_.variables.size(); ++i) state.set(static_cast<std::int32_t>(i), UNDEFINED);
        return put_facts(task_.goal, state, rng);
    }

    bool put_facts(std::span<const Fact> facts, PartialState& state, Rng& rng) const override {
        std::vector<Change> changes;
        Demands demands(table_, state, rng, changes);
        demands.require(facts);
        if (demands.meet() && !state.has_conflict()) return true;
        undo(state, changes);
        return false;
    }

    // Operators with an effect, perhaps a conditional one, that achieves a fact of the state.
    void candidates(const PartialState& state, std::vector<OperatorId>& operators) const override {
        const auto first = static_cast<std::ptrdiff_t>(operators.size());
        const std::span<const Value> values = state.values();
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i] == UNDEFINED) continue;
            const std::span<const OperatorId> found = achievers_[fact_id_(i, values[i])];
            operators.insert(operators.end(), found.begin(), found.end());
        }
        std::sort(operators.begin() + first, operators.end());
        operators.erase(std::unique(operators.begin() + first, operators.end()), operators.end());
    }

    bool step(OperatorId id, PartialState& state, Rng& rng, std::vector<Change>& changes) const override {
        const std::size_t first = changes.size();
        const Operator& op = task_.operators[index(id)];
        Demands demands(table_, state, rng, changes);
        demands.require(op.preconditions);
        if (choose_effects(op, state, rng, changes, demands) && demands.meet() && !state.has_conflict()) return true;
        undo(state, std::span(changes).subspan(first));
        changes.resize(first);
        return false;
    }

    bool is_exact(OperatorId, const PartialState&, std::span<const Change>) const override { return true; }

private:
    bool holds(Fact fact, const PartialState& state) const { return state[fact.variable] == fact.value; }

    // Chooses for each fact of the state that the operator may set where it comes from, and what must not happen for
    // that. Facts that effects achieve leave the state.
    bool choose_effects(const Operator& op, PartialState& state, Rng& rng, std::vector<Change>& changes,
                        Demands& demands) const {
        std::vector<std::size_t> achieving;
        for (std::size_t i = 0; i < op.effects.size(); ++i)
            if (holds(op.effects[i].fact, state)) achieving.push_back(i);
        if (achieving.empty()) return false;
        const std::size_t chosen = achieving[rng.below(static_cast<std::uint32_t>(achieving.size()))];
        if (!choose_from(op, chosen, state, demands)) return false;
        std::vector<Fact> achieved{op.effects[chosen].fact};
        std::vector<std::int32_t> seen{op.effects[chosen].fact.variable};
        for (const Effect& effect : op.effects) {
            const std::int32_t variable = effect.fact.variable;
            if (state[variable] == UNDEFINED || std::ranges::find(seen, variable) != seen.end()) continue;
            seen.push_back(variable);
            const std::size_t source = choose_source(op, variable, state, rng);
            if (!choose_from(op, source, state, demands, variable)) return false;
            if (source < op.effects.size()) achieved.push_back(op.effects[source].fact);
        }
        for (const Fact& fact : achieved) change(state, fact.variable, UNDEFINED, changes);
        return true;
    }

    // The effect that a fact comes from, or their number where it was there before: at random among what is possible
    // by the effects without conditions.
    std::size_t choose_source(const Operator& op, std::int32_t variable, const PartialState& state, Rng& rng) const {
        std::vector<std::size_t> sources{op.effects.size()};
        for (std::size_t i = 0; i < op.effects.size(); ++i) {
            const Effect& effect = op.effects[i];
            if (effect.fact.variable != variable) continue;
            if (effect.conditions.empty()) sources.clear();
            if (holds(effect.fact, state)) sources.push_back(i);
        }
        return sources.empty() ? op.effects.size() : sources[rng.below(static_cast<std::uint32_t>(sources.size()))];
    }

    // Demands that the effect takes place, if there is one, and that no later effect on its variable undoes it. False
    // where one without conditions does.
    bool choose_from(const Operator& op, std::size_t source, const PartialState& state, Demands& demands,
                     std::int32_t variable = -1) const {
        std::size_t next = 0;
        if (source < op.effects.size()) {
            demands.require(op.effects[source].conditions);
            variable = op.effects[source].fact.variable;
            next = source + 1;
        }
        for (; next < op.effects.size(); ++next) {
            const Effect& effect = op.effects[next];
            if (effect.fact.variable != variable || holds(effect.fact, state)) continue;
            if (effect.conditions.empty()) return false;
            demands.deny(effect.conditions);
        }
        return true;
    }

    const Task& task_;
    AxiomTable table_;
    FactIndex fact_id_;
    Csr<OperatorId> achievers_;  // by fact
};

}  // namespace

std::unique_ptr<BackwardSpace> make_general_regression(const Task& task, const Guard& guard) {
    return std::make_unique<GeneralRegressionSpace>(task, guard);
}

}  // namespace sing
