#include "memory.h"

#include <cstdlib>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace sing {

void PageDeleter::operator()(std::byte* memory) const { std::free(memory); }

Page allocate_page(std::size_t bytes) {
    constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
    constexpr std::size_t cache_line_bytes = 64;
    const std::size_t alignment = bytes >= huge_page_bytes ? huge_page_bytes : cache_line_bytes;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
#ifdef __linux__
    // A hint: where it is refused, ordinary pages do.
    if (memory && bytes >= huge_page_bytes) madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    return Page(memory);
}

}  // namespace sing
