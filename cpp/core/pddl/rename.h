// Gives each quantifier variables of its own.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "pddl/problem.h"

namespace sing::pddl {

// Variables in use, and new names for those that are used already: "?x1", "?x2", … for "?x".
class FreshNames {
public:
    FreshNames(Symbols& symbols, const Guard& guard) : symbols_(symbols), is_used_(guard.memory()) {}
    void use(Symbol variable);
    // The variable itself where it is not in use, else a new one; it is in use from now on.
    Symbol fresh(Symbol variable);

private:
    bool is_used(Symbol variable) const { return variable < is_used_.size() && is_used_[variable]; }

    Symbols& symbols_;
    std::pmr::vector<char> is_used_;  // by symbol
};

using Renaming = std::pair<Symbol, Symbol>;  // from, to

// The formula with free variables renamed, and quantified ones renamed where `names` has them.
FormulaId renamed_apart(Problem& problem, FormulaId root, std::span<const Renaming> renamings, FreshNames& names);
// The same where no names are in use.
FormulaId renamed_apart(Problem& problem, FormulaId root, std::span<const Parameter> used,
                        std::span<const Renaming> renamings);
// An action whose effects and conditions quantify over variables that are used for nothing else in it.
void rename_apart(Problem& problem, Action& action);
void rename_apart(Problem& problem, DerivationRule& rule);

}  // namespace sing::pddl
