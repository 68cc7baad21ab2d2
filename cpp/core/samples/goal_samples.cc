#include "samples/goal_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/rng.h"
#include "samples/hindsight.h"
#include "states/partial_state.h"
#include "task/derived_values.h"
#include "task/mutexes.h"

namespace sing {

namespace {

constexpr float NO_LABEL = std::numeric_limits<float>::quiet_NaN();

class GoalLabeller {
public:
    GoalLabeller(const Task& task, const Search& search, const GoalSamplesConfig& config,
                 const GoalSamplesLimits& limits, const std::function<bool()>& keep_going)
        : task_(task),
          search_(search),
          config_(config),
          deadline_(limits.time_s, keep_going),
          meter_(limits.memory_bytes),
          patterns_(find_patterns_in(limits.time_s / 2, keep_going)),
          matcher_(task, patterns_, Guard(deadline_, meter_)),
          mutexes_(task, Guard(deadline_, meter_)),
          derived_(task, Guard(deadline_, meter_)),
          furthest_(task.goal.size()),
          rng_(config.seed),
          derived_goals_(&meter_) {
        for (const Pattern& pattern : patterns_)
            if (pattern.is_shortest) furthest_[pattern.goal] = std::max(furthest_[pattern.goal], pattern.depth);
    }

    GoalSamples run() {
        samples_.num_patterns = patterns_.size();
        choose_seen();
        add_seen();
        add_completed();
        drop_unlabelled();
        return std::move(samples_);
    }

private:
    std::vector<Pattern> find_patterns_in(double time_s, const std::function<bool()>& keep_going) {
        Deadline deadline(time_s, keep_going);
        return find_patterns(task_, config_.patterns, deadline, meter_);
    }

    std::size_t num_variables() const { return task_.variables.size(); }
    std::size_t num_goals() const { return task_.goal.size(); }
    std::span<const Value> state(std::size_t row) const {
        return std::span(samples_.states).subspan(row * num_variables(), num_variables());
    }

    // Expanded states at random; the initial state is one, also of a search that never began.
    void choose_seen() {
        seen_.push_back(StateId{0});
        for (const Link& link : search_.links()) {
            num_states_ = std::max({num_states_, index(link.from) + 1, index(link.to) + 1});
            if (link.from != seen_.back()) seen_.push_back(link.from);  // links of one state are together
        }
        const std::size_t count = std::min(std::max<std::size_t>(config_.num_states, 1), seen_.size());
        for (std::size_t i = 0; i < count; ++i)
            std::swap(seen_[i], seen_[i + rng_.below(static_cast<std::uint32_t>(seen_.size() - i))]);
        seen_.resize(count);
    }

    void add_seen() {
        samples_.states.resize(seen_.size() * num_variables());
        samples_.labels.assign(seen_.size() * num_goals(), NO_LABEL);
        for (std::size_t i = 0; i < seen_.size(); ++i)
            search_.unpack(seen_[i], std::span(samples_.states).subspan(i * num_variables(), num_variables()));
        see_derived_goals();
        Hindsight hindsight(num_states_, search_.links());
        std::vector<std::uint16_t> known(num_states_);
        for (std::uint32_t goal = 0; goal < num_goals() && !deadline_.passed(num_states_ / 8); ++goal) {
            if (see_goal(goal, known))
                ++samples_.num_reached;
            else
                see_patterns(goal, known);
            if (deadline_.passed(0)) return;  // some matches may be missing
            hindsight.lower(known);
            label_seen(goal, known);
        }
    }

    // Whether the goal holds in a state of the search; known is 0 in all of these.
    bool see_goal(std::uint32_t goal, std::span<std::uint16_t> known) const {
        const Fact fact = task_.goal[goal];
        bool seen = false;
        for (std::uint32_t id = 0; id < known.size(); ++id) {
            const bool holds = derived_goals_.empty() || !task_.is_derived(fact.variable)
                                   ? search_.value(StateId{id}, fact.variable) == fact.value
                                   : derived_goals_[std::size_t{id} * num_goals() + goal];
            known[id] = holds ? 0 : Hindsight::FAR;
            seen |= holds;
        }
        return seen;
    }

    // Derived goals are looked at state by state, because their values follow from all others.
    void see_derived_goals() {
        if (std::ranges::none_of(task_.goal, [&](const Fact& fact) { return task_.is_derived(fact.variable); })) return;
        derived_goals_.assign(num_states_ * num_goals(), false);
        std::vector<Value> values(num_variables());
        for (std::uint32_t id = 0; id < num_states_ && !deadline_.passed(1 + num_variables() / 8); ++id) {
            search_.unpack(StateId{id}, values);
            for (std::uint32_t goal = 0; goal < num_goals(); ++goal)
                derived_goals_[std::size_t{id} * num_goals() + goal] =
                    values[static_cast<std::size_t>(task_.goal[goal].variable)] == task_.goal[goal].value;
        }
    }

