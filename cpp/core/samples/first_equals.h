// Which samples are the same state.
#pragma once

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/guard.h"
#include "samples/samples.h"

namespace sing {

// For each sample the first one with an equal state, possibly itself. `simplify` is applied to the packed words of both
// before they are compared.
std::vector<std::uint32_t> first_equals(const Samples& samples, std::size_t num_words,
                                        const std::function<void(std::span<StatePacker::Word>)>& simplify,
                                        const Guard& guard);

}  // namespace sing
