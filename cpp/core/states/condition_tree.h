// Finds, among many conjunctions of facts, those that hold in a state, without looking at the others.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/csr.h"
#include "task/task.h"

namespace sing {

// Decision trees over conditions. A node holds the items whose conditions are all tested on the
// way to it, and tests on further variables, each leading to a child by value. Where a single item
// is left, its node has the rest of its conditions. In a partial state an undefined variable
// satisfies every test on it.
class ConditionTree {
public:
    using Item = std::uint32_t;
    using NodeId = std::uint32_t;

    explicit ConditionTree(const Task& task);

    // Adds a tree and returns its root. Row i has the conditions of item i, one per variable, in the
    // order they shall be tested. Trees must be added before the first visit.
    NodeId add(const Csr<Fact>& conditions, std::vector<Item> items);
    // To be called once after the last add().
    void finish();

    // Calls found(item) for each item whose conditions hold, always in the same order.
    template <bool may_be_partial, typename Found>
    void visit(NodeId node, std::span<const Value> state, const Found& found) const {
        const Node &here = nodes_[node], &next = nodes_[node + 1];
        for (std::uint32_t i = here.rest; i < next.rest; ++i) {
            const Value value = state[static_cast<std::size_t>(rests_[i].variable)];
            if (value != rests_[i].value && !(may_be_partial && value == UNDEFINED)) return;
        }
        for (std::uint32_t i = here.items; i < next.items; ++i) found(items_[i]);
        for (std::uint32_t i = here.tests; i < next.tests; ++i) {
            const Test& test = tests_[i];
            const Value value = state[static_cast<std::size_t>(test.variable)];
            if (may_be_partial && value == UNDEFINED) {
                visit_all<may_be_partial>(test, state, found);
            } else if (test.only_value != UNDEFINED) {
                if (value == test.only_value) visit<may_be_partial>(test.child, state, found);
            } else if (const NodeId child = jumps_[test.child + static_cast<std::uint32_t>(value)]; child != NO_NODE) {
                visit<may_be_partial>(child, state, found);
            }
        }
    }

private:
    static constexpr NodeId NO_NODE = 0xFFFF'FFFFu;

    struct Test {
        std::int32_t variable;
        Value only_value;     // the one value with a child, or UNDEFINED where there are several
        std::uint32_t child;  // that child, or where in jumps_ the children by value begin
    };

    // Where its parts begin; they end where the next node's begin.
    struct Node {
        std::uint32_t rest, items, tests;
    };

    template <bool may_be_partial, typename Found>
    void visit_all(const Test& test, std::span<const Value> state, const Found& found) const {
        if (test.only_value != UNDEFINED) {
            visit<may_be_partial>(test.child, state, found);
            return;
        }
        const auto num_values = static_cast<std::uint32_t>(domain_sizes_[static_cast<std::size_t>(test.variable)]);
        for (std::uint32_t value = 0; value < num_values; ++value)
            if (const NodeId child = jumps_[test.child + value]; child != NO_NODE)
                visit<may_be_partial>(child, state, found);
    }

    Node end() const {
        return {static_cast<std::uint32_t>(rests_.size()), static_cast<std::uint32_t>(items_.size()),
                static_cast<std::uint32_t>(tests_.size())};
    }
    NodeId build(const Csr<Fact>& conditions, std::span<const Item> items, std::size_t depth);
    void build_tests(NodeId node, std::int32_t variable, const Csr<Fact>& conditions, std::span<const Item> items,
                     std::size_t depth);

    std::vector<Value> domain_sizes_;
    std::vector<std::vector<Test>> building_;  // tests by node, until finish()
    std::vector<Node> nodes_;                  // and one that ends the last
    std::vector<Fact> rests_;                  // conditions of a node's one item, still to be tested
    std::vector<Item> items_;
    std::vector<Test> tests_;
    std::vector<NodeId> jumps_;
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
