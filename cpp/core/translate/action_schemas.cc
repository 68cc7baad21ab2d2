#include "translate/action_schemas.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "translate/types.h"

namespace sing::translate {
namespace {

using namespace pddl;

using ParameterPair = std::pair<std::uint32_t, std::uint32_t>;

// Pairs of parameters that differ in all matches of an action.
std::vector<ParameterPair> different_parameters(const Action& action, const Matches& matches, const Guard& guard) {
    const auto num_parameters = static_cast<std::uint32_t>(action.parameters.size());
    std::vector<ParameterPair> pairs;
    for (std::uint32_t i = 0; i < num_parameters; ++i)
        for (std::uint32_t j = i + 1; j < num_parameters; ++j) pairs.emplace_back(i, j);
    for (std::size_t match = 0; match < matches.count && !pairs.empty(); ++match) {
        guard.poll(pairs.size());
        const ObjectId* values = matches.values.data() + match * num_parameters;
        std::erase_if(pairs, [&](ParameterPair pair) { return values[pair.first] == values[pair.second]; });
    }
    return pairs;
}

class SchemaMaker {
public:
    SchemaMaker(const Problem& problem, const Action& action) : problem_(problem), action_(action) {}

    ActionSchema make(const std::vector<ParameterPair>& different) {
        std::vector<Symbol> variables;
        for (const Parameter& parameter : action_.parameters) variables.push_back(parameter.name);
        for (const ActionEffect& effect : action_.effects)
            for (const Parameter& parameter : effect.parameters) variables.push_back(parameter.name);
        for (TermId i = 0; i < variables.size(); ++i) terms_[variables[i]] = i;
        schema_.num_parameters = static_cast<std::uint32_t>(action_.parameters.size());
        const auto num_quantified = static_cast<std::uint32_t>(variables.size()) - schema_.num_parameters;
        // The second copies of quantified variables follow the first ones.
        schema_.num_variables = static_cast<std::uint32_t>(variables.size()) + num_quantified;
        schema_.num_terms = schema_.num_variables;

        schema_.precondition = literals(action_.precondition);
        for (const auto& [i, j] : different) schema_.precondition.push_back({true, problem_.equality, {i, j}});
        for (const ActionEffect& effect : action_.effects) {
            SchemaEffect lifted{{}, literals(effect.condition), literal(effect.literal)};
            for (const Parameter& parameter : effect.parameters) lifted.variables.push_back(terms_.at(parameter.name));
            schema_.doubled_effects.push_back(lifted);
            if (!lifted.variables.empty()) schema_.doubled_effects.push_back(second(lifted, num_quantified));
            schema_.effects.push_back(std::move(lifted));
        }
        return std::move(schema_);
    }

private:
    SchemaLiteral literal(FormulaId id) {
        SchemaLiteral result{
            problem_.formulas.kind(id) == FormulaKind::NEGATED_ATOM, problem_.formulas.predicate(id), {}};
        for (Symbol symbol : problem_.formulas.terms(id)) {
            const auto [known, is_new] = terms_.try_emplace(symbol, schema_.num_terms);
            schema_.num_terms += is_new;
            result.terms.push_back(known->second);
        }
        return result;
    }

    std::vector<SchemaLiteral> literals(FormulaId id) {
        std::vector<SchemaLiteral> result;
        for (FormulaId part : problem_.formulas.conjuncts(id)) result.push_back(literal(part));
        return result;
    }

    // The effect with variables of its own.
    SchemaEffect second(SchemaEffect effect, std::uint32_t num_quantified) const {
        auto rename = [&](TermId& term) {
            if (term >= schema_.num_parameters && term < schema_.num_variables) term += num_quantified;
        };
        for (TermId& variable : effect.variables) rename(variable);
        for (SchemaLiteral& condition : effect.conditions) std::ranges::for_each(condition.terms, rename);
        std::ranges::for_each(effect.literal.terms, rename);
        return effect;
    }

    const Problem& problem_;
    const Action& action_;
    ActionSchema schema_{};
    std::unordered_map<Symbol, TermId> terms_;
};

}  // namespace

std::vector<ActionSchema> make_schemas(const Problem& problem, const Reachability& reachable, const Guard& guard) {
    std::vector<ActionSchema> schemas;
    for (std::size_t i = 0; i < problem.actions.size(); ++i) {
        const Action& action = problem.actions[i];
        schemas.push_back(SchemaMaker(problem, action).make(different_parameters(action, reachable.actions[i], guard)));
    }
    return schemas;
}

}  // namespace sing::translate
