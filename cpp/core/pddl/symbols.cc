#include "pddl/symbols.h"

#include <algorithm>

namespace sing::pddl {

Symbol Symbols::intern(std::string_view word) {
    if (const auto known = symbols_.find(word); known != symbols_.end()) return known->second;
    char* text = static_cast<char*>(texts_.allocate(word.size() + 1, 1));
    std::ranges::copy(word, text);
    const std::string_view name(text, word.size());
    const auto symbol = static_cast<Symbol>(names_.size());
    names_.push_back(name);
    symbols_.emplace(name, symbol);
    return symbol;
}

}  // namespace sing::pddl
