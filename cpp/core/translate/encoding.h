// Conditions on atoms as conditions on variables.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "task/task.h"
#include "translate/atoms.h"
#include "translate/fact_groups.h"

namespace sing::translate {

// Sorted by variable, with one fact for each at most.
using Condition = std::vector<Fact>;

// The variables, one for each group of atoms: its values are these and, last, that none of them holds.
class Encoding {
public:
    Encoding(const AtomGroups& groups, const AtomGroups& mutex_groups, std::size_t num_atoms, const Guard& guard);

    std::size_t num_variables() const { return domain_size_.size(); }
    Value domain_size(std::int32_t variable) const { return domain_size_[static_cast<std::size_t>(variable)]; }
    Value none_of_those(std::int32_t variable) const { return domain_size(variable) - 1; }
    Fact fact(AtomId atom) const { return fact_[atom]; }

    // Conditions of which one holds exactly where all literals do: none where that is impossible, also because of mutex
    // groups. A negative literal on a variable of several values stands for all the others, so that there are several
    // conditions.
    void encode(std::span<const Literal> literals, std::vector<Condition>& conditions);

private:
    bool violates_mutex(std::span<const Literal> literals);

    // What a condition allows of one variable.
    struct Allowed {
        std::int32_t variable;
        std::vector<Value> values;
    };

    const Guard& guard_;
    std::pmr::vector<Fact> fact_;          // by atom
    std::pmr::vector<Value> domain_size_;  // by variable
    Csr<std::uint32_t> groups_of_;         // by atom: mutex groups
    // By group: the atom of it that the present literals have. Stamps tell whether an entry is of the present ones.
    std::pmr::vector<AtomId> atom_of_group_;
    std::pmr::vector<std::uint64_t> group_stamp_, atom_stamp_;
    std::uint64_t stamp_ = 0;
};

}  // namespace sing::translate