    void see_patterns(std::uint32_t goal, std::span<std::uint16_t> known) {
        constexpr std::size_t work_of_match = 4;
        for (std::size_t row = 0; row < seen_.size() && !deadline_.passed(work_of_match); ++row) {
            const std::uint32_t depth = matcher_.depth(goal, state(row));
            if (depth < Hindsight::FAR) known[index(seen_[row])] = static_cast<std::uint16_t>(depth);
        }
    }

    void label_seen(std::uint32_t goal, std::span<const std::uint16_t> known) {
        std::uint32_t furthest = furthest_[goal];
        for (StateId id : seen_)
            if (const std::uint16_t distance = known[index(id)]; distance != Hindsight::FAR)
                furthest = std::max<std::uint32_t>(furthest, distance);
        for (std::size_t row = 0; row < seen_.size(); ++row) {
            const std::uint16_t distance = known[index(seen_[row])];
            float& label = samples_.labels[row * num_goals() + goal];
            if (distance != 0 && distance != Hindsight::FAR) label = distance;
            if (distance == Hindsight::FAR && config_.far_labels) label = static_cast<float>(furthest + 1);
        }
    }

    // As many patterns of walks as of searches, where there are both.
    void add_completed() {
        std::vector<const Pattern*> of_kind[2];
        for (const Pattern& pattern : patterns_)
            if (pattern.depth > 0) of_kind[pattern.is_shortest].push_back(&pattern);
        PartialState partial(task_, mutexes_);
        for (std::size_t i = 0; i < config_.num_completed && !deadline_.passed(num_variables()); ++i) {
            const auto& patterns = of_kind[i % 2].empty() ? of_kind[1 - i % 2] : of_kind[i % 2];
            if (patterns.empty()) return;
            complete(*patterns[rng_.below(static_cast<std::uint32_t>(patterns.size()))], partial);
        }
    }

    void complete(const Pattern& pattern, PartialState& partial) {
        for (std::size_t i = 0; i < num_variables(); ++i) partial.set(static_cast<std::int32_t>(i), UNDEFINED);
        for (const Fact& fact : pattern.facts) partial.set(fact.variable, fact.value);
        model_.resize(num_variables());
        search_.unpack(seen_[rng_.below(static_cast<std::uint32_t>(seen_.size()))], model_);
        if (!partial.complete_from(model_, rng_)) return;
        model_.assign(partial.values().begin(), partial.values().end());
        derived_.complete(model_);
        const std::uint32_t depth = matcher_.depth(pattern.goal, model_);
        if (depth == 0) return;  // the goal holds
        samples_.states.insert(samples_.states.end(), model_.begin(), model_.end());
        samples_.labels.insert(samples_.labels.end(), num_goals(), NO_LABEL);
        samples_.labels[samples_.labels.size() - num_goals() + pattern.goal] = static_cast<float>(depth);
    }

    // States without any label are dropped: training cannot use them.
    void drop_unlabelled() {
        const std::size_t num_rows = samples_.labels.size() / num_goals();
        for (std::size_t row = 0; row < num_rows; ++row) {
            const auto labels = std::span(samples_.labels).subspan(row * num_goals(), num_goals());
            if (std::ranges::all_of(labels, [](float label) { return std::isnan(label); })) continue;
            const std::size_t to = samples_.size++;
            std::copy_n(labels.begin(), num_goals(),
                        samples_.labels.begin() + static_cast<std::ptrdiff_t>(to * num_goals()));
            const auto values = state(row);
            std::copy_n(values.begin(), num_variables(),
                        samples_.states.begin() + static_cast<std::ptrdiff_t>(to * num_variables()));
        }
        samples_.states.resize(samples_.size * num_variables());
        samples_.labels.resize(samples_.size * num_goals());
    }

    const Task& task_;
    const Search& search_;
    const GoalSamplesConfig& config_;
    Deadline deadline_;
    MemoryMeter meter_;
    std::vector<Pattern> patterns_;
    PatternMatcher matcher_;
    Mutexes mutexes_;
    DerivedValues derived_;
    std::vector<std::uint32_t> furthest_;  // by goal: the depth of the deepest pattern of its searches
    Rng rng_;
    std::vector<StateId> seen_;  // the chosen ones, by row of the samples
    std::size_t num_states_ = 1;
    std::pmr::vector<bool> derived_goals_;  // [states, goals], whether it holds; empty where no goal is derived
    std::vector<Value> model_;
    GoalSamples samples_;
};

}  // namespace

GoalSamples make_goal_samples(const Task& task, const Search& search, const GoalSamplesConfig& config,
                              const GoalSamplesLimits& limits, const std::function<bool()>& keep_going) {
    if (search.num_variables() != task.variables.size())
        throw std::invalid_argument("the search is one of another task");
    if (search.num_states() == 0) throw std::invalid_argument("samples need a search that has run");
    if (task.goal.empty()) return {};
    try {
        return GoalLabeller(task, search, config, limits, keep_going).run();
    } catch (const WorkStopped&) {
        return {};
    }
}

}  // namespace sing
