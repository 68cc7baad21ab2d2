// Equalities and inequalities between terms.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/guard.h"

namespace sing::translate {

using Equality = std::pair<std::uint32_t, std::uint32_t>;

// Asks whether terms can be made equal in the finest way that fulfils all demands:
// - of each choice, all equalities of one alternative hold,
// - no two rigid terms (objects, and variables that must not be bound) become equal,
// - of each list of inequalities, one holds.
class ConstraintSystem {
public:
    ConstraintSystem(std::uint32_t num_terms, const Guard& guard) : guard_(guard), is_rigid_(num_terms, 0) {}

    void set_rigid(std::uint32_t term) { is_rigid_[term] = 1; }
    void require_equal(std::uint32_t a, std::uint32_t b) { equalities_.emplace_back(a, b); }
    // One of the alternatives, each of which is a list of equalities.
    void require_one_of(std::vector<std::vector<Equality>> alternatives) {
        choices_.push_back(std::move(alternatives));
    }
    // Two lists of terms differ somewhere.
    void require_different(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

    bool is_solvable() const;

private:
    // By term: one term of its class. A class with a rigid term has that.
    using Classes = std::vector<std::uint32_t>;

    bool unite(std::span<const Equality> equalities, Classes& classes) const;
    bool has_differences(const Classes& classes) const;

    const Guard& guard_;
    std::vector<char> is_rigid_;
    std::vector<Equality> equalities_;
    std::vector<std::vector<std::vector<Equality>>> choices_;
    std::vector<std::vector<Equality>> differences_;
};

}  // namespace sing::translate
