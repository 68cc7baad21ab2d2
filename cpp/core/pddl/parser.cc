#include "pddl/parser.h"

#include "pddl/domain_reader.h"
#include "pddl/problem_reader.h"
#include "pddl/syntax_tree.h"

namespace sing::pddl {

std::unique_ptr<Problem> parse(const Text& domain, const Text& problem, const Guard& guard) {
    auto parsed = std::make_unique<Problem>(guard);
    const SyntaxTree domain_tree(domain.text, domain.name, parsed->symbols, guard);
    const SyntaxTree problem_tree(problem.text, problem.name, parsed->symbols, guard);
    const Symbol name = read_domain(domain_tree, *parsed, guard);
    read_problem(problem_tree, name, *parsed, guard);
    return parsed;
}

}  // namespace sing::pddl
