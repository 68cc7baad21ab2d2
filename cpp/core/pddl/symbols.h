// Words of PDDL as numbers.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/guard.h"

namespace sing::pddl {

using Symbol = std::uint32_t;

// The words with a meaning in PDDL are the first symbols, in this order.
enum Keyword : Symbol {
    DEFINE,
    DOMAIN,
    PROBLEM,
    IN_DOMAIN,
    REQUIREMENTS,
    TYPES,
    CONSTANTS,
    PREDICATES,
    FUNCTIONS,
    ACTION,
    DERIVED,
    OBJECTS,
    INIT,
    GOAL,
    METRIC,
    MINIMIZE,
    PARAMETERS,
    PRECONDITION,
    EFFECT,
    AND,
    OR,
    NOT,
    IMPLY,
    FORALL,
    EXISTS,
    WHEN,
    INCREASE,
    EQUALS,
    EITHER,
    DASH,
    OBJECT,
    NUMBER,
    TOTAL_COST,
    NUM_KEYWORDS,
};  // clang-format off
inline constexpr std::array<std::string_view, NUM_KEYWORDS> KEYWORDS = {
    "define", "domain", "problem", ":domain", ":requirements", ":types", ":constants", ":predicates", ":functions",
    ":action", ":derived", ":objects", ":init", ":goal", ":metric", "minimize", ":parameters", ":precondition",
    ":effect", "and", "or", "not", "imply", "forall", "exists", "when", "increase", "=", "either", "-", "object",
    "number", "total-cost",
};  // clang-format on

// A word gets its number when it is seen first. Names stay where they are.
class Symbols {
public:
    explicit Symbols(const Guard& guard) : names_(guard.memory()), texts_(guard.memory()), symbols_(guard.memory()) {
        for (std::string_view keyword : KEYWORDS) intern(keyword);
    }

    Symbol intern(std::string_view word);
    std::string_view name(Symbol symbol) const { return names_[symbol]; }
    std::size_t size() const { return names_.size(); }
    bool is_variable(Symbol symbol) const { return names_[symbol].starts_with('?'); }

private:
    std::pmr::vector<std::string_view> names_;
    std::pmr::monotonic_buffer_resource texts_;
    std::pmr::unordered_map<std::string_view, Symbol> symbols_;
};

}  // namespace sing::pddl
