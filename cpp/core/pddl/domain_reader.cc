#include "pddl/domain_reader.h"

#include <algorithm>

#include "pddl/definition_reader.h"
#include "pddl/effects.h"
#include "pddl/rename.h"

namespace sing::pddl {
namespace {

class DomainReader : DefinitionReader {
public:
    using DefinitionReader::DefinitionReader;

    // Returns the name of the domain. What actions mention may be declared behind them.
    Symbol read() {
        const Symbol name = read_head(DOMAIN);
        NodeId types = NO_SECTION, constants = NO_SECTION, predicates = NO_SECTION, functions = NO_SECTION,
               requirements = NO_SECTION;
        std::vector<NodeId> bodies;
        for_sections(SECTION, [&](NodeId list, Symbol kind) {
            switch (kind) {
                case REQUIREMENTS:
                    note_section(requirements, list);
                    return check_requirements(list);
                case TYPES:
                    return note_section(types, list);
                case CONSTANTS:
                    return note_section(constants, list);
                case PREDICATES:
                    return note_section(predicates, list);
                case FUNCTIONS:
                    return note_section(functions, list);
                case ACTION:
                case DERIVED:
                    return bodies.push_back(list);
                default:
                    tree_.expected(list + 1, SECTION);
            }
        });
        problem_.types.push_back({OBJECT, {}, {}});
        if (types != NO_SECTION) read_types(types);
        if (constants != NO_SECTION) read_objects(constants);
        if (predicates != NO_SECTION) read_predicates(predicates);
        add_predicate(EQUALS, 2);
        problem_.equality = problem_.predicate_of[EQUALS];
        if (functions != NO_SECTION) check_functions(functions);
        for (NodeId body : bodies) {
            if (tree_.word(body + 1) == ACTION)
                read_action(body);
            else
                read_rule(body);
        }
        return name;
    }

private:
    static constexpr const char* SECTION =
        "':requirements', ':types', ':constants', ':predicates', ':functions', ':derived' or ':action'";

    TypeId type_named(Symbol name) {
        const auto found = std::ranges::find(problem_.types, name, &Type::name);
        if (found != problem_.types.end()) return static_cast<TypeId>(found - problem_.types.begin());
        problem_.types.push_back({name, {}, {}});
        return static_cast<TypeId>(problem_.types.size() - 1);
    }

    // Types that occur only behind "-" are declared by that.
    void read_types(NodeId list) {
        for (const TypedWord& typed : typed_words(list, list + 2, "the name of a type")) {
            if (typed.word == NUMBER) tree_.fail(typed.node, "'number' cannot be declared as a type");
            const TypeId type = type_named(typed.word);
            if (typed.type == list) {
                if (typed.word != OBJECT) problem_.types[type].supertypes.push_back(0);
            } else if (tree_.is_word(typed.type)) {
                const TypeId supertype = type_named(tree_.word(typed.type));
                problem_.types[type].supertypes.push_back(supertype);
            } else {
                if (!begins_with(typed.type, EITHER)) tree_.expected(typed.type, "a type or '(either TYPE …)'");
                for (NodeId node = typed.type + 2; node < tree_.end(typed.type); node = tree_.end(node)) {
                    const TypeId supertype = type_named(word(node, "the name of a type"));
                    problem_.types[type].supertypes.push_back(supertype);
                }
            }
        }
    }

    void add_predicate(Symbol name, std::size_t arity) {
        auto& predicate_of = problem_.predicate_of;
        if (name >= predicate_of.size()) predicate_of.resize(problem_.symbols.size(), NONE);
        if (predicate_of[name] != NONE) {
            problem_.predicates[predicate_of[name]].arity = static_cast<std::uint32_t>(arity);
            return;
        }
        predicate_of[name] = static_cast<PredicateId>(problem_.predicates.size());
        problem_.predicates.push_back({name, static_cast<std::uint32_t>(arity)});
    }

    void read_predicates(NodeId list) {
        constexpr const char* what = "'(PREDICATE VARIABLE …)'";
        for (NodeId node = list + 2; node < tree_.end(list); node = tree_.end(node)) {
            require_list(node, what);
            if (tree_.is_empty(node)) tree_.expected(node, what);
            const Symbol name = word(node + 1, "the name of a predicate");
            const std::size_t arity = num_parameters(node);
            if (name == EQUALS && arity != 2) tree_.fail(node, "the predicate '=' takes two arguments");
            if (name < problem_.predicate_of.size() && problem_.predicate_of[name] != NONE &&
                problem_.predicates[problem_.predicate_of[name]].arity != arity)
                tree_.fail(node, "predicate " + quoted(name) + " is declared twice, with different arguments");
            add_predicate(name, arity);
        }
    }

