// What every plan has to make true on its way.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/guard.h"
#include "task/task.h"

namespace sing {

// Facts, sorted, of which at least one holds at some time in every plan; often a single one.
using Landmark = std::vector<Fact>;

// Directly before the landmark is achieved for the first time, the fact holds (a greedy-necessary order); where an
// axiom achieves it, at the same time.
struct LandmarkOrder {
    Fact fact;
    std::size_t landmark;  // position in Landmarks::sets
    friend bool operator==(const LandmarkOrder&, const LandmarkOrder&) = default;
};

struct Landmarks {
    std::vector<Landmark> sets;
    std::vector<LandmarkOrder> orders;
};

// The landmarks of the task without deletes that do not hold initially: all single facts, in the order of their
// numbers and goals among them; then disjunctions of at most `max_facts` facts of one predicate, of which every
// operator or axiom that can achieve a landmark first has one as a condition (Richter, Helmert & Westphal 2008). A
// disjunction with a fact that is a landmark itself says nothing new and is left out. Derived facts are landmarks only
// where they are goals.
//
// Nothing where even the task without deletes has no plan.
std::optional<Landmarks> find_landmarks(const Task& task, std::size_t max_facts, const Guard& guard);

}  // namespace sing
