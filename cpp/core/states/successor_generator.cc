#include "states/successor_generator.h"

#include <vector>

#include "base/csr.h"

namespace sing {

SuccessorGenerator::SuccessorGenerator(const Task& task, const Guard& guard)
    : SuccessorGenerator(
          task, [&](std::size_t op) { return std::span<const Fact>(task.operators[op].preconditions); }, guard) {}

SuccessorGenerator::SuccessorGenerator(const Task& task, const PreconditionsOf& preconditions_of, const Guard& guard)
    : tree_(task, sorted_conditions(task, preconditions_of, guard), guard) {
    std::pmr::vector<ConditionTree::Item> operators(guard.memory());
    for (std::uint32_t op = 0; op < task.operators.size(); ++op) operators.push_back({op, op});
    root_ = tree_.add(operators, guard);
}

Csr<Fact> SuccessorGenerator::sorted_conditions(const Task& task, const PreconditionsOf& preconditions_of,
                                                const Guard& guard) {
    UsageOrder order(task.variables.size());
    std::size_t num_facts = 0;
    for (std::size_t op = 0; op < task.operators.size(); ++op) {
        const std::span<const Fact> facts = preconditions_of(op);
        order.count(facts);
        num_facts += facts.size();
        guard.poll(1 + facts.size());
    }
    Csr<Fact> conditions(guard.memory());
    conditions.reserve(task.operators.size(), num_facts);
    std::vector<Fact> sorted;
    for (std::size_t op = 0; op < task.operators.size(); ++op) {
        const std::span<const Fact> facts = preconditions_of(op);
        sorted.assign(facts.begin(), facts.end());
        order.sort(sorted);
        conditions.push_row(sorted);
        guard.poll(1 + facts.size());
    }
    return conditions;
}

}  // namespace sing
