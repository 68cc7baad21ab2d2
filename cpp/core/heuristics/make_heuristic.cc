#include "heuristics/make_heuristic.h"

#include <stdexcept>
#include <string>

#include "heuristics/blind_heuristic.h"
#include "heuristics/ff_heuristic.h"
#include "heuristics/goal_count_heuristic.h"
#include "heuristics/landmark_count_heuristic.h"
#include "heuristics/relaxed_plan_heuristic.h"

namespace sing {

std::unique_ptr<Heuristic> make_heuristic(std::string_view name, const Task& task, const Guard& guard) {
    if (name == "blind") return std::make_unique<BlindHeuristic>(task, guard);
    if (name == "goalcount") return std::make_unique<GoalCountHeuristic>(task, guard);
    if (name == "ff") return std::make_unique<FFHeuristic>(task, guard);
    using Siblings = RelaxedPlanHeuristic::Siblings;
    auto relaxed = [&](CostKind costs, Siblings siblings = Siblings::ALIKE) {
        return std::make_unique<RelaxedPlanHeuristic>(task, costs, siblings, guard);
    };
    if (name == "relaxed") return relaxed(CostKind::UNIT);
    if (name == "adjusted") return relaxed(CostKind::UNIT, Siblings::ADJUSTED);
    if (name == "relaxed-plusone") return relaxed(CostKind::PLUS_ONE);
    if (name == "relaxed-cost") return relaxed(CostKind::REAL);
    if (name == "landmarks") return std::make_unique<LandmarkCountHeuristic>(task, guard);
    throw std::invalid_argument("there is no heuristic '" + std::string(name) +
                                "'; there are blind, goalcount, ff, relaxed, adjusted, landmarks");
}

}  // namespace sing
