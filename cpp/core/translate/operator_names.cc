#include "translate/operator_names.h"

#include <algorithm>

namespace sing::translate {

using namespace pddl;

OperatorNames::OperatorNames(const Problem& problem)
    : problem_(problem), before_blank_(problem.symbols.size()), before_end_(problem.symbols.size()) {
    // A symbol and what follows it; a symbol beyond the last stands for ")" alone.
    struct Word {
        Symbol symbol;
        char after;
    };
    const auto nothing = static_cast<Symbol>(problem.symbols.size());
    std::vector<Word> words{{nothing, ')'}};
    auto add = [&](Symbol symbol) {
        words.push_back({symbol, ' '});
        words.push_back({symbol, ')'});
    };
    for (const Object& object : problem.objects) add(object.name);
    for (const Action& action : problem.actions) add(action.name);
    auto character = [&](const Word& word, std::size_t i) {
        const std::string_view name = word.symbol == nothing ? std::string_view{} : problem.symbols.name(word.symbol);
        return i < name.size() ? name[i] : i == name.size() ? word.after : '\0';
    };
    std::ranges::sort(words, [&](const Word& a, const Word& b) {
        for (std::size_t i = 0;; ++i) {
            const char x = character(a, i), y = character(b, i);
            if (x != y) return x < y;
            if (x == '\0') return false;
        }
    });
    for (std::uint32_t i = 0; i < words.size(); ++i) {
        if (words[i].symbol == nothing)
            end_ = i;
        else
            (words[i].after == ' ' ? before_blank_ : before_end_)[words[i].symbol] = i;
    }
}

std::string OperatorNames::name(const Action& action, std::span<const ObjectId> arguments) const {
    std::string text(problem_.symbols.name(action.name));
    for (ObjectId argument : arguments.first(action.num_external)) {
        text += ' ';
        text += problem_.symbols.name(problem_.objects[argument].name);
    }
    return text;
}

std::uint32_t OperatorNames::rank(const Action& action, std::span<const ObjectId> arguments,
                                  std::size_t position) const {
    if (position == 0) return before_blank_[action.name];
    if (action.num_external == 0) return end_;  // "(noop )"
    const Symbol symbol = problem_.objects[arguments[position - 1]].name;
    return (position < action.num_external ? before_blank_ : before_end_)[symbol];
}

std::strong_ordering OperatorNames::compare(const Action& a, std::span<const ObjectId> a_arguments, const Action& b,
                                            std::span<const ObjectId> b_arguments) const {
    const std::size_t a_size = std::max<std::size_t>(a.num_external, 1),
                      b_size = std::max<std::size_t>(b.num_external, 1);
    for (std::size_t i = 0; i <= std::min(a_size, b_size); ++i) {
        const std::strong_ordering order = rank(a, a_arguments, i) <=> rank(b, b_arguments, i);
        if (order != 0) return order;
    }
    return a_size <=> b_size;
}

}  // namespace sing::translate
