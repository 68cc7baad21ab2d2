// The names of operators, and their order.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pddl/problem.h"

namespace sing::translate {

// An operator is "(slide t10 p12 p11)". Names are compared without being built: each word of a name has a place among
// all words that are followed by a blank or by a parenthesis.
class OperatorNames {
public:
    explicit OperatorNames(const pddl::Problem& problem);

    // Without parentheses.
    std::string name(const pddl::Action& action, std::span<const pddl::ObjectId> arguments) const;
    std::strong_ordering compare(const pddl::Action& a, std::span<const pddl::ObjectId> a_arguments,
                                 const pddl::Action& b, std::span<const pddl::ObjectId> b_arguments) const;

private:
    // Of the word at a position: 0 is the action, others are arguments.
    std::uint32_t rank(const pddl::Action& action, std::span<const pddl::ObjectId> arguments,
                       std::size_t position) const;

    const pddl::Problem& problem_;
    std::vector<std::uint32_t> before_blank_, before_end_;  // by symbol
    std::uint32_t end_ = 0;                                 // of ")" alone
};

}  // namespace sing::translate
