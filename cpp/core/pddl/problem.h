// A domain and a problem as they were written, with all names resolved.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string>
#include <vector>

#include "base/guard.h"
#include "pddl/formulas.h"
#include "pddl/symbols.h"

namespace sing::pddl {

// Position in Problem::objects.
using ObjectId = std::uint32_t;
inline constexpr std::uint32_t NONE = 0xFFFF'FFFF;

struct Type {
    Symbol name;
    std::vector<TypeId> supertypes;  // as declared, not those of supertypes
    std::vector<TypeId> members;     // of "(either …)": each of them is a subtype
};

struct Object {
    Symbol name;
    TypeId type;
};

struct Predicate {
    Symbol name;
    std::uint32_t arity;
};

// (increase (total-cost) …): a number, or what a function has in the initial state.
struct Cost {
    std::int64_t number = 0;
    Symbol function = NONE;     // none: the number counts
    std::vector<Symbol> terms;  // of the function
};

// "For all parameters: when the condition holds before, the literal does afterwards."
struct ActionEffect {
    std::vector<Parameter> parameters;
    FormulaId condition;
    FormulaId literal;
};

struct Action {
    Symbol name;
    std::vector<Parameter> parameters;
    std::uint32_t num_external;  // parameters that are part of an operator's name; the others come from quantifiers
    FormulaId precondition;
    std::vector<ActionEffect> effects;
    bool has_cost = false;
    Cost cost;
};

// Where the condition holds, the predicate does of the first parameters.
struct DerivationRule {
    PredicateId predicate;
    std::vector<Parameter> parameters;
    std::uint32_t num_external;  // the arity of the predicate
    FormulaId condition;
};

// What a function has in the initial state.
struct FunctionValue {
    Symbol function;
    std::vector<ObjectId> arguments;
    std::int64_t value;
};

struct Problem {
    explicit Problem(const Guard& guard)
        : symbols(guard),
          formulas(guard),
          object_of(guard.memory()),
          predicate_of(guard.memory()),
          init_predicates(guard.memory()),
          init_arguments(guard.memory()) {}

    Symbols symbols;
    Formulas formulas;
    std::vector<Type> types;
    std::vector<Object> objects;
    std::vector<Predicate> predicates;
    std::pmr::vector<ObjectId> object_of;        // by symbol; NONE where it names no object
    std::pmr::vector<PredicateId> predicate_of;  // by symbol; NONE where it names no predicate
    PredicateId equality = NONE;
    std::vector<Action> actions;
    std::vector<DerivationRule> rules;
    std::pmr::vector<PredicateId> init_predicates;  // by fact
    std::pmr::vector<ObjectId> init_arguments;      // of all facts, one after the other
    std::vector<FunctionValue> init_values;
    FormulaId goal = Formulas::TRUTH;
    bool has_metric = false;
    std::size_t num_added_predicates = 0;  // derived ones that replace parts of conditions
};

}  // namespace sing::pddl
