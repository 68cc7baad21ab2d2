#include "states/condition_tree.h"

#include <algorithm>
#include <limits>
#include <new>
#include <ranges>
#include <utility>

namespace sing {

ConditionTree::ConditionTree(const Task& task, Csr<Fact> conditions, const Guard& guard)
    : conditions_(std::move(conditions)),
      domain_sizes_(guard.memory()),
      nodes_(1, Node{}, guard.memory()),
      items_(guard.memory()),
      tests_(guard.memory()),
      tables_(guard.memory()),
      choices_(guard.memory()) {
    for (const Variable& variable : task.variables) domain_sizes_.push_back(variable.domain_size());
}

ConditionTree::NodeId ConditionTree::searched_child(const Test& test, Value value) const {
    const auto choices = std::span(choices_).subspan(test.child, test.num_choices);
    const auto found = std::ranges::lower_bound(choices, value, {}, &Choice::value);
    return found != choices.end() && found->value == value ? found->child : NO_NODE;
}

void ConditionTree::push_all(const Test& test, Pending& pending) const {
    if (test.only_value >= 0) {
        pending.push(test.child);
    } else if (test.only_value == BY_TABLE) {
        for (std::uint32_t i = test.num_choices; i > 0; --i)
            if (const NodeId child = tables_[test.child + i - 1]; child != NO_NODE) pending.push(child);
    } else {
        for (std::uint32_t i = test.num_choices; i > 0; --i) pending.push(choices_[test.child + i - 1].child);
    }
}

// Adds one tree, from its root on. What is still to be built lies on a stack of its own, because a tree can be as deep
// as there are items.
class ConditionTree::Builder {
public:
    Builder(ConditionTree& tree, std::span<Item> items, const Guard& guard)
        : tree_(tree), items_(items), guard_(guard), parts_(guard.memory()), branches_(guard.memory()) {}

    NodeId build() {
        std::ranges::sort(items_, [&](const Item& a, const Item& b) { return is_before(a, b); });
        const NodeId root = next_node();
        parts_.push_back({0, items_.size(), 0, nullptr, 0});
        while (!parts_.empty()) {
            const Part part = parts_.back();
            parts_.pop_back();
            if (part.children) part.children(tree_, part.place) = next_node();
            guard_.poll(1 + part.end - part.begin);
            build_node(part);
            tree_.nodes_.push_back({0, 0, size_of(tree_.items_), size_of(tree_.tests_)});
        }
        return root;
    }

private:
    using Children = NodeId& (*)(ConditionTree&, std::size_t);

    // The items from `begin` to `end` have their first `depth` conditions in common. Their node becomes the child
    // children(tree, place).
    struct Part {
        std::size_t begin, end, depth;
        Children children;
        std::size_t place;
    };
    struct Branch {
        Value value;
        std::size_t begin, end;
    };

