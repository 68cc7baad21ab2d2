// Whether something large would fit, before it is made.
#pragma once

#include <cstddef>

#include "base/guard.h"

namespace sing::translate {

// Throws std::bad_alloc where so many bytes would not fit. For what lives too shortly to be counted.
inline void require_room(const Guard& guard, std::size_t bytes) {
    void* block = guard.memory()->allocate(bytes);
    guard.memory()->deallocate(block, bytes);
}

}  // namespace sing::translate
