// A heuristic of one's own in C++, with a planner around it: reads a translated task from standard
// input and prints a plan. For each goal it counts the steps that its variable is away from it, as
// own_heuristic.py does.
#include <deque>
#include <iostream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "heuristics/heuristic.h"
#include "search/search.h"
#include "task/sas_reader.h"

namespace sing {

class GoalDistanceHeuristic : public Heuristic {
public:
    GoalDistanceHeuristic(const Task& task, const Guard& guard)
        : Heuristic(task, guard), steps_(task.variables.size()) {
        for (const Fact& goal : task.goal) steps_[index_of(goal)] = distances(task, goal);
    }

    Estimate evaluate(std::span<const Value> state) override {
        Estimate sum = 0;
        for (std::size_t variable = 0; variable < state.size(); ++variable) {
            const Estimate steps = distance(variable, state[variable]);
            if (steps == DEAD_END) return DEAD_END;
            sum += steps;
        }
        return sum;
    }

    // The same from the difference alone: an operator changes a few variables.
    void evaluate_successors(const Successors& successors, std::span<Estimate> estimates) override {
        const Estimate parent = evaluate(successors.parent);
        for (std::size_t i = 0; i < estimates.size(); ++i) {
            Estimate estimate = parent;
            for (const Fact& fact : changes(successors, i)) {
                const std::size_t variable = index_of(fact);
                const Estimate after = distance(variable, fact.value);
                if (after == DEAD_END) {
                    estimate = DEAD_END;
                    break;
                }
                estimate += after - distance(variable, successors.parent[variable]);
            }
            estimates[i] = estimate;
        }
    }

private:
    static std::size_t index_of(const Fact& fact) { return static_cast<std::size_t>(fact.variable); }

    Estimate distance(std::size_t variable, Value value) const {
        return steps_[variable].empty() ? 0 : steps_[variable][static_cast<std::size_t>(value)];
    }

    // Breadth-first search from the goal's value, backward over the effects on its variable.
    static std::vector<Estimate> distances(const Task& task, const Fact& goal) {
        const auto size = static_cast<std::size_t>(task.variables[index_of(goal)].domain_size());
        std::vector<std::vector<Value>> before(size);
        for (const Operator& op : task.operators) {
            Value demanded = UNDEFINED;
            for (const Fact& fact : op.preconditions)
                if (fact.variable == goal.variable) demanded = fact.value;
            for (const Effect& effect : op.effects) {
                if (effect.fact.variable != goal.variable) continue;
                std::vector<Value>& origins = before[static_cast<std::size_t>(effect.fact.value)];
                if (demanded != UNDEFINED) origins.push_back(demanded);
                if (demanded != UNDEFINED) continue;
                for (std::size_t value = 0; value < size; ++value) origins.push_back(static_cast<Value>(value));
            }
        }
        std::vector<Estimate> steps(size, DEAD_END);
        steps[static_cast<std::size_t>(goal.value)] = 0;
        for (std::deque<Value> queue{goal.value}; !queue.empty(); queue.pop_front()) {
            const auto value = static_cast<std::size_t>(queue.front());
            for (Value origin : before[value]) {
                if (steps[static_cast<std::size_t>(origin)] != DEAD_END) continue;
                steps[static_cast<std::size_t>(origin)] = steps[value] + 1;
                queue.push_back(origin);
            }
        }
        return steps;
    }

    std::vector<std::vector<Estimate>> steps_;  // by variable and value; empty without a goal
};

}  // namespace sing

int main() {
    using namespace sing;
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    const Guard without_limits;
    const Task task = read_sas(text, without_limits);
    GoalDistanceHeuristic heuristic(task, without_limits);
    const SearchConfig config{.queues = {"nh", "h", "noh", "o"},
                              .ties = Ties::RANDOM,
                              .boost = 0,
                              .goal_orders = false,
                              .max_links = 0,
                              .seed = 0};
    Search search(task, heuristic, config);
    const SearchLimits limits{
        .time_s = 60, .memory_bytes = std::size_t{1} << 30, .work = std::numeric_limits<std::uint64_t>::max()};
    const SearchResult result = search.run(limits, [](const SearchStatistics&) { return true; });
    if (result.status != SearchStatus::SOLVED) return 12;
    for (OperatorId op : result.plan) std::cout << '(' << task.operators[index(op)].name << ")\n";
    std::cout << "; " << result.statistics.num_expanded << " states expanded\n";
    return 0;
}
