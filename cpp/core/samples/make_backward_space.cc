#include "samples/make_backward_space.h"

#include <stdexcept>
#include <string>

#include "samples/explicit_spaces.h"
#include "samples/general_regression.h"
#include "samples/regression_space.h"

namespace sing {

std::unique_ptr<BackwardSpace> make_backward_space(std::string_view name, const Task& task, bool consistent_starts,
                                                   const Guard& guard) {
    if (name != "r" && !task.has_fixed_effects())
        throw std::invalid_argument("only the backward space r has steps over conditional effects and axioms");
    if (name == "eo") return make_original_space(task, consistent_starts, guard);
    if (name == "ei") return make_inverse_space(task, consistent_starts, guard);
    if (name == "r")
        return task.has_fixed_effects() ? make_regression_space(task, guard) : make_general_regression(task, guard);
    throw std::invalid_argument("there is no backward space '" + std::string(name) + "'; there are eo, ei, r");
}

}  // namespace sing