    template <typename T>
    static std::uint32_t size_of(const std::pmr::vector<T>& items) {
        if (items.size() > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
        return static_cast<std::uint32_t>(items.size());
    }
    NodeId next_node() const { return size_of(tree_.nodes_) - 1; }

    std::size_t num_conditions(const Item& item) const {
        return tree_.conditions_[item.row].size() - (item.left_out != Item::NONE);
    }
    // Where the item's i-th condition stands in its row.
    static std::size_t position(const Item& item, std::size_t i) { return i + (i >= item.left_out); }
    const Fact& condition(const Item& item, std::size_t i) const {
        return tree_.conditions_[item.row][position(item, i)];
    }

    // Items with a common beginning of conditions become neighbours.
    bool is_before(const Item& a, const Item& b) const {
        guard_.poll(1);
        const std::size_t size_a = num_conditions(a), size_b = num_conditions(b);
        for (std::size_t i = 0; i < std::min(size_a, size_b); ++i)
            if (const Fact &fact_a = condition(a, i), &fact_b = condition(b, i); fact_a != fact_b)
                return fact_a < fact_b;
        return size_a != size_b ? size_a < size_b : a.id < b.id;
    }

    // How many conditions all items of the part have in common: those of its first and its last, as they are sorted.
    std::size_t common_depth(const Part& part) const {
        if (part.begin == part.end) return part.depth;
        const Item &first = items_[part.begin], &last = items_[part.end - 1];
        const std::size_t end = std::min(num_conditions(first), num_conditions(last));
        std::size_t depth = part.depth;
        while (depth < end && condition(first, depth) == condition(last, depth)) ++depth;
        return depth;
    }

    // A condition that the item leaves out is tested with the others: it holds.
    void set_rest(const Item& item, std::size_t begin, std::size_t end) {
        if (begin == end) return;
        const std::size_t first = tree_.conditions_.first(item.row);
        Node& node = tree_.nodes_.back();
        node.first_rest = static_cast<std::uint32_t>(first + position(item, begin));
        node.end_rest = static_cast<std::uint32_t>(first + position(item, end - 1) + 1);
    }

    void build_node(const Part& part) {
        std::size_t begin = part.begin;
        const std::size_t depth = common_depth(part);
        if (begin < part.end) set_rest(items_[begin], part.depth, depth);
        for (; begin < part.end && num_conditions(items_[begin]) == depth; ++begin)
            tree_.items_.push_back(items_[begin].id);
        const std::size_t num_parts = parts_.size();
        auto variable_of = [&](std::size_t i) { return condition(items_[i], depth).variable; };
        while (begin < part.end) {
            const std::int32_t variable = variable_of(begin);
            std::size_t end = begin;
            while (end < part.end && variable_of(end) == variable) ++end;
            find_branches(begin, end, depth);
            add_tests(variable, depth + 1);
            begin = end;
        }
        std::ranges::reverse(parts_ | std::views::drop(num_parts));  // the first child is built next
    }

    void find_branches(std::size_t begin, std::size_t end, std::size_t depth) {
        branches_.clear();
        for (std::size_t i = begin; i < end; ++i) {
            const Value value = condition(items_[i], depth).value;
            if (branches_.empty() || branches_.back().value != value) branches_.push_back({value, i, i});
            branches_.back().end = i + 1;
        }
    }

    // A test for each branch where they are few among many values, a table of all values where many of them have a
    // branch, and otherwise a sorted list: tables would take more memory than the task.
    void add_tests(std::int32_t variable, std::size_t depth) {
        constexpr std::size_t max_single_tests = 4, few_factor = 8, table_factor = 64;
        const auto domain_size = static_cast<std::size_t>(tree_.domain_sizes_[static_cast<std::size_t>(variable)]);
        const bool few = branches_.size() <= max_single_tests && branches_.size() * few_factor < domain_size;
        if (branches_.size() == 1 || few) {
            for (const Branch& branch : branches_) {
                add_part(branch, depth, child_of_test, tree_.tests_.size());
                tree_.tests_.push_back({variable, branch.value, NO_NODE, 1});
            }
        } else if (domain_size <= table_factor * branches_.size()) {
            const std::uint32_t table = size_of(tree_.tables_);
            tree_.tests_.push_back({variable, BY_TABLE, table, static_cast<std::uint32_t>(domain_size)});
            tree_.tables_.resize(table + domain_size, NO_NODE);
            for (const Branch& branch : branches_)
                add_part(branch, depth, child_of_table, table + static_cast<std::size_t>(branch.value));
        } else {
            tree_.tests_.push_back(
                {variable, BY_SEARCH, size_of(tree_.choices_), static_cast<std::uint32_t>(branches_.size())});
            for (const Branch& branch : branches_) {
                add_part(branch, depth, child_of_choice, tree_.choices_.size());
                tree_.choices_.push_back({branch.value, NO_NODE});
            }
        }
    }

    void add_part(const Branch& branch, std::size_t depth, Children children, std::size_t place) {
        parts_.push_back({branch.begin, branch.end, depth, children, place});
    }
    static NodeId& child_of_test(ConditionTree& tree, std::size_t place) { return tree.tests_[place].child; }
    static NodeId& child_of_table(ConditionTree& tree, std::size_t place) { return tree.tables_[place]; }
    static NodeId& child_of_choice(ConditionTree& tree, std::size_t place) { return tree.choices_[place].child; }

    ConditionTree& tree_;
    std::span<Item> items_;
    const Guard& guard_;
    std::pmr::vector<Part> parts_;       // still to be built, the next one last
    std::pmr::vector<Branch> branches_;  // of one variable
};

ConditionTree::NodeId ConditionTree::add(std::span<Item> items, const Guard& guard) {
    return Builder(*this, items, guard).build();
}

void UsageOrder::sort(std::span<Fact> facts) const {
    std::ranges::sort(facts, [&](const Fact& a, const Fact& b) {
        const std::size_t uses_a = uses_[static_cast<std::size_t>(a.variable)];
        const std::size_t uses_b = uses_[static_cast<std::size_t>(b.variable)];
        return uses_a != uses_b ? uses_a > uses_b : a.variable < b.variable;
    });
}

}  // namespace sing
