// What the parts of the parser share: one syntax tree, read into one problem.
#pragma once

#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "base/guard.h"
#include "pddl/problem.h"
#include "pddl/syntax_tree.h"

namespace sing::pddl {

// Variables that terms may name at a place, with how many quantifiers name them.
class Scope {
public:
    explicit Scope(const Guard& guard) : counts_(guard.memory()) {}
    void enter(std::span<const Parameter> parameters) {
        for (const Parameter& parameter : parameters) {
            if (parameter.name >= counts_.size()) counts_.resize(parameter.name + 1, 0);
            ++counts_[parameter.name];
        }
    }
    void leave(std::span<const Parameter> parameters) {
        for (const Parameter& parameter : parameters) --counts_[parameter.name];
    }
    bool has(Symbol variable) const { return variable < counts_.size() && counts_[variable] > 0; }

private:
    std::pmr::vector<std::uint32_t> counts_;
};

class Reader {
public:
    Reader(const SyntaxTree& tree, Problem& problem, const Guard& guard)
        : tree_(tree), problem_(problem), guard_(guard) {}

protected:
    // The word, or a failure that expects `what`.
    Symbol word(NodeId node, const std::string& what) const;
    void require_list(NodeId node, const std::string& what) const {
        if (!tree_.is_list(node)) tree_.expected(node, what);
    }
    // Whether a list begins with the word.
    bool begins_with(NodeId list, Symbol keyword) const {
        return tree_.is_list(list) && !tree_.is_empty(list) && tree_.word(list + 1) == keyword;
    }
    std::string quoted(Symbol symbol) const { return "'" + std::string(problem_.symbols.name(symbol)) + "'"; }

    // "a b - type c": the items from `first` on up to the end of the list.
    struct TypedWord {
        NodeId node;
        Symbol word;
        NodeId type;  // a word or "(either …)"; the list itself where there is none
    };
    std::vector<TypedWord> typed_words(NodeId list, NodeId first, const std::string& what) const;
    // The number of a type that is declared, or of a new one for "(either …)".
    TypeId type_of(NodeId list, const TypedWord& typed);
    // Variables with their types; each may occur once.
    std::vector<Parameter> parameters(NodeId list, NodeId first);

    PredicateId predicate(NodeId node) const;
    // A list of a predicate and its arguments, which must be objects or variables of the scope.
    FormulaId atom(NodeId list, bool negated, const Scope& scope);
    // A condition in negation normal form, with variables of quantifiers renamed where one name is used twice.
    FormulaId condition(NodeId node, Scope& scope);
    void check_term(NodeId node, const Scope& scope) const;

    const SyntaxTree& tree_;
    Problem& problem_;
    Guard guard_;

private:
    TypeId declared_type(NodeId node) const;
};

}  // namespace sing::pddl
