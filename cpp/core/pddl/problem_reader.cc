#include "pddl/problem_reader.h"

#include <unordered_map>

#include "pddl/definition_reader.h"
#include "pddl/numbers.h"

namespace sing::pddl {
namespace {

class ProblemReader : DefinitionReader {
public:
    using DefinitionReader::DefinitionReader;

    void read(Symbol domain) {
        read_head(PROBLEM);
        NodeId in_domain = NO_SECTION, requirements = NO_SECTION, objects = NO_SECTION, init = NO_SECTION,
               goal = NO_SECTION, metric = NO_SECTION;
        for_sections(SECTION, [&](NodeId list, Symbol kind) {
            switch (kind) {
                case IN_DOMAIN:
                    note_section(in_domain, list);
                    return check_domain(list, domain);
                case REQUIREMENTS:
                    note_section(requirements, list);
                    return check_requirements(list);
                case OBJECTS:
                    return note_section(objects, list);
                case INIT:
                    return note_section(init, list);
                case GOAL:
                    return note_section(goal, list);
                case METRIC:
                    note_section(metric, list);
                    return read_metric(list);
                default:
                    tree_.expected(list + 1, SECTION);
            }
        });
        if (in_domain == NO_SECTION) tree_.fail(tree_.ROOT, "the problem has no section '(:domain NAME)'");
        if (init == NO_SECTION) tree_.fail(tree_.ROOT, "the problem has no section '(:init …)'");
        if (goal == NO_SECTION) tree_.fail(tree_.ROOT, "the problem has no section '(:goal CONDITION)'");
        if (objects != NO_SECTION) read_objects(objects);
        problem_.object_of.resize(problem_.symbols.size(), NONE);
        read_init(init);
        Scope scope(guard_);
        if (tree_.num_items(goal) != 2) tree_.expected(goal, "'(:goal CONDITION)'");
        if (tree_.is_empty(goal + 2)) tree_.expected(goal + 2, "a condition");
        problem_.goal = condition(goal + 2, scope);
    }

private:
    static constexpr const char* SECTION = "':domain', ':requirements', ':objects', ':init', ':goal' or ':metric'";

    void check_domain(NodeId list, Symbol domain) const {
        if (tree_.num_items(list) != 2) tree_.expected(list, "'(:domain NAME)'");
        const Symbol name = word(list + 2, "the name of the domain");
        if (name != domain)
            tree_.fail(list + 2,
                       "the problem is one of domain " + quoted(name) + ", and the domain is " + quoted(domain));
    }

    void read_metric(NodeId list) {
        const bool is_cost = tree_.num_items(list) == 3 && tree_.is_word(list + 2) &&
                             tree_.word(list + 2) == MINIMIZE && tree_.is_list(list + 3) &&
                             tree_.num_items(list + 3) == 1 && tree_.word(list + 4) == TOTAL_COST;
        if (!is_cost) tree_.expected(list, "'(:metric minimize (total-cost))'");
        problem_.has_metric = true;
    }

    void read_init(NodeId list) {
        // By fact: whether it was said to hold, and the fact as its literal.
        std::unordered_map<FormulaId, bool> values;
        const Scope no_variables(guard_);
        for (NodeId node = list + 2; node < tree_.end(list); node = tree_.end(node)) {
            guard_.poll(1);
            require_list(node, "a fact");
            if (tree_.is_empty(node)) tree_.expected(node, "a fact");
            if (begins_with(node, EQUALS)) {
                read_value(node);
                continue;
            }
            const bool negated = begins_with(node, NOT);
            NodeId fact = node;
            if (negated) {
                if (tree_.num_items(node) != 2) tree_.expected(node, "one fact after 'not'");
                fact = node + 2;
                require_list(fact, "a fact");
                if (tree_.is_empty(fact)) tree_.expected(fact, "a fact");
            }
            const FormulaId atom_id = atom(fact, false, no_variables);
            guard_.take(sizeof(void*) + sizeof(std::pair<FormulaId, bool>));
            const auto [known, is_new] = values.emplace(atom_id, !negated);
            if (!is_new && known->second == negated) tree_.fail(node, "this fact is both true and false initially");
            if (!is_new || negated) continue;
            problem_.init_predicates.push_back(problem_.formulas.predicate(atom_id));
            for (Symbol term : problem_.formulas.terms(atom_id))
                problem_.init_arguments.push_back(problem_.object_of[term]);
        }
    }

    // "(= (distance a b) 3)".
    void read_value(NodeId node) {
        if (tree_.num_items(node) != 3) tree_.expected(node, "'(= (FUNCTION OBJECT …) NUMBER)'");
        const NodeId head = node + 2, number = tree_.end(head);
        FunctionValue value{0, {}, 0};
        if (tree_.is_word(head)) {
            value.function = tree_.word(head);
        } else {
            if (tree_.is_empty(head)) tree_.expected(head, "'(FUNCTION OBJECT …)'");
            value.function = word(head + 1, "a function");
            const Scope no_variables(guard_);
            for (NodeId term = head + 2; term < tree_.end(head); term = tree_.end(term)) {
                check_term(term, no_variables);
                value.arguments.push_back(problem_.object_of[tree_.word(term)]);
            }
        }
        value.value = checked_number(tree_, number, problem_.symbols.name(word(number, "a number")));
        guard_.take(sizeof(FunctionValue) + value.arguments.size() * sizeof(ObjectId));
        problem_.init_values.push_back(std::move(value));
    }
};

}  // namespace

void read_problem(const SyntaxTree& tree, Symbol domain, Problem& problem, const Guard& guard) {
    ProblemReader(tree, problem, guard).read(domain);
}

}  // namespace sing::pddl
