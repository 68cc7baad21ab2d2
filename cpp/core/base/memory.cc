#include "base/memory.h"

#include <cstdint>

#include <sys/mman.h>

namespace sing {

Pages::Pages(std::size_t bytes) {
    const bool huge = bytes >= HUGE_BYTES;
    // Ask for one huge page more, then cut both ends so that what remains is aligned.
    const std::size_t size = huge ? (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES : bytes;
    const std::size_t slack = huge ? HUGE_BYTES : 0;
    void* memory = mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    auto* begin = static_cast<std::byte*>(memory);
    if (huge) {
        const std::size_t head = (HUGE_BYTES - reinterpret_cast<std::uintptr_t>(begin) % HUGE_BYTES) % HUGE_BYTES;
        if (head != 0) munmap(begin, head);
        if (head != slack) munmap(begin + head + size, slack - head);
        begin += head;
#ifdef MADV_HUGEPAGE
        madvise(begin, size, MADV_HUGEPAGE);  // a hint: where it is refused, ordinary pages do
#endif
    }
    data_ = begin;
    bytes_ = size;
}

Pages::~Pages() {
    if (data_) munmap(data_, bytes_);
}

}  // namespace sing
