// Which facts and pairs of facts hold on no way from the initial state to the goal.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/guard.h"
#include "pairs/pair_matrix.h"
#include "task/task.h"

namespace sing {

struct ExcludedPairs {
    PairMatrix excluded;        // the pair of a fact with itself stands for the fact
    std::vector<bool> is_dead;  // by operator: no plan has it
};

// By fixpoints forward from the initial state and backward from the goal, in turns: what one of them excludes the next
// one knows (Alcázar & Torralba 2015). That goes on until nothing is found, or until `max_work` words of bits have been
// looked at; then what the complete fixpoints have found remains. The first one is given up after a fifth of the work
// where it has found no dead operator: the others rarely find more then. Nothing where the work is too little for the
// first one, or where the task has conditional effects or axioms.
//
// Where the pairs tell that the task has no plan, every operator is dead.
std::optional<ExcludedPairs> find_excluded_pairs(const Task& task, std::size_t max_work, const Guard& guard);

}  // namespace sing
