// A task without deletes, as rules.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "task/fact_index.h"
#include "task/strata.h"
#include "task/task.h"

namespace sing {

using RuleId = std::uint32_t;

// Where all conditions of a rule are reached, so are the facts that it adds. Rule i is operator i with its
// unconditional effects, for each operator; it costs a step. The others cost nothing:
// - a rule for each conditional effect, which needs its conditions and a fact that only its operator adds;
// - a rule for each axiom;
// - rules for the defaults of derived variables that something needs: the default is reached where each axiom has a
//   condition whose opposite is. Facts of their own stand for "this axiom has one" and for "the variable has another
//   value". A variable in a cycle has its default for nothing: its axioms may all be denied together, which rules
//   cannot say.
//
// Where there are such rules, an operator does not add what another one adds under fewer conditions, unless all rules
// are to be kept: where a plan needs both operators for something, it would pay for both instead of one.
class RelaxedRules {
public:
    enum class Kept { ALL, UNDOMINATED };

    RelaxedRules(const Task& task, const Guard& guard, Kept kept = Kept::UNDOMINATED);

    const FactIndex& fact_id() const { return fact_id_; }
    // Those of the task come first.
    std::size_t num_facts() const { return num_facts_; }
    std::size_t size() const { return conditions_.num_rows(); }
    std::span<const FactId> conditions(RuleId rule) const { return conditions_[rule]; }
    std::span<const FactId> added(RuleId rule) const { return added_[rule]; }
    bool is_operator(RuleId rule) const { return rule < num_operators_; }

private:
    void add_operators(const Task& task, const Guard& guard);
    void drop_dominated(const Guard& guard);
    void add_conditional_effects(const Task& task, const Guard& guard);
    void add_axioms(const Task& task, const Guard& guard);
    void add_defaults(const Task& task, const Guard& guard);
    void need_defaults(const Task& task, std::span<const Fact> facts);
    void add_default(const Task& task, std::int32_t variable, std::span<const std::uint32_t> axioms);
    FactId denial_of(const Task& task, const Axiom& axiom);
    FactId opposite_of(const Task& task, Fact fact);
    void add(std::span<const FactId> conditions, FactId added);

    FactIndex fact_id_;
    std::size_t num_facts_;
    std::size_t num_operators_;
    Csr<FactId> conditions_;                        // by rule
    Csr<FactId> added_;                             // by rule
    std::vector<std::int32_t> needed_;              // derived variables whose default something needs
    std::vector<char> is_needed_;                   // by variable
    std::unordered_map<FactId, FactId> opposites_;  // by fact of a variable with several values
};

}  // namespace sing
