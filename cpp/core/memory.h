// Memory that is counted: the search stops at its limit instead of being killed at the system's.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace sing {

// Bytes in use against a limit. Counting allocations, rather than asking the system, makes a
// search stop at the same state on every run.
class MemoryMeter {
public:
    explicit MemoryMeter(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

    // Counts the bytes and returns true where they fit; counts nothing and returns false otherwise.
    bool try_take(std::size_t bytes) {
        if (bytes > limit_bytes_ || used_bytes_ > limit_bytes_ - bytes) return false;
        used_bytes_ += bytes;
        return true;
    }
    void give_back(std::size_t bytes) { used_bytes_ -= bytes; }
    std::size_t used_bytes() const { return used_bytes_; }

private:
    std::size_t limit_bytes_;
    std::size_t used_bytes_ = 0;
};

// Uninitialised memory aligned to its size class, on huge pages where the system has them:
// a hash table of a gigabyte otherwise misses the TLB on every probe.
struct PageDeleter {
    void operator()(std::byte* memory) const;
};
using Page = std::unique_ptr<std::byte[], PageDeleter>;
// Null where the system has no more memory.
Page allocate_page(std::size_t bytes);

// A growing array of rows of `stride` items that never moves them: pages are added, never
// reallocated, so growing needs no second copy of the data. The content of a new row is undefined.
template <typename T>
class PagedArray {
public:
    PagedArray(std::size_t stride, MemoryMeter& meter) : stride_(stride), meter_(meter) {
        while (((stride_ * sizeof(T)) << (row_bits_ + 1)) <= PAGE_BYTES) ++row_bits_;
    }
    ~PagedArray() { meter_.give_back(pages_.size() * page_bytes()); }
    PagedArray(const PagedArray&) = delete;
    PagedArray& operator=(const PagedArray&) = delete;

    // Makes room for the rows up to `row`. False where memory is full.
    bool reserve(std::size_t row) {
        while (row >> row_bits_ >= pages_.size()) {
            if (!meter_.try_take(page_bytes())) return false;
            pages_.push_back(allocate_page(page_bytes()));
            if (!pages_.back()) {
                pages_.pop_back();
                meter_.give_back(page_bytes());
                return false;
            }
        }
        return true;
    }

    std::span<T> operator[](std::size_t row) { return {address(row), stride_}; }
    std::span<const T> operator[](std::size_t row) const { return {address(row), stride_}; }

private:
    static constexpr std::size_t PAGE_BYTES = std::size_t{4} << 20;

    std::size_t page_bytes() const { return (stride_ * sizeof(T)) << row_bits_; }
    T* address(std::size_t row) const {
        std::byte* page = pages_[row >> row_bits_].get();
        const std::size_t row_in_page = row & ((std::size_t{1} << row_bits_) - 1);
        return reinterpret_cast<T*>(page) + row_in_page * stride_;
    }

    std::size_t stride_;
    std::size_t row_bits_ = 0;  // 2^row_bits_ rows a page
    std::vector<Page> pages_;
    MemoryMeter& meter_;
};

}  // namespace sing
