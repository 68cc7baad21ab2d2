// How an atom that is deleted can take the place of one that is added.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/guard.h"
#include "translate/action_schemas.h"

namespace sing::translate {

// Among the arguments of an invariant's part, which are parameters of the invariant: one that may be anything.
inline constexpr std::int32_t COUNTED = -1;

// Calls on_arguments(arguments), until that returns false, for each way to have the parameters of the invariant as
// arguments of a deleted atom, with at most one counted, such that they are the same terms there as in the added atom,
// which `part` has the arguments for.
//
// Example: the part at(0, COUNTED), added at(?p, ?l), deleted in(?p, ?v): in(0, COUNTED).
void for_mappings(std::span<const std::int32_t> part, std::span<const TermId> added, std::span<const TermId> deleted,
                  const Guard& guard, const std::function<bool(std::vector<std::int32_t>)>& on_arguments);

}  // namespace sing::translate
