// A planning task in the SAS+ formalism, exactly as the translator states it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cost.h"
#include "base/ids.h"

namespace sing {

using Value = std::int32_t;
// The value of a variable that has none, in partial states.
inline constexpr Value UNDEFINED = -1;

// "variable has value". In the translator's files each fact also has a name, such as
// "Atom at(truck1, depot)".
struct Fact {
    std::int32_t variable;
    Value value;
    friend bool operator==(const Fact&, const Fact&) = default;
    friend auto operator<=>(const Fact&, const Fact&) = default;
};

struct Variable {
    std::string name;
    std::int32_t axiom_layer;  // -1: an ordinary variable, set by operators
    std::vector<std::string> value_names;
    // Of a derived variable, which has two values: the one that it has where no axiom sets the other.
    Value default_value = UNDEFINED;
    bool is_derived() const { return axiom_layer >= 0; }
    Value domain_size() const { return static_cast<Value>(value_names.size()); }
};

struct Effect {
    std::vector<Fact> conditions;  // empty: unconditional
    Fact fact;
};

struct Operator {
    std::string name;
    std::vector<Fact> preconditions;  // sorted by variable, one per variable
    std::vector<Effect> effects;
    Cost cost;
};

// Where the conditions hold, the fact does. Derived variables follow from the others: those of layer 0 from their
// defaults by axioms to a fixpoint, then those of layer 1, and so on. A condition on a default value is a negation, and
// its variable belongs to an earlier layer.
struct Axiom {
    std::vector<Fact> conditions;
    Fact fact;
};

// A fact that goals need directly before they are achieved. It is needed again where it has held and does not hold,
// and one of these goals is open.
struct NeededAgain {
    Fact fact;
    std::int32_t has_held;     // the variable that says so with the value 1; -1: it held initially
    std::vector<Fact> before;  // goals
};

struct Task {
    bool uses_costs = false;  // false: every operator counts 1, whatever its cost field says
    std::vector<Variable> variables;
    std::vector<std::vector<Fact>> mutex_groups;
    std::vector<Value> initial_state;  // with the derived values that follow from the others
    std::vector<Fact> goal;            // sorted by variable, one per variable; see also unfold_goal()
    std::vector<Operator> operators;
    std::vector<Axiom> axioms;
    std::vector<NeededAgain> needed_again;  // of a task with landmarks as goals; the translator writes none

    // Under the task's metric.
    Cost cost_of(OperatorId op) const { return uses_costs ? operators[index(op)].cost : 1; }
    std::vector<Value> domain_sizes() const;  // by variable
    std::size_t num_effects() const;          // of all operators
    std::size_t num_atoms() const;
    // Whether a fact is a proposition, rather than the negation of one or of several.
    bool is_atom(Fact fact) const;
    bool is_derived(std::int32_t variable) const { return variables[static_cast<std::size_t>(variable)].is_derived(); }
    bool has_conditional_effects() const;
    // Whether operators change the same facts in every state: there are neither conditional effects nor axioms.
    bool has_fixed_effects() const { return axioms.empty() && !has_conditional_effects(); }
};

}  // namespace sing
