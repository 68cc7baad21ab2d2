#include "successor_generator.h"

namespace sing {
namespace {

std::vector<std::vector<Fact>> preconditions_of(const Task& task) {
    std::vector<std::vector<Fact>> preconditions;
    for (const Operator& op : task.operators) preconditions.push_back(op.preconditions);
    return preconditions;
}

}  // namespace

SuccessorGenerator::SuccessorGenerator(const Task& task) : SuccessorGenerator(task, preconditions_of(task)) {}

SuccessorGenerator::SuccessorGenerator(const Task& task, std::span<const std::vector<Fact>> preconditions)
    : tree_(task) {
    UsageOrder order(task.variables.size());
    for (const std::vector<Fact>& facts : preconditions) order.count(facts);
    std::vector<ConditionTree::Entry> entries;
    for (std::uint32_t op = 0; op < preconditions.size(); ++op) {
        entries.emplace_back(preconditions[op], op);
        order.sort(entries.back().first);
    }
    root_ = tree_.add(std::move(entries));
    tree_.finish();
}

}  // namespace sing
