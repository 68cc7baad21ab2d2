#include "heuristics/lm_cut.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "heuristics/cost_queue.h"
#include "heuristics/goal_rules.h"
#include "task/operator_costs.h"

namespace sing {

// What a template on the width of numbers does, for callers that do not know it. Numbers are costs in units;
// INFINITE_COST and `enough` as in LowerBound.
class LmCut::Engine {
public:
    virtual ~Engine() = default;
    virtual Cost evaluate(std::span<const Value> state, Cost enough, bool keeps_landmarks, const Guard& guard) = 0;
    virtual Cost evaluate_successor(std::span<const Value> state, OperatorId op, Cost enough, const Guard& guard) = 0;
    virtual std::vector<OperatorLandmark> landmarks() const = 0;
    virtual std::uint64_t num_steps() const = 0;
};

template <typename Number>
class LmCut::EngineOf final : public LmCut::Engine {
public:
    EngineOf(GoalRules rules, std::span<const Cost> numbers, const Guard& guard)
        : rules_(std::move(rules)),
          num_conditions_(guard.memory()),
          initial_costs_(guard.memory()),
          start_costs_(guard.memory()),
          costs_(guard.memory()),
          num_unreached_(guard.memory()),
          supporters_(rules_.size(), guard.memory()),
          supporter_costs_(rules_.size(), guard.memory()),
          fact_costs_(rules_.num_facts(), guard.memory()),
          zones_(rules_.num_facts(), guard.memory()),
          queue_(guard.memory()) {
        for (RuleId rule = 0; rule < rules_.size(); ++rule) {
            num_conditions_.push_back(static_cast<std::uint32_t>(rules_.conditions(rule).size()));
            initial_costs_.push_back(static_cast<Number>(numbers[rule]));
        }
        start_costs_ = costs_ = initial_costs_;
        num_unreached_ = num_conditions_;
    }

    Cost evaluate(std::span<const Value> state, Cost enough, bool keeps_landmarks, const Guard& guard) override {
        if (!keeps_landmarks) return count_landmarks(state, initial_costs_, 0, enough, false, guard);
        landmarks_.clear();
        landmark_rules_.clear();
        const Cost sum = count_landmarks(state, initial_costs_, 0, enough, true, guard);
        start_costs_ = costs_;  // successors begin with what these leave
        return sum;
    }

    Cost evaluate_successor(std::span<const Value> state, OperatorId op, Cost enough, const Guard& guard) override {
        Cost sum = 0;
        given_back_.clear();
        for (const Landmark& landmark : landmarks_) {
            const auto members = rules_of(landmark);
            if (std::ranges::any_of(members, [&](RuleId rule) { return rules_.operator_of(rule) == op; }))
                given_back_.push_back(landmark);
            else
                sum += static_cast<Cost>(landmark.cost);
        }
        num_steps_ += landmark_rules_.size();
        if (sum >= enough) return sum;
        for (const Landmark& landmark : given_back_)
            for (RuleId rule : rules_of(landmark)) start_costs_[rule] += landmark.cost;
        sum = count_landmarks(state, start_costs_, sum, enough, false, guard);
        for (const Landmark& landmark : given_back_)
            for (RuleId rule : rules_of(landmark)) start_costs_[rule] -= landmark.cost;
        return sum;
    }

    std::vector<OperatorLandmark> landmarks() const override {
        std::vector<OperatorLandmark> result;
        for (const Landmark& landmark : landmarks_) {
            result.push_back({{}, static_cast<Cost>(landmark.cost)});
            for (RuleId rule : rules_of(landmark)) result.back().operators.push_back(rules_.operator_of(rule));
        }
        return result;
    }

    std::uint64_t num_steps() const override { return num_steps_; }

private:
    static constexpr FactId NO_FACT = 0xFFFF'FFFFu;
    static constexpr Number UNREACHED = std::numeric_limits<Number>::max();

    struct Landmark {
        std::uint32_t begin, end;  // in landmark_rules_
        Number cost;
    };
    enum class Zone : std::uint8_t { NONE, GOAL, BEFORE };

    std::span<const RuleId> rules_of(const Landmark& landmark) const {
        return std::span(landmark_rules_).subspan(landmark.begin, landmark.end - landmark.begin);
    }

