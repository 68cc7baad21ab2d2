#include "pddl/numbers.h"

#include <charconv>
#include <string>

namespace sing::pddl {

std::int64_t checked_number(const SyntaxTree& tree, NodeId node, std::string_view word) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc::result_out_of_range) tree.fail(node, "the number is too large; costs have 63 bits");
    if (error != std::errc{} || end != word.data() + word.size() || value < 0)
        tree.expected(node, "a whole number from 0 on");
    return value;
}

}  // namespace sing::pddl
