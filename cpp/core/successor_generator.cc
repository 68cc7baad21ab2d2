#include "successor_generator.h"

#include <algorithm>
#include <numeric>

namespace sing {

struct SuccessorGenerator::Builder {
    struct Node {
        std::vector<OperatorId> operators;
        std::vector<Test> tests;
    };

    const Task& task;
    std::vector<std::vector<Fact>> preconditions;  // by operator, most widely used variable first
    std::vector<Node> nodes;
    std::vector<NodeId> jumps;

    explicit Builder(const Task& task_in) : task(task_in) {
        std::vector<std::size_t> uses(task.variables.size());
        for (const Operator& op : task.operators)
            for (const Fact& fact : op.preconditions) ++uses[static_cast<std::size_t>(fact.variable)];
        auto before = [&](const Fact& a, const Fact& b) {
            const std::size_t uses_a = uses[static_cast<std::size_t>(a.variable)];
            const std::size_t uses_b = uses[static_cast<std::size_t>(b.variable)];
            return uses_a != uses_b ? uses_a > uses_b : a.variable < b.variable;
        };
        for (const Operator& op : task.operators) {
            preconditions.push_back(op.preconditions);
            std::ranges::sort(preconditions.back(), before);
        }
        std::vector<std::uint32_t> all(task.operators.size());
        std::iota(all.begin(), all.end(), 0u);
        // Operators with a common beginning of preconditions become neighbours.
        std::ranges::stable_sort(all, [&](std::uint32_t a, std::uint32_t b) {
            return std::ranges::lexicographical_compare(preconditions[a], preconditions[b]);
        });
        build(all, 0);
    }

    // The node for operators whose first `depth` preconditions are equal and already tested.
    NodeId build(std::span<const std::uint32_t> operators, std::size_t depth) {
        const auto node = static_cast<NodeId>(nodes.size());
        nodes.emplace_back();
        std::size_t begin = 0;
        for (; begin < operators.size() && preconditions[operators[begin]].size() == depth; ++begin)
            nodes[node].operators.push_back(OperatorId{operators[begin]});
        while (begin < operators.size()) {
            const std::int32_t variable = preconditions[operators[begin]][depth].variable;
            std::size_t end = begin;
            while (end < operators.size() && preconditions[operators[end]][depth].variable == variable) ++end;
            build_tests(node, variable, operators.subspan(begin, end - begin), depth);
            begin = end;
        }
        return node;
    }

    // A table of children by value, or a test for each where they are few among many values: dense
    // tables for them would take more memory than the task.
    void build_tests(NodeId node, std::int32_t variable, std::span<const std::uint32_t> operators, std::size_t depth) {
        constexpr std::size_t max_single_tests = 4;
        constexpr std::size_t sparse_factor = 8;
        const auto domain_size = static_cast<std::size_t>(task.variables[static_cast<std::size_t>(variable)].domain_size());
        std::vector<std::pair<Value, NodeId>> children;
        for (std::size_t begin = 0, end = 0; begin < operators.size(); begin = end) {
            const Value value = preconditions[operators[begin]][depth].value;
            while (end < operators.size() && preconditions[operators[end]][depth].value == value) ++end;
            children.emplace_back(value, build(operators.subspan(begin, end - begin), depth + 1));
        }
        const bool sparse = children.size() <= max_single_tests && children.size() * sparse_factor < domain_size;
        if (children.size() == 1 || sparse) {
            for (const auto& [value, child] : children) nodes[node].tests.push_back({variable, value, child});
            return;
        }
        nodes[node].tests.push_back({variable, ANY_VALUE, static_cast<std::uint32_t>(jumps.size())});
        const std::size_t table = jumps.size();
        jumps.resize(table + domain_size, NO_NODE);
        for (const auto& [value, child] : children) jumps[table + static_cast<std::size_t>(value)] = child;
    }
};

SuccessorGenerator::SuccessorGenerator(const Task& task) {
    Builder builder(task);
    for (const Builder::Node& node : builder.nodes) {
        for (OperatorId op : node.operators) operators_.push(op);
        operators_.close_row();
        for (const Test& test : node.tests) tests_.push(test);
        tests_.close_row();
    }
    jumps_ = std::move(builder.jumps);
}

}  // namespace sing
