#include "search/plan_shortener.h"

#include <algorithm>
#include <stdexcept>

#include "base/guard.h"
#include "goals/goals.h"
#include "states/progression.h"
#include "states/state_packer.h"
#include "states/state_table.h"
#include "states/successor_generator.h"
#include "states/transitions.h"

namespace sing {
namespace {

using Plan = std::vector<OperatorId>;
using State = std::vector<Value>;

class PlanShortener {
public:
    PlanShortener(const Task& task, const ShorteningLimits& limits, const std::function<bool(std::uint64_t)>& progress)
        : task_(task),
          limits_(limits),
          progress_(progress),
          deadline_(limits.time_s, [this] { return progress_(num_generated_); }),
          memory_(limits.memory_bytes),
          packer_(task),
          transitions_(task, packer_, guard()),
          progression_(task, transitions_, guard()),
          generator_(task, guard()),
          goals_(task, guard()) {}

    // Makes the plan shorter until a limit is reached, and returns whether it is known to be shortest.
    bool run(Plan& plan) {
        if (!leads_to_goal(plan)) throw std::invalid_argument("the plan to shorten does not lead to the goal");
        if (goals_.num_open(task_.initial_state) == 0) plan.clear();
        eliminate(plan);
        constexpr std::size_t first_num_states = 1 << 12;
        std::size_t num_states = std::max(first_num_states, 4 * plan.size());
        while (!is_over(0) && plan.size() > 1) {
            Plan shorter = through_neighbourhood(plan, num_states);
            if (shorter.size() < plan.size()) {
                plan = std::move(shorter);
                eliminate(plan);
            } else if (is_whole_space_) {
                return !over_;
            } else {
                num_states *= 2;
            }
        }
        return plan.size() <= 1;
    }

private:
    Guard guard() { return {deadline_, memory_}; }

    bool applies(OperatorId op, const State& state) const {
        return std::ranges::all_of(task_.operators[index(op)].preconditions, [&](const Fact& fact) {
            return state[static_cast<std::size_t>(fact.variable)] == fact.value;
        });
    }

    void apply(OperatorId op, State& state) {
        progression_.enter(state);
        for (const Fact& fact : progression_.changes(state, op))
            state[static_cast<std::size_t>(fact.variable)] = fact.value;
    }

    bool leads_to_goal(const Plan& plan) {
        State state = task_.initial_state;
        for (OperatorId op : plan) {
            if (!applies(op, state)) return false;
            apply(op, state);
        }
        return goals_.num_open(state) == 0;
    }

    // Leaves out operators that others do not need, from the first to the last.
    void eliminate(Plan& plan) {
        State before = task_.initial_state;
        for (std::size_t i = 0; i < plan.size() && !is_over(plan.size() - i);) {
            State state = before;
            Plan rest;
            for (std::size_t k = i + 1; k < plan.size(); ++k) {
                if (!applies(plan[k], state)) continue;
                apply(plan[k], state);
                rest.push_back(plan[k]);
            }
            if (goals_.num_open(state) == 0) {
                plan.resize(i);
                plan.insert(plan.end(), rest.begin(), rest.end());
            } else {
                apply(plan[i], before);
                ++i;
            }
        }
    }

    // A shortest plan through the states around this one, or the plan itself where the limits leave none.
    Plan through_neighbourhood(const Plan& plan, std::size_t num_states) {
        StateTable table(packer_.num_words(), memory_);
        State state = task_.initial_state;
        over_ = !insert(table, state, {NO_STATE, NO_OPERATOR});
        for (OperatorId op : plan) {
            apply(op, state);
            over_ = over_ || !insert(table, state, {NO_STATE, op});
        }
        if (over_) return plan;
        // Breadth first from all states of the plan at once.
        std::uint32_t i = 0;
        for (; i < table.size() && table.size() < num_states; ++i) {
            if (!may_expand()) return plan;
            bool full = false;
            for_successors(
                table, StateId{i}, [&](std::span<const StatePacker::Word> words, std::uint64_t hash, OperatorId op) {
                    full = full || table.insert(words, hash, {StateId{i}, op}).outcome == StateTable::Outcome::FULL;
                });
            if (full) {
                over_ = true;
                return plan;
            }
        }
        is_whole_space_ = i == table.size();
        return shortest_plan(table, plan);
    }

