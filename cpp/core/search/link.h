// A step between two states that a search has seen.
#pragma once

#include "base/ids.h"

namespace sing {

struct Link {
    StateId from;
    StateId to;
};

}  // namespace sing
