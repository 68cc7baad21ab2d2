// Cheaper plans from a plan, by large-neighbourhood search: parts of it are planned anew.
#pragma once

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/cost.h"
#include "base/guard.h"
#include "base/rng.h"
#include "search/window_search.h"

namespace sing {

// A window is a part of the plan, from one of its states to what the rest of the plan needs (where there are
// conditional effects or axioms, to the state itself). WindowSearch looks for a cheaper way, and what it finds takes
// the window's place. A pass moves a window of one length along the plan by half of that length at a time; the next
// pass has windows twice as long, up to the whole plan. In every second pass the steps are put into another order
// first, so that a window holds what belongs together (Siddiqui & Haslum 2015 do more of that). When no length has
// helped, all have twice as much work.
//
// The plan is valid at all times and never becomes dearer. The same seed gives the same plans where only work ends it.
class PlanImprover {
public:
    using Plan = std::vector<OperatorId>;

    // Both must outlive the improver; the guard limits what is prepared, and memory from then on.
    PlanImprover(const Task& task, std::uint64_t seed, const Guard& guard);

    struct Limits {
        double time_s;
        std::uint64_t work;  // as WindowSearch counts it
    };
    // A cheaper plan, as soon as a pass has led to one, or the plan itself where the limits end it before. It goes on
    // where the last call ended. `progress(work, cost)`, called about ten times a second, returns false to stop. Throws
    // std::invalid_argument where the plan is wrong.
    Plan improve(Plan plan, const Limits& limits, const std::function<bool(std::uint64_t, Cost)>& progress);

    // Whether more work promises nothing: no pass has helped since each of its windows, in all styles and several
    // orders, was searched to the end.
    bool is_exhausted() const { return num_idle_rounds_ >= ROUNDS_TO_EXHAUST; }
    // All that was done so far.
    std::uint64_t work() const { return search_.work() + own_work_; }
    // The length of the windows that are planned at present.
    std::size_t window_length() const { return window_length_; }

private:
    static constexpr std::uint64_t FIRST_WORK = 500'000, MOST_WORK = std::uint64_t{1} << 40;  // of a pass
    static constexpr std::size_t SHORTEST = 6;
    static constexpr std::uint32_t ROUNDS_TO_EXHAUST = 12;

    // What a search takes before its first state, in units of a successor; a task may need no more than that.
    static constexpr std::uint64_t WORK_PER_WINDOW = 50;

    void check(const Plan& plan);
    void follow(const Plan& plan, std::size_t first);
    bool pass(Plan& plan, std::uint64_t max_work, const Guard& guard);
    bool replan(Plan& plan, std::size_t begin, std::size_t end, std::uint64_t max_work, const Guard& guard);
    std::vector<Fact> goal_of_window(const Plan& plan, std::size_t end) const;
    void begin_next_pass(bool has_helped, std::size_t plan_length);
    std::span<Value> state(std::size_t step) {
        return std::span(states_).subspan(step * num_variables_, num_variables_);
    }

    const Task& task_;
    std::size_t num_variables_;
    bool has_fixed_effects_;
    Rng rng_;
    WindowSearch search_;
    std::pmr::vector<Value> states_;  // along the plan, one after the other
    std::uint64_t own_work_ = 0;      // beside that of the search

    std::size_t window_length_ = SHORTEST;
    std::uint64_t pass_work_ = FIRST_WORK;
    std::uint64_t num_passes_ = 0;
    bool has_helped_ = false;            // a pass since the windows were shortest last
    bool was_cut_ = false;               // a window of such a pass, by its work
    std::uint32_t num_idle_rounds_ = 0;  // of windows of all lengths, none of them cut
};

}  // namespace sing
