#include "pddl/formulas.h"

#include <algorithm>
#include <limits>
#include <new>

namespace sing::pddl {
namespace {

constexpr FormulaId EMPTY = std::numeric_limits<FormulaId>::max();

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 32);
}

}  // namespace

Formulas::Formulas(const Guard& guard)
    : guard_(guard),
      nodes_(guard.memory()),
      items_(guard.memory()),
      parameters_(guard.memory()),
      hashes_(guard.memory()),
      table_(64, EMPTY, guard.memory()) {
    add(FormulaKind::TRUTH, 0, {}, {});
    add(FormulaKind::FALSITY, 0, {}, {});
}

FormulaId Formulas::literal(bool negated, PredicateId predicate, std::span<const Symbol> terms) {
    return add(negated ? FormulaKind::NEGATED_ATOM : FormulaKind::ATOM, predicate, {}, terms);
}

FormulaId Formulas::junctor(FormulaKind kind, std::span<const FormulaId> parts) {
    const bool is_conjunction = kind == FormulaKind::CONJUNCTION;
    const FormulaId neutral = is_conjunction ? TRUTH : FALSITY, decisive = is_conjunction ? FALSITY : TRUTH;
    std::pmr::vector<FormulaId> kept(guard_.memory());
    for (FormulaId part : parts) {
        if (part == decisive) return decisive;
        if (part == neutral) continue;
        if (this->kind(part) == kind)
            kept.insert(kept.end(), this->parts(part).begin(), this->parts(part).end());
        else
            kept.push_back(part);
    }
    guard_.poll(kept.size() + 1);
    if (kept.empty()) return neutral;
    return kept.size() == 1 ? kept.front() : add(kind, 0, {}, kept);
}

FormulaId Formulas::quantifier(FormulaKind kind, std::span<const Parameter> parameters, FormulaId part) {
    return is_constant(part) ? part : add(kind, 0, parameters, {&part, 1});
}

FormulaId Formulas::with_parts(FormulaId id, std::span<const FormulaId> parts) {
    switch (kind(id)) {
        case FormulaKind::CONJUNCTION:
        case FormulaKind::DISJUNCTION:
            return junctor(kind(id), parts);
        case FormulaKind::FORALL:
        case FormulaKind::EXISTS: {
            // A copy: the pool moves when it grows.
            const std::span<const Parameter> own = parameters(id);
            const std::pmr::vector<Parameter> copied(own.begin(), own.end(), guard_.memory());
            return quantifier(kind(id), copied, parts.front());
        }
        default:
            return id;
    }
}

FormulaId Formulas::negation(FormulaId root) {
    auto leave = [&](FormulaId id, std::span<const FormulaId> parts) {
        switch (kind(id)) {
            case FormulaKind::TRUTH:
                return FALSITY;
            case FormulaKind::FALSITY:
                return TRUTH;
            case FormulaKind::CONJUNCTION:
                return junctor(FormulaKind::DISJUNCTION, parts);
            case FormulaKind::DISJUNCTION:
                return junctor(FormulaKind::CONJUNCTION, parts);
            case FormulaKind::FORALL:
            case FormulaKind::EXISTS: {
                const std::span<const Parameter> own = parameters(id);
                const std::pmr::vector<Parameter> copied(own.begin(), own.end(), guard_.memory());
                const bool is_forall = kind(id) == FormulaKind::FORALL;
                return quantifier(is_forall ? FormulaKind::EXISTS : FormulaKind::FORALL, copied, parts.front());
            }
            default: {
                const std::pmr::vector<Symbol> copied(terms(id).begin(), terms(id).end(), guard_.memory());
                return literal(kind(id) == FormulaKind::ATOM, predicate(id), copied);
            }
        }
    };
    return rewrite(root, [](FormulaId) { return true; }, leave);
}

bool Formulas::equals(const Node& node, FormulaKind kind, PredicateId predicate, std::span<const Parameter> parameters,
                      std::span<const std::uint32_t> items) const {
    const bool is_quantifier = kind == FormulaKind::FORALL || kind == FormulaKind::EXISTS;
    return node.kind == kind && (is_quantifier || node.predicate == predicate) &&
           std::ranges::equal(std::span(parameters_.data() + (is_quantifier ? node.predicate : 0), node.num_parameters),
                              parameters) &&
           std::ranges::equal(std::span(items_.data() + node.first, node.size), items);
}

FormulaId Formulas::add(FormulaKind kind, PredicateId predicate, std::span<const Parameter> parameters,
                        std::span<const std::uint32_t> items) {
    std::uint64_t hash = mixed(static_cast<std::uint64_t>(kind), predicate);
    for (const Parameter& parameter : parameters) hash = mixed(mixed(hash, parameter.name), parameter.type);
    for (std::uint32_t item : items) hash = mixed(hash, item);
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hash & mask;
    for (; table_[slot] != EMPTY; slot = (slot + 1) & mask) {
        const FormulaId id = table_[slot];
        if (hashes_[id] == hash && equals(nodes_[id], kind, predicate, parameters, items)) return id;
    }
    const auto id = static_cast<FormulaId>(nodes_.size());
    std::uint8_t within = 0;
    if (kind != FormulaKind::ATOM && kind != FormulaKind::NEGATED_ATOM)
        for (FormulaId part : items) within |= nodes_[part].within;
    if (kind == FormulaKind::DISJUNCTION) within |= HAS_DISJUNCTION;
    if (kind == FormulaKind::EXISTS) within |= HAS_EXISTS;
    if (kind == FormulaKind::FORALL) within |= HAS_FORALL;
    if (kind == FormulaKind::EXISTS || kind == FormulaKind::FORALL)
        predicate = static_cast<std::uint32_t>(parameters_.size());
    if (items_.size() + items.size() >= EMPTY) throw std::bad_alloc();
    nodes_.push_back({kind, within, predicate, static_cast<std::uint32_t>(parameters.size()),
                      static_cast<std::uint32_t>(items_.size()), static_cast<std::uint32_t>(items.size())});
    // What is added may stand in the pool itself, which moves when it grows.
    const std::pmr::vector<std::uint32_t> copied_items(items.begin(), items.end(), guard_.memory());
    const std::pmr::vector<Parameter> copied_parameters(parameters.begin(), parameters.end(), guard_.memory());
    items_.insert(items_.end(), copied_items.begin(), copied_items.end());
    parameters_.insert(parameters_.end(), copied_parameters.begin(), copied_parameters.end());
    hashes_.push_back(hash);
    table_[slot] = id;
    if (2 * nodes_.size() > table_.size()) grow();
    return id;
}

void Formulas::grow() {
    std::pmr::vector<FormulaId> table(2 * table_.size(), EMPTY, guard_.memory());
    const std::size_t mask = table.size() - 1;
    for (FormulaId id = 0; id < nodes_.size(); ++id) {
        std::size_t slot = hashes_[id] & mask;
        while (table[slot] != EMPTY) slot = (slot + 1) & mask;
        table[slot] = id;
    }
    table_ = std::move(table);
}

}  // namespace sing::pddl
