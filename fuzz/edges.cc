// Notes which places of the core a run has come through, one after the other: what the compiler calls at every edge of
// the control flow where the core is built with SING_COVERAGE. fuzz/edges.py reads the map.

#include <cstddef>
#include <cstdint>

#define SING_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr std::size_t MAP_SIZE = 1 << 16;
std::uint8_t map[MAP_SIZE];
// Threads of one run share the map; a lost count does not matter, but the place before must be the thread's own.
thread_local std::size_t place_before = 0;

}  // namespace

SING_EXPORT void __sanitizer_cov_trace_pc() {
    const auto address = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    // Counted from a place of the module itself, which is loaded elsewhere in every run; seeds must reproduce.
    const std::size_t place = (address - reinterpret_cast<std::uintptr_t>(map)) * 0x9E3779B97F4A7C15U >> 48;
    std::uint8_t& count = map[(place ^ place_before) % MAP_SIZE];
    if (count != 255) ++count;
    place_before = place >> 1;
}

SING_EXPORT std::uint8_t* sing_coverage_map() { return map; }
SING_EXPORT std::size_t sing_coverage_size() { return MAP_SIZE; }
