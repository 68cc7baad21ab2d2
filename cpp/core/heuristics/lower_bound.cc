#include "heuristics/lower_bound.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "heuristics/lm_cut.h"
#include "task/operator_costs.h"

namespace sing {
namespace {

class BlindBound : public LowerBound {
public:
    explicit BlindBound(const Task& task) : task_(task) {
        for (Cost cost : operator_costs(task, CostKind::REAL)) least_cost_ = std::min(least_cost_, cost);
    }
    Cost evaluate(std::span<const Value> state, Cost, const Guard&) override {
        const bool is_goal = std::ranges::all_of(
            task_.goal, [&](const Fact& fact) { return state[static_cast<std::size_t>(fact.variable)] == fact.value; });
        return is_goal ? 0 : least_cost_;
    }

private:
    const Task& task_;
    Cost least_cost_ = INFINITE_COST;  // where there are no operators, there is no plan
};

}  // namespace

std::unique_ptr<LowerBound> make_lower_bound(std::string_view name, const Task& task, const Guard& guard) {
    if (name == "lmcut") return std::make_unique<LmCut>(task, guard);
    if (name == "blind") return std::make_unique<BlindBound>(task);
    throw std::invalid_argument("there is no lower bound '" + std::string(name) + "'; there are lmcut, blind");
}

}  // namespace sing
