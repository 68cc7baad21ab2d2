#include "search/plan_shortener.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <queue>
#include <stdexcept>
#include <tuple>

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
          goals_(task, guard()) {
        for (std::uint32_t op = 0; op < task.operators.size(); ++op)
            least_cost_ = std::min(least_cost_, task.cost_of(OperatorId{op}));
    }

    // Makes the plan cheaper until a limit is reached, and returns whether it is known to be cheapest.
    bool run(Plan& plan) {
        if (!leads_to_goal(plan)) throw std::invalid_argument("the plan to shorten does not lead to the goal");
        if (goals_.num_open(task_.initial_state) == 0) plan.clear();
        eliminate(plan);
        constexpr std::size_t first_num_states = 1 << 12;
        std::size_t num_states = std::max(first_num_states, 4 * plan.size());
        while (!is_over(0) && (plan.size() > 1 || !costs_least(plan))) {
            Plan better = through_neighbourhood(plan, num_states);
            if (length_of(better) < length_of(plan)) {
                plan = std::move(better);
                eliminate(plan);
            } else if (is_whole_space_) {
                return !over_ || costs_least(plan);
            } else {
                num_states *= 2;
            }
        }
        return costs_least(plan);
    }

private:
    // What plans and ways are compared by.
    struct Length {
        Cost cost;
        std::uint32_t num_operators;
        auto operator<=>(const Length&) const = default;
    };
    struct Entry {
        Length length;
        std::uint32_t number;  // in the order of being pushed
        StateId state;
        bool operator>(const Entry& other) const {
            return std::tie(length, number) > std::tie(other.length, other.number);
        }
    };
    static constexpr Length UNREACHED{INFINITE_COST, 0xFFFF'FFFFu};

    Guard guard() { return {deadline_, memory_}; }

    Length behind(const Length& way, OperatorId op) const {
        return {sum(way.cost, task_.cost_of(op)), way.num_operators + 1};
    }
    Length length_of(const Plan& plan) const {
        Length length{0, 0};
        for (OperatorId op : plan) length = behind(length, op);
        return length;
    }
    // Where any plan costs as much.
    bool costs_least(const Plan& plan) const { return plan.empty() || length_of(plan).cost <= least_cost_; }

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

    // A cheapest plan through the states around this one, or the plan itself where the limits leave none.
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
        return cheapest_plan(table, plan);
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

    // From the initial state, through the registered states alone, cheapest ways first.
    Plan cheapest_plan(const StateTable& table, const Plan& plan) {
        std::pmr::vector<Origin> origins(table.size(), {NO_STATE, NO_OPERATOR}, &memory_);
        std::pmr::vector<Length> lengths(table.size(), UNREACHED, &memory_);
        std::priority_queue<Entry, std::pmr::vector<Entry>, std::greater<>> queue{std::greater<>(),
                                                                                  std::pmr::vector<Entry>(&memory_)};
        lengths[0] = {0, 0};
        queue.push({lengths[0], 0, StateId{0}});
        StateId goal = NO_STATE;
        for (std::uint32_t number = 1; !queue.empty();) {
            const Length length = queue.top().length;
            const StateId id = queue.top().state;
            queue.pop();
            if (length != lengths[index(id)]) continue;  // reached in a shorter way since
            // No other goal costs less than one more operator from here.
            if (goal != NO_STATE && lengths[index(goal)].cost <= sum(length.cost, least_cost_)) break;
            if (!may_expand()) return plan;
            for_successors(table, id, [&](std::span<const StatePacker::Word> words, std::uint64_t hash, OperatorId op) {
                const StateId successor = table.find(words, hash);
                const Length way = behind(length, op);
                if (successor == NO_STATE || lengths[index(successor)] <= way) return;
                lengths[index(successor)] = way;
                origins[index(successor)] = {id, op};
                queue.push({way, number++, successor});
                if (goals_.num_open(values_) + goals_.change(values_, progression_.changes(values_, op)) == 0)
                    if (goal == NO_STATE || way < lengths[index(goal)]) goal = successor;
            });
        }
        if (goal == NO_STATE) return plan;
        Plan found;
        for (; origins[index(goal)].op != NO_OPERATOR; goal = origins[index(goal)].parent)
            found.push_back(origins[index(goal)].op);
        std::ranges::reverse(found);
        return found;
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
    Cost least_cost_ = INFINITE_COST;  // of an operator

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
        shorter.is_cheapest = PlanShortener(task, limits, progress).run(shorter.operators);
        return shorter;
    } catch (const WorkStopped&) {  // what it has by then is a plan, too
        return shorter;
    } catch (const std::bad_alloc&) {
        return shorter;
    }
}

}  // namespace sing
