#include "pddl/syntax_tree.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace sing::pddl {
namespace {

constexpr std::string_view BYTE_ORDER_MARK = "\xEF\xBB\xBF";

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// A question mark begins a new word, also within another.
bool ends_word(char c) { return is_space(c) || c == '(' || c == ')' || c == ';' || c == '?'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_printable(char c) { return c > ' ' && c <= '~'; }

}  // namespace

SyntaxTree::SyntaxTree(std::string_view text, std::string_view name, Symbols& symbols, const Guard& guard)
    : name_(name), symbols_(symbols), nodes_(guard.memory()) {
    if (text.size() > std::numeric_limits<NodeId>::max() - 2) throw std::bad_alloc();
    if (text.starts_with(BYTE_ORDER_MARK)) text.remove_prefix(BYTE_ORDER_MARK.size());
    read(text, symbols, guard);
}

void SyntaxTree::read(std::string_view text, Symbols& symbols, const Guard& guard) {
    std::pmr::vector<NodeId> open(guard.memory());
    std::pmr::string word(guard.memory());
    std::uint32_t line = 1;
    std::size_t line_begin = 0;
    for (std::size_t i = 0; i < text.size();) {
        guard.poll(1);
        const char c = text[i];
        const auto column = static_cast<std::uint32_t>(i - line_begin + 1);
        if (c == '\n') {
            ++line;
            line_begin = ++i;
        } else if (is_space(c)) {
            ++i;
        } else if (c == ';') {
            i = std::min(text.find('\n', i), text.size());
        } else if (c == ')') {
            if (open.empty()) fail_at(line, column, "this ')' has no '(' before it");
            nodes_[open.back()].end = static_cast<NodeId>(nodes_.size());
            open.pop_back();
            ++i;
        } else {
            if (open.empty() && !nodes_.empty())
                fail_at(line, column, "expected the end of the file after the last ')'");
            if (open.empty() && c != '(') fail_at(line, column, "expected '(' at the beginning");
            const auto node = static_cast<NodeId>(nodes_.size());
            if (c == '(') {
                nodes_.push_back({line, column, LIST, node + 1});
                open.push_back(node);
                ++i;
                continue;
            }
            word.clear();
            do {
                if (!is_printable(text[i]))
                    fail_at(line, static_cast<std::uint32_t>(i - line_begin + 1),
                            "outside of comments only printable ASCII characters are allowed");
                word.push_back(lower(text[i++]));
            } while (i < text.size() && !ends_word(text[i]));
            nodes_.push_back({line, column, symbols.intern(word), node + 1});
        }
    }
    if (nodes_.empty()) fail_at(line, 1, "expected '(define …)', found the end of the file");
    if (!open.empty()) {
        const Node& node = nodes_[open.back()];
        fail_at(node.line, node.column, "this '(' has no ')'; the file ends in line " + std::to_string(line));
    }
}

std::size_t SyntaxTree::num_items(NodeId list) const {
    std::size_t count = 0;
    for (NodeId item = list + 1; item < end(list); item = end(item)) ++count;
    return count;
}

std::string SyntaxTree::shown(NodeId node) const {
    constexpr std::size_t longest = 60;
    std::string text;
    std::vector<NodeId> open;  // lists that are not closed, the innermost last
    for (NodeId i = node; i < end(node); ++i) {
        while (!open.empty() && end(open.back()) <= i) {
            text += ')';
            open.pop_back();
        }
        if (text.size() > longest) return text.substr(0, longest) + " …";
        if (!text.empty() && !text.ends_with('(')) text += ' ';
        if (is_list(i)) {
            text += '(';
            open.push_back(i);
        } else {
            text += symbols_.name(word(i));
        }
    }
    text.append(open.size(), ')');
    return text.size() > longest ? text.substr(0, longest) + " …" : text;
}

void SyntaxTree::fail(NodeId node, const std::string& message) const {
    fail_at(nodes_[node].line, nodes_[node].column, message);
}

void SyntaxTree::expected(NodeId node, const std::string& what) const {
    fail(node, "expected " + what + ", found '" + shown(node) + "'");
}

void SyntaxTree::fail_at(std::uint32_t line, std::uint32_t column, const std::string& message) const {
    throw std::invalid_argument("'" + name_ + "', line " + std::to_string(line) + ", column " + std::to_string(column) +
                                ": " + message);
}

}  // namespace sing::pddl
