// Reads the translator's output format (SAS, version 3).
#pragma once

#include <string_view>

#include "base/guard.h"
#include "task/task.h"

namespace sing {

// Parses and checks a whole SAS file. Throws std::invalid_argument with a message of the form
// "line 17: expected 'end_goal', found '3 1'" for anything malformed, truncated or out of range.
Task read_sas(std::string_view text, const Guard& guard);

}  // namespace sing
