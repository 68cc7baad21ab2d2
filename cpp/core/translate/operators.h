// Operators of the task from actions.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/guard.h"
#include "task/task.h"
#include "translate/encoding.h"
#include "translate/instantiate.h"

namespace sing::translate {

// An action becomes one operator for each of its conditions, without a name. Of the values that a variable gets:
// - an atom that is added gives its variable that value;
// - an atom that is deleted gives its variable "none of those" where it held and no atom of the variable is added.
class OperatorEncoder {
public:
    OperatorEncoder(Encoding& encoding, bool keeps_no_ops, const Guard& guard)
        : encoding_(encoding), keeps_no_ops_(keeps_no_ops), guard_(guard), place_(encoding.num_variables(), 0) {}

    // Appends the operators. The action's effects are taken.
    void encode(GroundAction& action, std::vector<Operator>& operators);

private:
    // By value that a variable gets: the conditions of which one has to hold.
    using Changes = std::map<Value, std::vector<Condition>>;
    // What happens to one variable.
    struct VariableEffects {
        std::int32_t variable;
        Changes adds;
        std::vector<std::vector<Literal>> add_conditions;  // of all adds
        Changes deletes;
    };

    VariableEffects& effects_on(std::int32_t variable);
    void collect(GroundAction& action);
    void encode_deletes(VariableEffects& effects);
    std::vector<Condition> no_add_conditions(const VariableEffects& effects);
    void build(const Condition& precondition, std::int64_t cost, std::vector<Operator>& operators);
    void add_effects(const VariableEffects& effects, const Condition& precondition, Operator& op) const;

    Encoding& encoding_;
    bool keeps_no_ops_;
    const Guard& guard_;
    std::vector<VariableEffects> effects_;
    std::vector<std::uint32_t> place_;  // by variable: where in effects_ it may be
    std::vector<Condition> conditions_;
};

}  // namespace sing::translate
