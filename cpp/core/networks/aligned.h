// Arrays of floats that vector instructions like: aligned to cache lines, in rows of whole vectors.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "networks/kernels.h"

namespace sing {

// A row's width rounded up to whole vectors.
constexpr std::size_t padded(std::size_t width) { return (width + LANE - 1) / LANE * LANE; }

template <typename T>
struct AlignedAllocator {
    using value_type = T;
    static constexpr std::align_val_t alignment{64};

    AlignedAllocator() = default;
    template <typename U>
    explicit AlignedAllocator(const AlignedAllocator<U>&) {}

    T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
    void deallocate(T* pointer, std::size_t) { ::operator delete(pointer, alignment); }
    friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

using AlignedFloats = std::vector<float, AlignedAllocator<float>>;

}  // namespace sing
