#include "search/plan_structure.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace sing {
namespace {

// Which steps must come before which, by the variables that they read and change.
class StepOrders {
public:
    StepOrders(const Task& task, std::span<const OperatorId> plan) : followers_(plan.size()), num_before_(plan.size()) {
        for (std::uint32_t step = 0; step < plan.size(); ++step) {
            const Operator& op = task.operators[index(plan[step])];
            for (const Fact& fact : op.preconditions) read(step, fact.variable);
            for (const Effect& effect : op.effects)
                for (const Fact& fact : effect.conditions) read(step, fact.variable);
            for (const Effect& effect : op.effects) change(step, effect.fact.variable);
        }
    }

    // An order of the steps: mostly the step that became possible last, so that chains stay together.
    std::vector<std::uint32_t> draw(Rng& rng) {
        constexpr std::uint32_t one_in = 8;  // steps are drawn from all that are possible
        std::vector<std::uint32_t> possible, order;
        for (auto step = static_cast<std::uint32_t>(followers_.size()); step-- > 0;)
            if (num_before_[step] == 0) possible.push_back(step);
        while (!possible.empty()) {
            if (rng.below(one_in) == 0)
                std::swap(possible[rng.below(static_cast<std::uint32_t>(possible.size()))], possible.back());
            const std::uint32_t step = possible.back();
            possible.pop_back();
            order.push_back(step);
            for (std::uint32_t follower : followers_[step])
                if (--num_before_[follower] == 0) possible.push_back(follower);
        }
        return order;
    }

private:
    struct Uses {
        std::vector<std::uint32_t> readers;  // since the last change
        std::int64_t changer = -1;
    };

    void order(std::uint32_t before, std::uint32_t after) {
        if (before == after) return;
        followers_[before].push_back(after);
        ++num_before_[after];
    }
    void read(std::uint32_t step, std::int32_t variable) {
        Uses& uses = uses_[variable];
        if (uses.changer >= 0) order(static_cast<std::uint32_t>(uses.changer), step);
        uses.readers.push_back(step);
    }
    void change(std::uint32_t step, std::int32_t variable) {
        Uses& uses = uses_[variable];
        if (uses.changer >= 0) order(static_cast<std::uint32_t>(uses.changer), step);
        for (std::uint32_t reader : uses.readers) order(reader, step);
        uses.readers.clear();
        uses.changer = step;
    }

    std::vector<std::vector<std::uint32_t>> followers_;  // by step
    std::vector<std::uint32_t> num_before_;              // by step
    std::map<std::int32_t, Uses> uses_;                  // by variable
};

}  // namespace

std::vector<Fact> facts_needed(const Task& task, std::span<const OperatorId> steps) {
    std::vector<Value> needed(task.variables.size(), UNDEFINED);
    auto need = [&](const Fact& fact) { needed[static_cast<std::size_t>(fact.variable)] = fact.value; };
    std::ranges::for_each(task.goal, need);
    for (std::size_t i = steps.size(); i-- > 0;) {
        const Operator& op = task.operators[index(steps[i])];
        for (const Effect& effect : op.effects) need({effect.fact.variable, UNDEFINED});
        std::ranges::for_each(op.preconditions, need);
    }
    std::vector<Fact> facts;
    for (std::int32_t variable = 0; variable < std::ssize(needed); ++variable)
        if (const Value value = needed[static_cast<std::size_t>(variable)]; value != UNDEFINED)
            facts.push_back({variable, value});
    return facts;
}

std::vector<OperatorId> reordered(const Task& task, std::span<const OperatorId> plan, Rng& rng) {
    std::vector<OperatorId> steps;
    for (std::uint32_t step : StepOrders(task, plan).draw(rng)) steps.push_back(plan[step]);
    return steps;
}

}  // namespace sing
