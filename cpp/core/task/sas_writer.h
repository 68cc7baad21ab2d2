// Writes the translator's output format (SAS, version 3).
#pragma once

#include <string>

#include "base/guard.h"
#include "task/task.h"

namespace sing {

// Derived variables are written with their defaults, as the format has it. read_sas() reads it back.
std::string write_sas(const Task& task, const Guard& guard);

}  // namespace sing
