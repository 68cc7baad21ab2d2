#include "translate/constraints.h"

#include <algorithm>
#include <numeric>

namespace sing::translate {

void ConstraintSystem::require_different(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
    std::vector<Equality>& pairs = differences_.emplace_back();
    for (std::size_t i = 0; i < a.size(); ++i) pairs.emplace_back(a[i], b[i]);
}

// False where two rigid terms become equal. Systems have a few dozen terms, so that classes are simply rewritten.
bool ConstraintSystem::unite(std::span<const Equality> equalities, Classes& classes) const {
    for (const auto& [a, b] : equalities) {
        std::uint32_t kept = classes[a], gone = classes[b];
        if (kept == gone) continue;
        if (is_rigid_[gone]) std::swap(kept, gone);
        if (is_rigid_[gone]) return false;
        guard_.poll(1);
        std::ranges::replace(classes, gone, kept);
    }
    return true;
}

bool ConstraintSystem::has_differences(const Classes& classes) const {
    return std::ranges::all_of(differences_, [&](const std::vector<Equality>& pairs) {
        return std::ranges::any_of(pairs, [&](Equality pair) { return classes[pair.first] != classes[pair.second]; });
    });
}

bool ConstraintSystem::is_solvable() const {
    struct Level {
        Classes classes;
        std::size_t next;  // alternative of the choice
    };
    Classes classes(is_rigid_.size());
    std::iota(classes.begin(), classes.end(), 0u);
    if (!unite(equalities_, classes) || !has_differences(classes)) return false;
    // Backtracking over the choices. Demands that are broken stay so, whatever is chosen later.
    std::vector<Level> levels{{std::move(classes), 0}};
    while (!levels.empty()) {
        if (levels.size() > choices_.size()) return true;
        guard_.poll(1);
        Level& level = levels.back();
        const auto& alternatives = choices_[levels.size() - 1];
        if (level.next == alternatives.size()) {
            levels.pop_back();
            continue;
        }
        Classes next = level.classes;
        if (unite(alternatives[level.next++], next) && has_differences(next)) levels.push_back({std::move(next), 0});
    }
    return false;
}

}  // namespace sing::translate
