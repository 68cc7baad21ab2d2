// A PDDL file as words in nested lists, with the place of each.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "base/guard.h"
#include "pddl/symbols.h"

namespace sing::pddl {

// Position of a word or a list in its tree; a list stands before what it holds.
using NodeId = std::uint32_t;

class SyntaxTree {
public:
    // Lower-cases words, skips comments and a byte-order mark. Throws std::invalid_argument, see fail(), for text that
    // is not one list. `name` is what messages call the text.
    SyntaxTree(std::string_view text, std::string_view name, Symbols& symbols, const Guard& guard);

    static constexpr NodeId ROOT = 0;
    bool is_list(NodeId node) const { return nodes_[node].word == LIST; }
    bool is_word(NodeId node) const { return !is_list(node); }
    Symbol word(NodeId node) const { return nodes_[node].word; }
    // Behind the last node of a list; what follows a node.
    NodeId end(NodeId node) const { return nodes_[node].end; }
    bool is_empty(NodeId list) const { return end(list) == list + 1; }
    std::size_t num_items(NodeId list) const;
    // A node as it stands in messages, shortened.
    std::string shown(NodeId node) const;

    // Throws std::invalid_argument: "'domain.pddl', line 3, column 7: " and the message.
    [[noreturn]] void fail(NodeId node, const std::string& message) const;
    // The same, with what was found instead.
    [[noreturn]] void expected(NodeId node, const std::string& what) const;

private:
    static constexpr Symbol LIST = 0xFFFF'FFFF;
    struct Node {
        std::uint32_t line, column;  // from 1; columns count bytes
        Symbol word;
        NodeId end;
    };

    [[noreturn]] void fail_at(std::uint32_t line, std::uint32_t column, const std::string& message) const;
    void read(std::string_view text, Symbols& symbols, const Guard& guard);

    std::string name_;
    const Symbols& symbols_;
    std::pmr::vector<Node> nodes_;
};

}  // namespace sing::pddl
