#include "samples/patterns.h"

#include <algorithm>
#include <memory>

#include "base/csr.h"
#include "base/rng.h"
#include "samples/make_backward_space.h"
#include "states/partial_state.h"
#include "task/fact_index.h"
#include "task/mutexes.h"

namespace sing {

namespace {

class PatternSearch {
public:
    PatternSearch(const Task& task, const PatternConfig& config, Deadline& deadline, const Guard& guard)
        : goal_(task.goal),
          num_variables_(task.variables.size()),
          max_facts_(config.max_facts),
          max_branching_(config.max_branching),
          deadline_(deadline),
          mutexes_(task, guard),
          space_(make_backward_space("r", task, false, guard)),
          state_(task, mutexes_),
          fact_id_(task),
          rng_(config.seed) {
        for (const Fact& fact : task.goal) is_derived_goal_.push_back(task.is_derived(fact.variable));
    }

    bool is_full() const { return max_facts_ == 0; }

    // Appends the patterns of one breadth-first search from one goal, pruned by novelty of this width.
    void search(std::uint32_t goal, std::uint32_t width, std::uint64_t max_steps, std::vector<Pattern>& patterns) {
        std::size_t next = patterns.size();
        if (is_derived_goal_[goal]) {
            patterns.push_back({goal, 0, {goal_[goal]}, true});
            ++next;
        }
        // A derived goal has several ways to hold; the searches of other rounds begin from others.
        constexpr int num_starts_of_derived = 8;
        for (int i = is_derived_goal_[goal] ? num_starts_of_derived : 1; i > 0; --i)
            if (start(goal, width)) patterns.push_back({goal, 0, facts(), true});
        for (std::uint64_t num_steps = 0; next < patterns.size() && num_steps < max_steps && !is_full(); ++next) {
            load(patterns[next]);
            const std::size_t num_tried = list_operators();
            for (std::size_t i = 0; i < num_tried; ++i) {
                if (!step(i)) continue;
                patterns.push_back({goal, patterns[next].depth + 1, facts(), true});
                BackwardSpace::undo(state_, changes_);
            }
            num_steps += work(num_tried);
            if (deadline_.passed(work(num_tried))) return;
        }
    }

    // Appends the patterns of one walk from one goal, and returns the steps it used.
    std::uint64_t walk(std::uint32_t goal, std::uint64_t max_steps, std::vector<Pattern>& patterns) {
        std::uint64_t num_steps = 0;
        if (!start(goal, 1)) return max_steps;
        for (std::uint32_t depth = 1; num_steps < max_steps && !is_full(); ++depth) {
            const std::size_t num_tried = list_operators();
            std::size_t i = 0;
            while (i < num_tried && !step(i)) ++i;
            num_steps += work(i);
            if (i == num_tried || deadline_.passed(work(i))) break;
            patterns.push_back({goal, depth, facts(), false});
        }
        return num_steps;
    }

private:
    void load(const Pattern& pattern) {
        for (std::size_t i = 0; i < num_variables_; ++i) state_.set(static_cast<std::int32_t>(i), UNDEFINED);
        for (const Fact& fact : pattern.facts) state_.set(fact.variable, fact.value);
    }

    // Width 2 needs a bit for every pair of facts. False where a derived goal found nothing to follow from.
    bool start(std::uint32_t goal, std::uint32_t width) {
        constexpr std::size_t max_facts_of_pairs = 4096;
        const std::size_t num_facts = fact_id_.num_facts();
        by_pairs_ = width > 1 && num_facts <= max_facts_of_pairs;
        is_seen_.assign(by_pairs_ ? num_facts * num_facts : num_facts, false);
        is_seen_[by_pairs_ ? pair_of(goal_[goal], goal_[goal]) : fact_id_(goal_[goal])] = true;
        load({goal, 0, {}, true});
        return space_->put_facts({&goal_[goal], 1}, state_, rng_);
    }

    // Lists what may be stepped over backward, and returns how many of these are to be tried.
    std::size_t list_operators() {
        operators_.clear();
        space_->candidates(state_, operators_);
        return std::min<std::size_t>(operators_.size(), max_branching_);
    }

    // Listing steps costs less than trying them, and looking at a variable less still.
    std::size_t work(std::size_t num_tried) const {
        constexpr std::size_t listed_per_step = 8, variables_per_step = 256;
        return 1 + num_tried + operators_.size() / listed_per_step + num_variables_ / variables_per_step;
    }

    // Steps over a random operator of those from `position` on, which takes that place. False, and the state as it was,
    // where the step is refused or brings no news.
    bool step(std::size_t position) {
        const auto left = static_cast<std::uint32_t>(operators_.size() - position);
        std::swap(operators_[position], operators_[position + rng_.below(left)]);
        changes_.clear();
        if (!space_->step(operators_[position], state_, rng_, changes_)) return false;
        if (has_news()) return true;
        BackwardSpace::undo(state_, changes_);
        return false;
    }

    std::size_t pair_of(Fact a, Fact b) const {
        const FactId first = fact_id_(a), second = fact_id_(b);
        return std::min(first, second) * fact_id_.num_facts() + std::max(first, second);
    }

