#include "pddl/reader.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sing::pddl {
namespace {

// Words of PDDL with numbers, which people write where we look for a predicate.
constexpr std::array<std::string_view, 8> NUMERIC{">", "<", ">=", "<=", "decrease", "assign", "scale-up", "scale-down"};

}  // namespace

Symbol Reader::word(NodeId node, const std::string& what) const {
    if (!tree_.is_word(node)) tree_.expected(node, what);
    return tree_.word(node);
}

std::vector<Reader::TypedWord> Reader::typed_words(NodeId list, NodeId first, const std::string& what) const {
    std::vector<TypedWord> words;
    std::size_t num_typed = 0;
    for (NodeId node = first; node < tree_.end(list); node = tree_.end(node)) {
        guard_.poll(1);
        if (word(node, what + " or '- TYPE'") != DASH) {
            guard_.take(sizeof(TypedWord));
            words.push_back({node, tree_.word(node), list});
            continue;
        }
        const NodeId dash = node;
        node = tree_.end(node);
        if (node >= tree_.end(list)) tree_.fail(dash, "expected a type after '-', found ')'");
        for (; num_typed < words.size(); ++num_typed) words[num_typed].type = node;
    }
    return words;
}

TypeId Reader::declared_type(NodeId node) const {
    const Symbol name = word(node, "the name of a type");
    const auto found = std::ranges::find(problem_.types, name, &Type::name);
    if (found == problem_.types.end()) tree_.fail(node, "type " + quoted(name) + " is not declared in :types");
    return static_cast<TypeId>(found - problem_.types.begin());
}

TypeId Reader::type_of(NodeId list, const TypedWord& typed) {
    if (typed.type == list) return 0;  // "object"
    if (tree_.is_word(typed.type)) return declared_type(typed.type);
    if (!begins_with(typed.type, EITHER)) tree_.expected(typed.type, "a type or '(either TYPE …)'");
    std::vector<TypeId> members;
    for (NodeId node = typed.type + 2; node < tree_.end(typed.type); node = tree_.end(node))
        members.push_back(declared_type(node));
    if (members.empty()) tree_.fail(typed.type, "expected a type after 'either', found ')'");
    std::ranges::sort(members);
    members.erase(std::unique(members.begin(), members.end()), members.end());
    if (members.size() == 1) return members.front();
    const auto found = std::ranges::find(problem_.types, members, &Type::members);
    if (found != problem_.types.end()) return static_cast<TypeId>(found - problem_.types.begin());
    problem_.types.push_back({EITHER, {}, members});
    return static_cast<TypeId>(problem_.types.size() - 1);
}

std::vector<Parameter> Reader::parameters(NodeId list, NodeId first) {
    std::vector<Parameter> result;
    Scope seen(guard_);
    for (const TypedWord& typed : typed_words(list, first, "a variable")) {
        if (!problem_.symbols.is_variable(typed.word)) tree_.expected(typed.node, "a variable, which begins with '?'");
        if (seen.has(typed.word)) tree_.fail(typed.node, "variable " + quoted(typed.word) + " is declared twice here");
        result.push_back({typed.word, type_of(list, typed)});
        seen.enter({&result.back(), 1});
    }
    return result;
}

PredicateId Reader::predicate(NodeId node) const {
    const Symbol name = word(node, "a predicate");
    const PredicateId id = name < problem_.predicate_of.size() ? problem_.predicate_of[name] : NONE;
    if (id == NONE && std::ranges::find(NUMERIC, problem_.symbols.name(name)) != NUMERIC.end())
        tree_.fail(node, quoted(name) + ": numeric conditions and effects are not supported");
    if (id == NONE) tree_.fail(node, "predicate " + quoted(name) + " is not declared in :predicates");
    return id;
}

void Reader::check_term(NodeId node, const Scope& scope) const {
    const Symbol name = word(node, "an object or a variable");
    if (problem_.symbols.is_variable(name)) {
        if (!scope.has(name))
            tree_.fail(node, "variable " + quoted(name) + " is neither a parameter nor quantified here");
    } else if (name >= problem_.object_of.size() || problem_.object_of[name] == NONE) {
        tree_.fail(node, "object " + quoted(name) + " is not declared");
    }
}

FormulaId Reader::atom(NodeId list, bool negated, const Scope& scope) {
    const PredicateId id = predicate(list + 1);
    std::vector<Symbol> terms;
    for (NodeId node = list + 2; node < tree_.end(list); node = tree_.end(node)) {
        check_term(node, scope);
        terms.push_back(tree_.word(node));
    }
    if (terms.size() != problem_.predicates[id].arity)
        tree_.fail(list, "predicate " + quoted(tree_.word(list + 1)) + " takes " +
                             std::to_string(problem_.predicates[id].arity) + " arguments, not " +
                             std::to_string(terms.size()));
    return problem_.formulas.literal(negated, id, terms);
}

}  // namespace sing::pddl
