#include "states/successor_generator.h"

#include <numeric>

#include "base/csr.h"

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
    Csr<Fact> conditions;
    for (std::vector<Fact> facts : preconditions) {
        order.sort(facts);
        conditions.push_row(facts);
    }
    std::vector<ConditionTree::Item> operators(preconditions.size());
    std::iota(operators.begin(), operators.end(), 0u);
    root_ = tree_.add(conditions, std::move(operators));
    tree_.finish();
}

}  // namespace sing
