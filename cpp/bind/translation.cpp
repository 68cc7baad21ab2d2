// Binds the translation from PDDL.

#include "common.h"
#include "task/complete_task.h"
#include "task/sas_writer.h"
#include "translate/translate.h"

namespace sing {
namespace {

using Text = std::pair<std::string_view, std::string_view>;  // name and text

Task translate_for_python(const Text& domain, const Text& problem, translate::TranslationProgress& progress,
                          bool keeps_everything, bool completes, PyGuard* guard) {
    Task task = translate::translate({domain.first, domain.second}, {problem.first, problem.second}, {keeps_everything},
                                     progress, PyGuard::of(guard));
    if (completes) complete_task(task, PyGuard::of(guard));
    return task;
}

}  // namespace

void bind_translation(nb::module_& m) {
    nb::class_<translate::TranslationProgress>(m, "TranslationProgress")
        .def(nb::init<>())
        .def_ro("num_matches", &translate::TranslationProgress::num_matches)
        .def_ro("num_operators", &translate::TranslationProgress::num_operators);

    m.def("translate", &translate_for_python, "domain"_a, "problem"_a, "progress"_a, nb::kw_only(),
          "keeps_everything"_a = false, "completes"_a = true, "guard"_a = nb::none(),
          nb::call_guard<nb::gil_scoped_release>(), nb::keep_alive<0, 6>());
    m.def(
        "to_sas", [](const Task& task, PyGuard* guard) { return write_sas(task, PyGuard::of(guard)); }, "task"_a,
        "guard"_a = nb::none(), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace sing