    bool insert(StateTable& table, const State& state, Origin origin) {
        std::vector<StatePacker::Word> words(packer_.num_words());
        packer_.pack(state, words);
        return table.insert(words, table.hash()(words), origin).outcome != StateTable::Outcome::FULL;
    }

    template <typename Visit>
    void for_successors(const StateTable& table, StateId id, Visit visit) {
        values_.resize(packer_.num_variables());
        packer_.unpack(table.state(id), values_);
        progression_.enter(values_);
        operators_.clear();
        generator_.applicable(values_, operators_);
        num_generated_ += operators_.size();
        const std::uint64_t hash = table.hash()(table.state(id));
        words_.resize(packer_.num_words());
        for (OperatorId op : operators_) {
            std::ranges::copy(table.state(id), words_.begin());
            std::uint64_t successor_hash = transitions_.apply(op, words_, hash, table.hash());
            if (transitions_.has_conditions())
                successor_hash = transitions_.apply_conditional(op, values_, words_, successor_hash, table.hash());
            visit(std::span<const StatePacker::Word>(words_), successor_hash, op);
        }
    }

    // Breadth first from the initial state, through the registered states alone.
    Plan shortest_plan(const StateTable& table, const Plan& plan) {
        std::pmr::vector<Origin> origins(table.size(), {NO_STATE, NO_OPERATOR}, &memory_);
        std::pmr::vector<bool> reached(table.size(), false, &memory_);
        std::pmr::vector<StateId> queue(1, StateId{0}, &memory_);
        reached[0] = true;
        for (std::size_t i = 0; i < queue.size(); ++i) {
            if (!may_expand()) return plan;
            const StateId id = queue[i];
            StateId goal = NO_STATE;
            for_successors(table, id, [&](std::span<const StatePacker::Word> words, std::uint64_t hash, OperatorId op) {
                const StateId successor = table.find(words, hash);
                if (goal != NO_STATE || successor == NO_STATE || reached[index(successor)]) return;
                reached[index(successor)] = true;
                origins[index(successor)] = {id, op};
                queue.push_back(successor);
                if (goals_.num_open(values_) + goals_.change(values_, progression_.changes(values_, op)) == 0)
                    goal = successor;
            });
            if (goal == NO_STATE) continue;
            Plan found;
            for (; origins[index(goal)].op != NO_OPERATOR; goal = origins[index(goal)].parent)
                found.push_back(origins[index(goal)].op);
            std::ranges::reverse(found);
            return found;
        }
        return plan;
    }

    bool may_expand() {
        if (num_generated_ >= limits_.num_generated) over_ = true;
        return !is_over(1 + operators_.size());
    }

    // Whether to stop, after so much work.
    bool is_over(std::size_t work) {
        over_ = over_ || deadline_.passed(work);
        return over_;
    }

    const Task& task_;
    ShorteningLimits limits_;
    const std::function<bool(std::uint64_t)>& progress_;
    std::uint64_t num_generated_ = 0;
    Deadline deadline_;
    MemoryMeter memory_;
    StatePacker packer_;
    Transitions transitions_;
    Progression progression_;
    SuccessorGenerator generator_;
    Goals goals_;
    bool is_whole_space_ = false;  // the last neighbourhood was all that can be reached
    bool over_ = false;

    State values_;
    std::vector<OperatorId> operators_;
    std::vector<StatePacker::Word> words_;
};

}  // namespace

ShorterPlan shorten_plan(const Task& task, std::span<const OperatorId> plan, const ShorteningLimits& limits,
                         const std::function<bool(std::uint64_t)>& progress) {
    for (OperatorId op : plan)
        if (index(op) >= task.operators.size()) throw std::invalid_argument("there is no such operator");
    ShorterPlan shorter{Plan(plan.begin(), plan.end()), false};
    try {
        shorter.is_shortest = PlanShortener(task, limits, progress).run(shorter.operators);
        return shorter;
    } catch (const WorkStopped&) {  // what it has by then is a plan, too
        return shorter;
    } catch (const std::bad_alloc&) {
        return shorter;
    }
}

}  // namespace sing