    // `sum` and the costs of the landmarks that are found with these costs of rules.
    Cost count_landmarks(std::span<const Value> state, const std::pmr::vector<Number>& costs, Cost sum, Cost enough,
                         bool keeps_landmarks, const Guard& guard) {
        explore(state, costs, guard);
        const Number& goal_cost = fact_costs_[GoalRules::GOAL];
        if (goal_cost == UNREACHED) return INFINITE_COST;
        while (goal_cost > 0 && sum < enough) {
            mark_goal_zone(guard);
            find_cut(state, guard);
            Number least = UNREACHED;
            for (RuleId rule : cut_) least = std::min(least, costs_[rule]);
            sum += static_cast<Cost>(least);
            if (keeps_landmarks) {
                const auto begin = static_cast<std::uint32_t>(landmark_rules_.size());
                landmark_rules_.insert(landmark_rules_.end(), cut_.begin(), cut_.end());
                landmarks_.push_back({begin, static_cast<std::uint32_t>(landmark_rules_.size()), least});
            }
            lower_costs(least, guard);
        }
        return sum;
    }

    void reach(FactId fact, Number cost) {
        if (cost >= fact_costs_[fact]) return;
        fact_costs_[fact] = cost;
        queue_.push(cost, fact);
    }

    // Computes h_max of all facts, and each rule's supporter.
    void explore(std::span<const Value> state, const std::pmr::vector<Number>& costs, const Guard& guard) {
        costs_ = costs;
        num_unreached_ = num_conditions_;
        std::ranges::fill(supporters_, NO_FACT);
        std::ranges::fill(fact_costs_, UNREACHED);
        queue_.clear();
        rules_.for_facts(state, [&](FactId fact) { reach(fact, 0); });
        guard.poll(1 + rules_.size() / RULES_PER_STEP);
        Number cost = 0;
        FactId fact = 0;
        while (queue_.pop(cost, fact)) {
            if (cost > fact_costs_[fact]) continue;  // reached more cheaply since
            const std::span<const RuleId> rules = rules_.with_condition(fact);
            for (RuleId id : rules) {
                if (--num_unreached_[id] > 0) continue;
                supporters_[id] = dearest_condition(id);
                supporter_costs_[id] = cost;
                for (FactId added : rules_.added(id)) reach(added, cost + costs_[id]);
            }
            count_steps(1 + rules.size(), guard);
        }
    }

    FactId dearest_condition(RuleId rule) const {
        const std::span<const FactId> conditions = rules_.conditions(rule);
        FactId dearest = conditions.front();
        for (FactId condition : conditions.subspan(1))
            if (fact_costs_[condition] > fact_costs_[dearest]) dearest = condition;
        return dearest;
    }

    // The facts from which supporters lead to the goal at no cost.
    void mark_goal_zone(const Guard& guard) {
        std::ranges::fill(zones_, Zone::NONE);
        zones_[GoalRules::GOAL] = Zone::GOAL;
        facts_.assign(1, GoalRules::GOAL);
        while (!facts_.empty()) {
            const FactId fact = facts_.back();
            facts_.pop_back();
            const std::span<const RuleId> rules = rules_.that_add(fact);
            for (RuleId id : rules) {
                const FactId supporter = supporters_[id];
                if (costs_[id] > 0 || supporter == NO_FACT || zones_[supporter] == Zone::GOAL) continue;
                zones_[supporter] = Zone::GOAL;
                facts_.push_back(supporter);
            }
            count_steps(1 + rules.size(), guard);
        }
    }

    // The rules through which supporters lead from the state into the goal's zone.
    void find_cut(std::span<const Value> state, const Guard& guard) {
        cut_.clear();
        auto enter = [&](FactId fact) {
            if (zones_[fact] != Zone::NONE) return;
            zones_[fact] = Zone::BEFORE;
            facts_.push_back(fact);
        };
        rules_.for_facts(state, enter);
        while (!facts_.empty()) {
            const FactId fact = facts_.back();
            facts_.pop_back();
            const std::span<const RuleId> rules = rules_.with_condition(fact);
            for (RuleId id : rules) {
                if (supporters_[id] != fact) continue;
                const std::span<const FactId> added = rules_.added(id);
                if (std::ranges::any_of(added, [&](FactId after) { return zones_[after] == Zone::GOAL; }))
                    cut_.push_back(id);
                else
                    std::ranges::for_each(added, enter);
            }
            count_steps(1 + rules.size(), guard);
        }
    }