    // Whether the last step brought a fact, or a pair of facts, that was not seen; it is from now on.
    bool has_news() {
        bool news = false;
        auto see = [&](std::size_t bit) {
            news |= !is_seen_[bit];
            is_seen_[bit] = true;
        };
        for (const Change& change : changes_) {
            const Fact fact{change.variable, state_[change.variable]};
            if (fact.value == UNDEFINED) continue;
            if (by_pairs_)
                for_facts([&](Fact other) { see(pair_of(fact, other)); });
            else
                see(fact_id_(fact));
        }
        return news;
    }

    template <typename Visit>
    void for_facts(Visit visit) const {
        for (std::size_t i = 0; i < num_variables_; ++i)
            if (const auto variable = static_cast<std::int32_t>(i); state_[variable] != UNDEFINED)
                visit(Fact{variable, state_[variable]});
    }

    // Those of the present state.
    std::vector<Fact> facts() {
        std::vector<Fact> facts;
        for_facts([&](Fact fact) { facts.push_back(fact); });
        max_facts_ -= std::min<std::uint64_t>(max_facts_, facts.size());
        return facts;
    }

    const std::vector<Fact>& goal_;
    std::vector<char> is_derived_goal_;  // by goal
    std::size_t num_variables_;
    std::uint64_t max_facts_;  // that there is still room for
    std::size_t max_branching_;
    Deadline& deadline_;
    Mutexes mutexes_;
    std::unique_ptr<BackwardSpace> space_;
    PartialState state_;
    FactIndex fact_id_;
    Rng rng_;
    bool by_pairs_ = false;
    std::vector<bool> is_seen_;  // by fact or pair of facts, in this search
    std::vector<OperatorId> operators_;
    std::vector<Change> changes_;
};

}  // namespace

namespace {

// Null where the deadline or the memory leaves no room to prepare it.
std::unique_ptr<PatternSearch> prepare(const Task& task, const PatternConfig& config, Deadline& deadline,
                                       MemoryMeter& meter) {
    try {
        return std::make_unique<PatternSearch>(task, config, deadline, Guard(deadline, meter));
    } catch (const WorkStopped&) {
        return nullptr;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

}  // namespace

std::vector<Pattern> find_patterns(const Task& task, const PatternConfig& config, Deadline& deadline,
                                   MemoryMeter& meter) {
    std::vector<Pattern> patterns;
    const std::unique_ptr<PatternSearch> prepared = prepare(task, config, deadline, meter);
    if (!prepared) return patterns;
    PatternSearch& regression = *prepared;
    const auto num_goals = static_cast<std::uint32_t>(task.goal.size());
    // All goals once before any of them a second time, so that a deadline leaves none without.
    for (std::uint32_t round = 0; round < config.num_searches; ++round)
        for (std::uint32_t goal = 0; goal < num_goals && !deadline.passed(0) && !regression.is_full(); ++goal)
            regression.search(goal, round % 2 == 0 ? 1 : config.max_width,
                              1 + config.max_steps / (std::uint64_t{num_goals} * config.num_searches), patterns);
    const std::uint64_t steps_per_goal = config.max_steps / std::max(num_goals, 1u);
    std::vector<std::uint64_t> steps_left(num_goals, steps_per_goal);
    for (std::uint32_t round = 0; round < config.num_walks; ++round)
        for (std::uint32_t goal = 0; goal < num_goals && !deadline.passed(0) && !regression.is_full(); ++goal)
            if (const std::uint64_t left = steps_left[goal]; left > 0)
                steps_left[goal] -= std::min(left, regression.walk(goal, left, patterns));
    return patterns;
}

PatternMatcher::PatternMatcher(const Task& task, std::span<const Pattern> patterns, const Guard& guard)
    : tree_(task, sorted_facts(task, patterns, guard), guard) {
    std::vector<std::vector<ConditionTree::Item>> of_goal(task.goal.size());
    for (std::uint32_t i = 0; i < patterns.size(); ++i) {
        depths_.push_back(patterns[i].depth);
        of_goal[patterns[i].goal].push_back({i, i});
    }
    for (auto& items : of_goal) roots_.push_back(tree_.add(items, guard));
}

Csr<Fact> PatternMatcher::sorted_facts(const Task& task, std::span<const Pattern> patterns, const Guard& guard) {
    UsageOrder order(task.variables.size());
    std::size_t num_facts = 0;
    for (const Pattern& pattern : patterns) {
        order.count(pattern.facts);
        num_facts += pattern.facts.size();
    }
    Csr<Fact> rows(guard.memory());
    rows.reserve(patterns.size(), num_facts);
    std::vector<Fact> facts;
    for (const Pattern& pattern : patterns) {
        facts = pattern.facts;
        order.sort(facts);
        rows.push_row(facts);
        guard.poll(1 + facts.size());
    }
    return rows;
}

std::uint32_t PatternMatcher::depth(std::uint32_t goal, std::span<const Value> state) const {
    std::uint32_t least = NONE;
    tree_.visit<ConditionTree::Undefined::NEVER>(
        roots_[goal], state, [&](std::uint32_t pattern) { least = std::min(least, depths_[pattern]); });
    return least;
}

}  // namespace sing
