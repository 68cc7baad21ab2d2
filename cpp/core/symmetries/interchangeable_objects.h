// Objects that a task treats alike, so that states that differ only in which of them is which need one search alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/guard.h"
#include "task/task.h"

namespace sing {

// Any two objects of a class can change places: with their names exchanged in all facts and operators, the operators
// and the goal stay what they are. The initial state has no part in it. No fact names two objects of these classes, so
// that all of them may be permuted independently.
struct InterchangeableObjects {
    static constexpr std::uint32_t NONE = static_cast<std::uint32_t>(-1);

    std::vector<std::vector<std::string>> classes;  // names; each has two objects at least
    std::vector<std::uint32_t> class_of;            // by object, in the order of the classes
    std::vector<std::uint32_t> object_of;           // by fact: the object that it names; NONE where that is none
    // By fact: a random number, equal for facts of objects of one class that differ in the object alone; 0 for the one
    // value of a variable that has no name and only says that the others do not hold.
    std::vector<std::uint64_t> key_of;

    std::size_t num_objects() const { return class_of.size(); }
};

// Names say which objects could be interchangeable ("Atom at(ball1, rooma)", "pick ball1 rooma left"); whether they are
// is looked up in the operators and the goal. Tasks with conditional effects or axioms have none. Looks at no more
// objects once `max_work` facts have been compared or so.
InterchangeableObjects find_interchangeable_objects(const Task& task, std::size_t max_work, const Guard& guard);

}  // namespace sing
