// What domains and problems share: a head, sections, objects.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "pddl/reader.h"

namespace sing::pddl {

// Each item of "(define (domain NAME) …)" behind the first two, with sections that may occur once by their word.
class DefinitionReader : protected Reader {
public:
    using Reader::Reader;

protected:
    // The name in "(define (domain NAME) …)".
    Symbol read_head(Symbol kind) const {
        const std::string what = "(define (" + std::string(KEYWORDS[kind]) + " NAME) …)";
        if (!begins_with(SyntaxTree::ROOT, DEFINE)) tree_.expected(SyntaxTree::ROOT, "'" + what + "'");
        const NodeId head = SyntaxTree::ROOT + 2;
        if (head >= tree_.end(SyntaxTree::ROOT)) tree_.expected(SyntaxTree::ROOT, "'" + what + "'");
        if (!begins_with(head, kind) || tree_.num_items(head) != 2 || !tree_.is_word(head + 2))
            tree_.expected(head, "'(" + std::string(KEYWORDS[kind]) + " NAME)'");
        return tree_.word(head + 2);
    }

    // Calls read(list, word) for each section.
    template <typename Read>
    void for_sections(const std::string& what, Read&& read) {
        for (NodeId node = tree_.end(SyntaxTree::ROOT + 2); node < tree_.end(SyntaxTree::ROOT);
             node = tree_.end(node)) {
            require_list(node, what);
            if (tree_.is_empty(node)) tree_.expected(node, what);
            read(node, word(node + 1, what));
        }
    }

    // Where several sections of one kind are an error: the section, and NO_SECTION before it was seen.
    static constexpr NodeId NO_SECTION = NONE;
    void note_section(NodeId& section, NodeId list) const {
        if (section != NO_SECTION)
            tree_.fail(list, "there is a section " + quoted(tree_.word(list + 1)) + " before this one");
        section = list;
    }

    void read_objects(NodeId list) {
        for (const TypedWord& typed : typed_words(list, list + 2, "the name of an object")) {
            if (problem_.symbols.is_variable(typed.word)) tree_.expected(typed.node, "an object, not a variable");
            const TypeId type = type_of(list, typed);
            auto& object_of = problem_.object_of;
            if (typed.word >= object_of.size()) object_of.resize(problem_.symbols.size(), NONE);
            if (object_of[typed.word] != NONE)
                tree_.fail(typed.node, "object " + quoted(typed.word) + " is declared twice");
            object_of[typed.word] = static_cast<ObjectId>(problem_.objects.size());
            guard_.take(sizeof(Object));
            problem_.objects.push_back({typed.word, type});
        }
    }

    // Those that are known; a task may use what it does not require. Numbers are allowed as far as costs need them.
    void check_requirements(NodeId list) const {
        static constexpr std::string_view known[] = {":strips",
                                                     ":adl",
                                                     ":typing",
                                                     ":negation",
                                                     ":equality",
                                                     ":negative-preconditions",
                                                     ":disjunctive-preconditions",
                                                     ":existential-preconditions",
                                                     ":universal-preconditions",
                                                     ":quantified-preconditions",
                                                     ":conditional-effects",
                                                     ":derived-predicates",
                                                     ":action-costs",
                                                     ":fluents",
                                                     ":numeric-fluents",
                                                     ":domain-axioms"};
        for (NodeId node = list + 2; node < tree_.end(list); node = tree_.end(node)) {
            const Symbol requirement = word(node, "a requirement, such as ':strips'");
            if (std::ranges::find(known, problem_.symbols.name(requirement)) == std::end(known))
                tree_.fail(node, "sing does not support the requirement " + quoted(requirement));
        }
    }
};

}  // namespace sing::pddl
