// Conditions as nodes in one pool.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "base/guard.h"
#include "pddl/symbols.h"

namespace sing::pddl {

using FormulaId = std::uint32_t;
using PredicateId = std::uint32_t;
using TypeId = std::uint32_t;

struct Parameter {
    Symbol name;
    TypeId type;
    friend bool operator==(const Parameter&, const Parameter&) = default;
};

enum class FormulaKind : std::uint8_t { TRUTH, FALSITY, ATOM, NEGATED_ATOM, CONJUNCTION, DISJUNCTION, FORALL, EXISTS };

// Formulas in negation normal form. Equal formulas are one node, so they are compared by number. Nothing here recurses.
class Formulas {
public:
    explicit Formulas(const Guard& guard);

    static constexpr FormulaId TRUTH = 0, FALSITY = 1;

    FormulaKind kind(FormulaId id) const { return nodes_[id].kind; }
    bool is_literal(FormulaId id) const {
        return kind(id) == FormulaKind::ATOM || kind(id) == FormulaKind::NEGATED_ATOM;
    }
    bool is_constant(FormulaId id) const { return id <= FALSITY; }
    // Of a literal. Its terms are symbols: variables begin with "?", others are objects.
    PredicateId predicate(FormulaId id) const { return nodes_[id].predicate; }
    std::span<const Symbol> terms(FormulaId id) const { return items(id); }
    std::span<const FormulaId> parts(FormulaId id) const { return items(id); }
    std::span<const Parameter> parameters(FormulaId id) const {
        return {parameters_.data() + nodes_[id].predicate, nodes_[id].num_parameters};
    }
    bool has_disjunction(FormulaId id) const { return (nodes_[id].within & HAS_DISJUNCTION) != 0; }
    bool has_exists(FormulaId id) const { return (nodes_[id].within & HAS_EXISTS) != 0; }
    bool has_forall(FormulaId id) const { return (nodes_[id].within & HAS_FORALL) != 0; }
    // The literals of a conjunction, or of a literal itself. Other parts are left out.
    std::span<const FormulaId> conjuncts(const FormulaId& id) const {
        return kind(id) == FormulaKind::CONJUNCTION ? parts(id) : std::span(&id, is_literal(id) ? 1 : 0);
    }

    FormulaId literal(bool negated, PredicateId predicate, std::span<const Symbol> terms);
    // Conjunctions, disjunctions and quantifiers simplify themselves: constants vanish, equal junctors merge, and a
    // junctor of one part is that part.
    FormulaId junctor(FormulaKind kind, std::span<const FormulaId> parts);
    FormulaId quantifier(FormulaKind kind, std::span<const Parameter> parameters, FormulaId part);
    // A node of the same kind with other parts.
    FormulaId with_parts(FormulaId id, std::span<const FormulaId> parts);
    FormulaId negation(FormulaId id);
    // The literal with its predicate kept and other terms.
    FormulaId with_terms(FormulaId id, std::span<const Symbol> terms) {
        return literal(kind(id) == FormulaKind::NEGATED_ATOM, predicate(id), terms);
    }

    // Calls enter(formula), which returns whether to go into the formula's parts, and then leave(formula, results of
    // the parts), which returns the result of a formula. Parts come in order.
    template <typename Enter, typename Leave>
    FormulaId rewrite(FormulaId root, Enter&& enter, Leave&& leave) {
        struct Frame {
            FormulaId formula;
            std::uint32_t next_part;
            std::size_t first_result;
        };
        std::pmr::vector<Frame> frames(guard_.memory());
        std::pmr::vector<FormulaId> results(guard_.memory());
        auto open = [&](FormulaId id) {
            frames.push_back({id, enter(id) ? 0 : static_cast<std::uint32_t>(num_parts(id)), results.size()});
        };
        open(root);
        while (!frames.empty()) {
            guard_.poll(1);
            Frame& frame = frames.back();
            if (frame.next_part < num_parts(frame.formula)) {
                open(parts(frame.formula)[frame.next_part++]);
                continue;
            }
            const auto [formula, next_part, first_result] = frame;
            frames.pop_back();
            const FormulaId result = leave(formula, std::span<const FormulaId>(results).subspan(first_result));
            results.resize(first_result);
            results.push_back(result);
        }
        return results.back();
    }

    const Guard& guard() const { return guard_; }

private:
    static constexpr std::uint8_t HAS_DISJUNCTION = 1, HAS_EXISTS = 2, HAS_FORALL = 4;
    struct Node {
        FormulaKind kind;
        std::uint8_t within;
        std::uint32_t predicate;  // or where the parameters begin
        std::uint32_t num_parameters;
        std::uint32_t first, size;  // of items_
    };

    std::size_t num_parts(FormulaId id) const { return is_literal(id) ? 0 : nodes_[id].size; }
    std::span<const std::uint32_t> items(FormulaId id) const {
        return {items_.data() + nodes_[id].first, nodes_[id].size};
    }
    FormulaId add(FormulaKind kind, PredicateId predicate, std::span<const Parameter> parameters,
                  std::span<const std::uint32_t> items);
    bool equals(const Node& node, FormulaKind kind, PredicateId predicate, std::span<const Parameter> parameters,
                std::span<const std::uint32_t> items) const;
    void grow();

    Guard guard_;
    std::pmr::vector<Node> nodes_;
    std::pmr::vector<std::uint32_t> items_;
    std::pmr::vector<Parameter> parameters_;
    std::pmr::vector<std::uint64_t> hashes_;
    std::pmr::vector<FormulaId> table_;  // by hash, with linear probing
};

}  // namespace sing::pddl
