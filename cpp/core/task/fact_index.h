// Numbers the facts of a task 0, 1, 2, …: variable by variable, value by value.
#pragma once

#include <cstdint>
#include <vector>

#include "task/task.h"

namespace sing {

using FactId = std::uint32_t;

class FactIndex {
public:
    explicit FactIndex(const Task& task) {
        for (const Variable& variable : task.variables) {
            first_.push_back(num_facts_);
            num_facts_ += static_cast<FactId>(variable.domain_size());
        }
    }

    FactId operator()(std::size_t variable, Value value) const { return first_[variable] + static_cast<FactId>(value); }
    FactId operator()(Fact fact) const { return (*this)(static_cast<std::size_t>(fact.variable), fact.value); }
    std::size_t num_facts() const { return num_facts_; }

private:
    std::vector<FactId> first_;  // by variable
    FactId num_facts_ = 0;
};

}  // namespace sing
