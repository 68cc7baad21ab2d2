// Whether two objects of a task can change places.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <vector>

#include "base/guard.h"
#include "symmetries/named_parts.h"
#include "task/task.h"

namespace sing {

// Exchanges the names of two objects in all facts and operators and looks whether goal and operators stay what they
// are. It looks at the operators that name one of the two: no other one may change what these objects are in.
class Exchange {
public:
    // All must outlive it.
    Exchange(const Task& task, NamedTask& named, WorkLimit& limit, const Guard& guard);

    bool keeps_task(Word a, Word b);

private:
    bool move_facts(Word a, Word b);
    void move(FactId fact, FactId other);
    bool keeps_variables(Word a, Word b);
    bool becomes(std::int32_t variable, std::int32_t other, Word a, Word b);
    FactId unnamed_value(std::int32_t variable) const;
    bool keeps_operators(Word a, Word b);
    bool becomes(const Operator& op, const Operator& other);
    bool equal_as_sets();
    bool sets_a_variable_twice() const;

    const Task& task_;
    NamedTask& named_;
    WorkLimit& limit_;
    std::pmr::vector<FactId> image_;  // by fact: what it becomes
    std::vector<FactId> moved_;       // facts that become others
    std::map<std::int32_t, std::int32_t> variables_;
    std::vector<FactId> images_, others_;  // scratch
};

}  // namespace sing
