#include "heuristics/make_lower_bound.h"

#include <stdexcept>
#include <string>

#include "heuristics/blind_bound.h"
#include "heuristics/lm_cut.h"

namespace sing {

std::unique_ptr<LowerBound> make_lower_bound(std::string_view name, const Task& task, const Guard& guard) {
    if (name == "lmcut") return std::make_unique<LmCut>(task, guard);
    if (name == "blind") return std::make_unique<BlindBound>(task);
    throw std::invalid_argument("there is no lower bound '" + std::string(name) + "'; there are lmcut, blind");
}

}  // namespace sing