    // Takes so much from the cost of each rule of the cut, and brings h_max and supporters up to date.
    void lower_costs(Number amount, const Guard& guard) {
        for (RuleId id : cut_) {
            costs_[id] -= amount;
            for (FactId added : rules_.added(id)) reach(added, supporter_costs_[id] + costs_[id]);
        }
        Number cost = 0;
        FactId fact = 0;
        while (queue_.pop(cost, fact)) {
            if (cost > fact_costs_[fact]) continue;
            const std::span<const RuleId> rules = rules_.with_condition(fact);
            for (RuleId id : rules) {
                if (supporters_[id] != fact || supporter_costs_[id] <= cost) continue;
                supporters_[id] = dearest_condition(id);
                const Number supporter_cost = fact_costs_[supporters_[id]];
                if (supporter_cost == supporter_costs_[id]) continue;
                supporter_costs_[id] = supporter_cost;
                for (FactId added : rules_.added(id)) reach(added, supporter_cost + costs_[id]);
            }
            count_steps(1 + rules.size(), guard);
        }
    }

    void count_steps(std::size_t count, const Guard& guard) {
        num_steps_ += count;
        guard.poll(count);
    }

    static constexpr std::size_t RULES_PER_STEP = 8;  // that are copied

    GoalRules rules_;
    // By rule. Arrays of their own, because most steps look at one of them alone.
    std::pmr::vector<std::uint32_t> num_conditions_;
    std::pmr::vector<Number> initial_costs_;
    std::pmr::vector<Number> start_costs_;  // what the landmarks of a parent leave
    std::pmr::vector<Number> costs_;        // what landmarks have left by now
    std::pmr::vector<std::uint32_t> num_unreached_;
    std::pmr::vector<FactId> supporters_;       // the dearest condition; NO_FACT until all conditions are reached
    std::pmr::vector<Number> supporter_costs_;  // its h_max
    std::pmr::vector<Number> fact_costs_;       // h_max
    std::pmr::vector<Zone> zones_;              // by fact
    CostQueue<Number> queue_;
    std::vector<FactId> facts_;
    std::vector<RuleId> cut_;
    std::vector<Landmark> landmarks_, given_back_;
    std::vector<RuleId> landmark_rules_;
    std::uint64_t num_steps_ = 0;
};

LmCut::LmCut(const Task& task, const Guard& guard) {
    const std::vector<Cost> costs = operator_costs(task, CostKind::REAL);
    unit_ = 0;
    for (Cost cost : costs) unit_ = std::gcd(unit_, cost);
    unit_ = std::max<Cost>(unit_, 1);
    GoalRules rules(task, costs, guard);
    // No number exceeds the sum of all rules' costs.
    std::vector<Cost> numbers;
    Cost sum = 0;
    for (RuleId rule = 0; rule < rules.size(); ++rule) {
        constexpr Cost most = INFINITE_COST / 2;
        numbers.push_back(std::min(rules.cost(rule) / unit_, most / static_cast<Cost>(rules.size())));
        sum += numbers.back();
    }
    if (sum < std::numeric_limits<std::int32_t>::max())
        engine_ = std::make_unique<EngineOf<std::uint32_t>>(std::move(rules), numbers, guard);
    else
        engine_ = std::make_unique<EngineOf<std::uint64_t>>(std::move(rules), numbers, guard);
}

LmCut::~LmCut() = default;

namespace {

// In units, rounded up.
Cost in_units(Cost cost, Cost unit) { return cost == INFINITE_COST ? INFINITE_COST : cost / unit + (cost % unit > 0); }
Cost from_units(Cost number, Cost unit) {
    return number == INFINITE_COST ? INFINITE_COST : finite_product(number, unit);
}

}  // namespace

Cost LmCut::evaluate(std::span<const Value> state, Cost enough, const Guard& guard) {
    return from_units(engine_->evaluate(state, in_units(enough, unit_), true, guard), unit_);
}

Cost LmCut::enter(std::span<const Value> parent, std::size_t num_successors, const Guard& guard) {
    constexpr std::size_t fewest = 3;  // the parent itself takes as long as a state from scratch
    uses_parent_ = num_successors >= fewest;
    return uses_parent_ ? from_units(engine_->evaluate(parent, INFINITE_COST, true, guard), unit_) : 0;
}

Cost LmCut::evaluate_successor(std::span<const Value> successor, OperatorId op, Cost enough, const Guard& guard) {
    const Cost number = uses_parent_ ? engine_->evaluate_successor(successor, op, in_units(enough, unit_), guard)
                                     : engine_->evaluate(successor, in_units(enough, unit_), false, guard);
    return from_units(number, unit_);
}

std::uint64_t LmCut::work() const {
    constexpr std::uint64_t steps_per_unit = 128;
    return engine_->num_steps() / steps_per_unit;
}

std::vector<OperatorLandmark> LmCut::landmarks() const {
    std::vector<OperatorLandmark> landmarks = engine_->landmarks();
    for (OperatorLandmark& landmark : landmarks) landmark.cost = finite_product(landmark.cost, unit_);
    return landmarks;
}

}  // namespace sing
