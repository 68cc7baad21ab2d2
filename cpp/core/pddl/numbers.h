// Numbers in PDDL.
#pragma once

#include <cstdint>
#include <string_view>

#include "pddl/syntax_tree.h"

namespace sing::pddl {

// Whether a word is meant as a number, also one that is refused.
inline bool is_number(std::string_view word) {
    auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return is_digit(word[0]) ||
           (word.size() > 1 && (word[0] == '-' || word[0] == '.' || word[0] == '+') && is_digit(word[1]));
}

// A whole number from 0 on.
std::int64_t checked_number(const SyntaxTree& tree, NodeId node, std::string_view word);

}  // namespace sing::pddl
