// Lower bounds and (weighted) A* for Python.

#include "search/cost_search.h"
#include "common.h"
#include "cost_types.h"
#include "heuristics/make_lower_bound.h"
#include "search_types.h"

namespace sing {
namespace {

class PyCostSearch {
public:
    PyCostSearch(const Task& task, PyLowerBound& bound, PyHeuristic* estimate, std::uint32_t weight, CostKind order,
                 bool preferred, std::uint32_t boost, const InterchangeableObjects* interchangeable)
        : search_(task, bound.get(), estimate ? &estimate->get() : nullptr,
                  {.weight = weight, .order = order, .preferred = preferred, .boost = boost}, interchangeable) {}

    CostSearchResult run(double time_limit_s, std::size_t memory_limit_bytes, std::uint64_t max_work,
                         const nb::object& bound, const std::function<bool(const SearchStatistics&)>& progress) {
        const CostSearchLimits limits{.time_s = time_limit_s,
                                      .memory_bytes = memory_limit_bytes,
                                      .work = max_work,
                                      .bound = cost_from_python(bound)};
        nb::gil_scoped_release released;
        return search_.run(limits, with_signals<SearchStatistics>(progress));
    }

private:
    CostSearch search_;
};

}  // namespace

void bind_cost_search(nb::module_& m) {
    nb::enum_<CostKind>(m, "CostKind")
        .value("REAL", CostKind::REAL)
        .value("PLUS_ONE", CostKind::PLUS_ONE)
        .value("UNIT", CostKind::UNIT);

    nb::class_<PyLowerBound>(m, "LowerBound")
        .def_static(
            "named",
            [](const Task& task, const std::string& name, PyGuard* guard) {
                return std::make_unique<PyLowerBound>(task, make_lower_bound(name, task, PyGuard::of(guard)));
            },
            "task"_a, "name"_a, "guard"_a = nb::none(), nb::keep_alive<0, 1>(), nb::keep_alive<0, 3>(),
            nb::call_guard<nb::gil_scoped_release>())
        .def("evaluate", &PyLowerBound::evaluate, "state"_a,
             nb::sig("def evaluate(self, state: collections.abc.Sequence[int]) -> int | None"))
        .def("evaluate_successors", &PyLowerBound::evaluate_successors, "state"_a, "operators"_a,
             nb::sig("def evaluate_successors(self, state: collections.abc.Sequence[int], "
                     "operators: collections.abc.Sequence[int]) -> list[int | None]"));

    nb::class_<CostSearchResult>(m, "CostSearchResult")
        .def_ro("status", &CostSearchResult::status)
        .def_ro("statistics", &CostSearchResult::statistics)
        .def_prop_ro("plan", [](const CostSearchResult& result) { return to_python(result.plan); })
        .def_prop_ro(
            "initial_bound", [](const CostSearchResult& result) { return to_python(result.initial_bound); },
            nb::sig("def initial_bound(self) -> int | None"));

    nb::class_<PyCostSearch>(m, "CostSearch")
        .def(nb::init<const Task&, PyLowerBound&, PyHeuristic*, std::uint32_t, CostKind, bool, std::uint32_t,
                      const InterchangeableObjects*>(),
             "task"_a, "bound"_a, "estimate"_a.none(), nb::kw_only(), "weight"_a, "order"_a, "preferred"_a, "boost"_a,
             "interchangeable"_a = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(),
             nb::keep_alive<1, 9>())
        .def("run", &PyCostSearch::run, nb::kw_only(), "time_limit_s"_a, "memory_limit_bytes"_a, "max_work"_a,
             "bound"_a.none(), "progress"_a,
             nb::sig("def run(self, *, time_limit_s: float, memory_limit_bytes: int, max_work: int, "
                     "bound: int | None, progress: collections.abc.Callable[[SearchStatistics], bool]) -> "
                     "CostSearchResult"));
}

}  // namespace sing