    // Variables of a declaration. That one occurs twice is allowed here, because they are only counted.
    std::size_t num_parameters(NodeId list) {
        const std::vector<TypedWord> words = typed_words(list, list + 2, "a variable");
        for (const TypedWord& typed : words) {
            if (!problem_.symbols.is_variable(typed.word))
                tree_.expected(typed.node, "a variable, which begins with '?'");
            type_of(list, typed);
        }
        return words.size();
    }

    // "(total-cost) - number (distance ?a ?b) - number".
    void check_functions(NodeId list) {
        for (NodeId node = list + 2; node < tree_.end(list); node = tree_.end(node)) {
            if (tree_.is_list(node)) {
                if (tree_.is_empty(node)) tree_.expected(node, "'(FUNCTION VARIABLE …)'");
                word(node + 1, "the name of a function");
                num_parameters(node);
                continue;
            }
            if (tree_.word(node) != DASH) tree_.expected(node, "'(FUNCTION VARIABLE …)'");
            if (tree_.end(node) >= tree_.end(list)) tree_.fail(node, "expected 'number' after '-', found ')'");
            node = tree_.end(node);
            if (tree_.is_list(node) || tree_.word(node) != NUMBER)
                tree_.expected(node, "'number': there are no functions to objects");
        }
    }

    void read_action(NodeId list) {
        NodeId node = list + 2;
        if (node >= tree_.end(list)) tree_.fail(list, "expected the name of an action after ':action', found ')'");
        Action action{word(node, "the name of an action"), {}, 0, Formulas::TRUTH, {}, false, {}};
        NodeId parameter_list = NO_SECTION, precondition = NO_SECTION, effect = NO_SECTION;
        for (node = tree_.end(node); node < tree_.end(list); node = tree_.end(node)) {
            const NodeId tag = node;
            const Symbol kind = word(tag, "':parameters', ':precondition' or ':effect'");
            node = tree_.end(node);
            if (node >= tree_.end(list)) tree_.fail(tag, "expected a list after " + quoted(kind) + ", found ')'");
            require_list(node, "a list after " + quoted(kind));
            NodeId* section = kind == PARAMETERS     ? &parameter_list
                              : kind == PRECONDITION ? &precondition
                              : kind == EFFECT       ? &effect
                                                     : nullptr;
            if (!section) tree_.expected(tag, "':parameters', ':precondition' or ':effect'");
            if (*section != NO_SECTION) tree_.fail(tag, "this action has " + quoted(kind) + " before, too");
            *section = node;
        }
        if (effect == NO_SECTION) tree_.fail(list, "action " + quoted(action.name) + " has no ':effect'");
        if (parameter_list != NO_SECTION) action.parameters = parameters(parameter_list, parameter_list + 1);
        action.num_external = static_cast<std::uint32_t>(action.parameters.size());
        Scope scope(guard_);
        scope.enter(action.parameters);
        if (precondition != NO_SECTION) action.precondition = condition(precondition, scope);
        EffectReader(tree_, problem_, guard_, scope).read(effect, action);
        rename_apart(problem_, action);
        guard_.take(sizeof(Action));
        problem_.actions.push_back(std::move(action));
    }

    void read_rule(NodeId list) {
        if (tree_.num_items(list) != 3 || !tree_.is_list(list + 2) || tree_.is_empty(list + 2))
            tree_.expected(list, "'(:derived (PREDICATE VARIABLE …) CONDITION)'");
        const NodeId head = list + 2;
        DerivationRule rule{predicate(head + 1), parameters(head, head + 2), 0, Formulas::TRUTH};
        rule.num_external = static_cast<std::uint32_t>(rule.parameters.size());
        if (rule.num_external != problem_.predicates[rule.predicate].arity)
            tree_.fail(head, "predicate " + quoted(tree_.word(head + 1)) + " takes " +
                                 std::to_string(problem_.predicates[rule.predicate].arity) + " arguments");
        if (rule.predicate == problem_.equality) tree_.fail(head, "'=' cannot be derived");
        Scope scope(guard_);
        scope.enter(rule.parameters);
        rule.condition = condition(tree_.end(head), scope);
        rename_apart(problem_, rule);
        problem_.rules.push_back(std::move(rule));
    }
};

}  // namespace

Symbol read_domain(const SyntaxTree& tree, Problem& problem, const Guard& guard) {
    return DomainReader(tree, problem, guard).read();
}

}  // namespace sing::pddl
