// Shared by the files that bind the core to Python. Only cpp/bind includes nanobind.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/guard.h"
#include "task/task.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sing {

// Each adds its classes and functions to the module.
void bind_search(nb::module_& m);
void bind_cost_search(nb::module_& m);
void bind_sampling(nb::module_& m);
void bind_plan_samples(nb::module_& m);
void bind_training(nb::module_& m);
void bind_goal_samples(nb::module_& m);
void bind_translation(nb::module_& m);
void bind_testing(nb::module_& m);

using PyFact = std::pair<int, int>;
using PyFacts = std::vector<PyFact>;

inline PyFacts to_python(const std::vector<Fact>& facts) {
    PyFacts result;
    for (const Fact& fact : facts) result.emplace_back(fact.variable, fact.value);
    return result;
}

inline std::vector<std::uint32_t> to_python(const std::vector<OperatorId>& operators) {
    std::vector<std::uint32_t> result;
    result.reserve(operators.size());
    for (OperatorId op : operators) result.push_back(static_cast<std::uint32_t>(op));
    return result;
}

inline std::vector<OperatorId> checked_operators(const std::vector<std::uint32_t>& operators,
                                                 std::size_t num_operators) {
    std::vector<OperatorId> ids;
    for (std::uint32_t op : operators) {
        if (op >= num_operators) throw std::out_of_range("there is no such operator");
        ids.push_back(OperatorId{op});
    }
    return ids;
}

// A state from Python is data from outside: its length and values are checked.
class StateCheck {
public:
    explicit StateCheck(const Task& task) : domain_sizes_(task.domain_sizes()) {}
    void operator()(const std::vector<Value>& state) const {
        if (state.size() != domain_sizes_.size())
            throw std::invalid_argument("a state of this task has " + std::to_string(domain_sizes_.size()) +
                                        " values, not " + std::to_string(state.size()));
        for (std::size_t i = 0; i < state.size(); ++i)
            if (state[i] < 0 || state[i] >= domain_sizes_[i])
                throw std::invalid_argument("variable " + std::to_string(i) + " has no value " +
                                            std::to_string(state[i]));
    }

private:
    std::vector<Value> domain_sizes_;
};

// Hands a vector's memory to NumPy without copying it.
template <typename T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& items, std::vector<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(items));
    nb::capsule owner(owned, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
    return nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner);
}

template <typename T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& items) {
    const std::size_t size = items.size();
    return to_numpy(std::move(items), {size});
}

// A contiguous array from Python.
template <typename T, int dimensions>
using Array = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

template <typename T, int dimensions>
std::vector<T> to_vector(const Array<T, dimensions>& array) {
    return {array.data(), array.data() + array.size()};
}

// A callback that first runs Python's signal handlers, so that Ctrl-C works while the core is busy.
template <typename... News, typename Callback>
auto with_signals(const Callback& callback) {
    return [&callback](const News&... news) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        return callback(news...);
    };
}

// A guard for Python: its `check` is called where work begins, then about ten times a second, and raises where the work
// is to end. What is made under a guard keeps it alive, because memory is given back to it.
class PyGuard {
public:
    PyGuard(std::size_t memory_limit_bytes, std::function<void()> check, Deadline::Clock clock)
        : check_(std::move(check)),
          deadline_(
              std::numeric_limits<double>::infinity(),
              [this] {
                  nb::gil_scoped_acquire gil;
                  if (PyErr_CheckSignals() != 0) throw nb::python_error();
                  check_();
                  return true;
              },
              std::move(clock)),
          meter_(memory_limit_bytes) {}

    // No guard limits nothing.
    static Guard of(PyGuard* guard) {
        if (!guard) return {};
        guard->deadline_.passed_now();
        return {guard->deadline_, guard->meter_};
    }

private:
    std::function<void()> check_;
    Deadline deadline_;
    MemoryMeter meter_;
};

}  // namespace sing
