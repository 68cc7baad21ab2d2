#include "search/plan_improver.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "search/plan_structure.h"

namespace sing {
namespace {

// Passes take turns: near to optimal, on to a plan sooner, and with estimates trusted less.
constexpr std::array STYLES{WindowSearch::Style{1, 1}, WindowSearch::Style{2, 1}, WindowSearch::Style{1.5, 0.7}};

Cost cost_of(const Task& task, std::span<const OperatorId> steps) {
    Cost cost = 0;
    for (OperatorId op : steps) cost = sum(cost, task.cost_of(op));
    return cost;
}

bool hold(std::span<const Fact> facts, std::span<const Value> state) {
    return std::ranges::all_of(
        facts, [&](const Fact& fact) { return state[static_cast<std::size_t>(fact.variable)] == fact.value; });
}

}  // namespace

PlanImprover::PlanImprover(const Task& task, std::uint64_t seed, const Guard& guard)
    : task_(task),
      num_variables_(task.variables.size()),
      has_fixed_effects_(task.has_fixed_effects()),
      rng_(seed),
      search_(task, guard),
      states_(guard.memory()) {}

PlanImprover::Plan PlanImprover::improve(Plan plan, const Limits& limits,
                                         const std::function<bool(std::uint64_t, Cost)>& progress) {
    check(plan);
    const std::uint64_t first_work = work(), last_work = first_work + limits.work;
    Deadline deadline(limits.time_s, [&] { return progress(work() - first_work, cost_of(task_, plan)); });
    MemoryMeter unused;  // the search counts what it takes by itself
    const Guard guard(deadline, unused);
    try {
        while (work() < last_work && cost_of(task_, plan) > 0 && !is_exhausted()) {
            const bool has_helped = pass(plan, std::min(pass_work_, last_work - work()), guard);
            begin_next_pass(has_helped, plan.size());
            if (has_helped) break;
        }
    } catch (const WorkStopped&) {  // what it has by then is a plan, too
        return plan;
    } catch (const std::bad_alloc&) {
        return plan;
    }
    return plan;
}

void PlanImprover::check(const Plan& plan) {
    std::vector<Value> state = task_.initial_state;
    for (OperatorId op : plan) {
        if (index(op) >= task_.operators.size()) throw std::invalid_argument("there is no such operator");
        if (!hold(task_.operators[index(op)].preconditions, state))
            throw std::invalid_argument("the plan to improve cannot be executed");
        search_.advance(state, op);
    }
    if (!hold(task_.goal, state)) throw std::invalid_argument("the plan to improve does not lead to the goal");
}

// Computes the states behind the steps from `first` on.
void PlanImprover::follow(const Plan& plan, std::size_t first) {
    states_.resize((plan.size() + 1) * num_variables_);
    if (first == 0) std::ranges::copy(task_.initial_state, states_.begin());
    for (std::size_t step = first; step < plan.size(); ++step) {
        std::ranges::copy(state(step), state(step + 1).begin());
        search_.advance(state(step + 1), plan[step]);
    }
}

// Whether the plan became cheaper, which it also has where the guard ends the pass.
bool PlanImprover::pass(Plan& plan, std::uint64_t max_work, const Guard& guard) {
    if (num_passes_ % 2 == 1 && has_fixed_effects_) plan = reordered(task_, plan, rng_);
    follow(plan, 0);
    const std::size_t length = std::min(window_length_, plan.size());
    const std::size_t step = std::max<std::size_t>(1, length / 2);
    const std::size_t num_windows = 1 + (plan.size() - length + step - 1) / step;
    const std::uint64_t last_work = work() + max_work;
    bool has_helped = false;
    for (std::size_t begin = 0; begin < plan.size() && work() < last_work;) {
        const std::size_t end = std::min(begin + length, plan.size());
        if (replan(plan, begin, end, 1 + max_work / num_windows, guard)) {
            has_helped = true;  // and the same place once more
        } else if (end == plan.size()) {
            break;
        } else {
            begin += step;
        }
    }
    return has_helped;
}

bool PlanImprover::replan(Plan& plan, std::size_t begin, std::size_t end, std::uint64_t max_work, const Guard& guard) {
    const auto first = plan.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = plan.begin() + static_cast<std::ptrdiff_t>(end);
    const Cost bound = cost_of(task_, {first, last});
    own_work_ += WORK_PER_WINDOW + plan.size();
    if (bound == 0) return false;
    const WindowSearch::Style style = STYLES[num_passes_ / 2 % STYLES.size()];
    const auto way = search_.find(state(begin), goal_of_window(plan, end), bound, style, max_work, rng_, guard);
    was_cut_ = was_cut_ || search_.was_cut();
    if (!way) return false;
    Plan cheaper(plan.begin(), first);
    cheaper.insert(cheaper.end(), way->begin(), way->end());
    cheaper.insert(cheaper.end(), last, plan.end());
    plan = std::move(cheaper);
    follow(plan, begin);
    return true;
}

std::vector<Fact> PlanImprover::goal_of_window(const Plan& plan, std::size_t end) const {
    if (end == plan.size()) return task_.goal;
    if (has_fixed_effects_) return facts_needed(task_, std::span(plan).subspan(end));
    std::vector<Fact> facts;
    for (std::size_t i = 0; i < num_variables_; ++i)
        if (!task_.variables[i].is_derived())
            facts.push_back({static_cast<std::int32_t>(i), states_[end * num_variables_ + i]});
    return facts;
}

void PlanImprover::begin_next_pass(bool has_helped, std::size_t plan_length) {
    ++num_passes_;
    has_helped_ = has_helped_ || has_helped;
    if (window_length_ < plan_length) {
        window_length_ *= 2;
        return;
    }
    window_length_ = SHORTEST;
    const bool was_idle = !has_helped_ && !was_cut_;
    num_idle_rounds_ = was_idle ? num_idle_rounds_ + 1 : 0;
    was_cut_ = false;
    if (!std::exchange(has_helped_, false)) pass_work_ = std::min(2 * pass_work_, MOST_WORK);
}

}  // namespace sing
