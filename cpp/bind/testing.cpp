// Parts of the core that tests alone look at, as the module sing._core.testing.

#include "base/deadline.h"
#include "common.h"

namespace sing {
namespace {

void bind_deadline(nb::module_& m) {
    nb::class_<Deadline> deadline(m, "Deadline");
    nb::enum_<Deadline::End>(deadline, "End")
        .value("NONE", Deadline::End::NONE)
        .value("TIME_UP", Deadline::End::TIME_UP)
        .value("STOPPED", Deadline::End::STOPPED);
    deadline
        .def(nb::init<double, std::function<bool()>, Deadline::Clock>(), nb::kw_only(), "time_s"_a, "keep_going"_a,
             "clock"_a)
        .def("passed", &Deadline::passed, "work"_a)
        .def("passed_now", &Deadline::passed_now)
        .def("stop", &Deadline::stop)
        .def_prop_ro("interval", &Deadline::interval)
        .def_prop_ro("end", &Deadline::end)
        .def_prop_ro("has_passed", &Deadline::has_passed)
        .def_prop_ro("is_time_up", &Deadline::is_time_up)
        .def_prop_ro("elapsed_s", &Deadline::elapsed_s);
}

}  // namespace

void bind_testing(nb::module_& m) {
    bind_deadline(m);
}

}  // namespace sing
