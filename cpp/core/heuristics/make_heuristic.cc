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
    if (name == "relaxed") return std::make_unique<RelaxedPlanHeuristic>(task, CostKind::UNIT, guard);
    if (name == "relaxed-plusone") return std::make_unique<RelaxedPlanHeuristic>(task, CostKind::PLUS_ONE, guard);
    if (name == "relaxed-cost") return std::make_unique<RelaxedPlanHeuristic>(task, CostKind::REAL, guard);
    if (name == "landmarks") return std::make_unique<LandmarkCountHeuristic>(task, guard);
    throw std::invalid_argument("there is no heuristic '" + std::string(name) +
                                "'; there are blind, goalcount, ff, relaxed, landmarks");
}

}  // namespace sing
