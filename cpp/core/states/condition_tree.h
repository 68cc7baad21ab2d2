// Finds, among many conjunctions of facts, those that hold in a state, without looking at the others.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "task/task.h"

namespace sing {

// Decision trees over conditions. A node holds the items whose conditions are all tested on the
// way to it, and tests on further variables, each leading to a child by value. What all items below
// a node require is tested there at once, so that a node without items has two children or more.
//
// An item is a row of conditions, perhaps without one of them. Example: regression has an item for each effect of an
// operator; all of them share the operator's row, and each leaves out its own effect.
class ConditionTree {
public:
    // What a test says of a variable without a value: there is none in full states; in partial states it may satisfy
    // every test (what could hold) or fail it (what holds for certain).
    enum class Undefined { NEVER, HOLDS, FAILS };

    using NodeId = std::uint32_t;
    struct Item {
        static constexpr std::uint32_t NONE = 0xFFFF'FFFFu;
        std::uint32_t id;               // reported where the conditions hold
        std::uint32_t row;              // of the conditions
        std::uint32_t left_out = NONE;  // position in the row; that condition must hold wherever the tree is visited
    };

    // Rows have at most one condition per variable, in the order they shall be tested.
    ConditionTree(const Task& task, Csr<Fact> conditions, const Guard& guard);

    // Adds a tree and returns its root. Trees must be added before the first visit.
    NodeId add(std::span<Item> items, const Guard& guard);

    std::span<const Fact> conditions(std::size_t row) const { return conditions_[row]; }

    // Calls found(id) for each item whose conditions hold, always in the same order.
    template <Undefined undefined, typename Found>
    void visit(NodeId root, std::span<const Value> state, const Found& found) const {
        Pending pending;
        NodeId node = root;
        do {
            const Node &here = nodes_[node], &next = nodes_[node + 1];
            if (!holds<undefined>(here, state)) continue;
            for (std::uint32_t i = here.items; i < next.items; ++i) found(items_[i]);
            for (std::uint32_t i = next.tests; i > here.tests; --i)
                push_children<undefined>(tests_[i - 1], state, pending);
        } while (pending.pop(node));
    }

private:
    static constexpr NodeId NO_NODE = 0xFFFF'FFFFu;
    // In place of a test's one value: where its children are found.
    static constexpr Value BY_TABLE = -1, BY_SEARCH = -2;

    struct Test {
        std::int32_t variable;
        Value only_value;           // the one value with a child, or BY_TABLE, or BY_SEARCH
        std::uint32_t child;        // that child, or where in tables_ or choices_ the children begin
        std::uint32_t num_choices;  // children of BY_SEARCH, entries of BY_TABLE
    };
    struct Choice {
        Value value;
        NodeId child;
    };
    // Items and tests begin here and end where the next node's begin.
    struct Node {
        std::uint32_t first_rest, end_rest;  // conditions that all items below have in common
        std::uint32_t items, tests;
    };

    // Nodes still to be visited, the next one last. Its first part lies on the stack.
    class Pending {
    public:
        void push(NodeId node) {
            if (size_ < few_.size())
                few_[size_] = node;
            else
                more_.push_back(node);
            ++size_;
        }
        bool pop(NodeId& node) {
            if (size_ == 0) return false;
            if (--size_ < few_.size()) {
                node = few_[size_];
            } else {
                node = more_.back();
                more_.pop_back();
            }
            return true;
        }

    private:
        std::array<NodeId, 64> few_;
        std::vector<NodeId> more_;
        std::size_t size_ = 0;
    };

    template <Undefined undefined>
    bool holds(const Node& node, std::span<const Value> state) const {
        for (std::uint32_t i = node.first_rest; i < node.end_rest; ++i) {
            const Fact& fact = conditions_.items()[i];
            const Value value = state[static_cast<std::size_t>(fact.variable)];
            if (value != fact.value && !(undefined == Undefined::HOLDS && value == UNDEFINED)) return false;
        }
        return true;
    }

    template <Undefined undefined>
    void push_children(const Test& test, std::span<const Value> state, Pending& pending) const {
        const Value value = state[static_cast<std::size_t>(test.variable)];
        if (undefined != Undefined::NEVER && value == UNDEFINED) {
            if (undefined == Undefined::HOLDS) push_all(test, pending);
        } else if (test.only_value >= 0) {
            if (value == test.only_value) pending.push(test.child);
        } else if (const NodeId child = child_of(test, value); child != NO_NODE) {
            pending.push(child);
        }
    }
    NodeId child_of(const Test& test, Value value) const {
        return test.only_value == BY_TABLE ? tables_[test.child + static_cast<std::uint32_t>(value)]
                                           : searched_child(test, value);
    }
    NodeId searched_child(const Test& test, Value value) const;
    void push_all(const Test& test, Pending& pending) const;

    class Builder;

    Csr<Fact> conditions_;
    std::pmr::vector<Value> domain_sizes_;
    std::pmr::vector<Node> nodes_;  // and one that ends the last
    std::pmr::vector<std::uint32_t> items_;
    std::pmr::vector<Test> tests_;
    std::pmr::vector<NodeId> tables_;
    std::pmr::vector<Choice> choices_;
};

// Sorts facts by how often their variables were counted, most often first: what every operator
// mentions is then asked once, at the root.
class UsageOrder {
public:
    explicit UsageOrder(std::size_t num_variables) : uses_(num_variables) {}
    void count(std::span<const Fact> facts) {
        for (const Fact& fact : facts) ++uses_[static_cast<std::size_t>(fact.variable)];
    }
    void sort(std::span<Fact> facts) const;

private:
    std::vector<std::size_t> uses_;
};

}  // namespace sing
