// Memory that is counted: the search stops at its limit instead of being killed at the system's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace sing {

// Bytes in use against a limit. Counting what is taken, rather than asking the system, makes a
// search stop at the same state on every run.
//
// Standard containers count here, too, where this is their memory resource: std::pmr::vector<int> numbers(&meter).
// They throw std::bad_alloc at the limit.
class MemoryMeter : public std::pmr::memory_resource {
public:
    MemoryMeter() = default;  // without a limit
    explicit MemoryMeter(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

    // Counts the bytes and returns true where they fit; counts nothing and returns false otherwise.
    bool try_take(std::size_t bytes) {
        if (bytes > limit_bytes_ || used_bytes_ > limit_bytes_ - bytes) return false;
        used_bytes_ += bytes;
        return true;
    }
    void give_back(std::size_t bytes) { used_bytes_ -= bytes; }
    void set_limit(std::size_t limit_bytes) { limit_bytes_ = limit_bytes; }
    std::size_t used_bytes() const { return used_bytes_; }

private:
    // What the heap itself needs for a block.
    static constexpr std::size_t BLOCK_BYTES = 16;

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (!try_take(bytes + BLOCK_BYTES)) throw std::bad_alloc();
        return ::operator new(bytes, std::align_val_t(alignment));
    }
    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        ::operator delete(block, std::align_val_t(alignment));
        give_back(bytes + BLOCK_BYTES);
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

    std::size_t limit_bytes_ = static_cast<std::size_t>(-1);
    std::size_t used_bytes_ = 0;
};

// Zeroed memory straight from the system, which takes it back when the object dies. It becomes
// resident as it is touched, on huge pages where the system has them: a hash table of a gigabyte
// otherwise misses the TLB on every probe.
class Pages {
public:
    static constexpr std::size_t HUGE_BYTES = std::size_t{2} << 20;

    Pages() = default;
    // Holds nothing where the system has no more memory.
    explicit Pages(std::size_t bytes);
    ~Pages();
    Pages(Pages&& other) noexcept { swap(other); }
    Pages& operator=(Pages&& other) noexcept {
        swap(other);
        return *this;
    }

    explicit operator bool() const { return data_ != nullptr; }
    template <typename T>
    T* as() const {
        return static_cast<T*>(data_);
    }

private:
    void swap(Pages& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
    }
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

// A growing array of rows of `stride` items, all zero at first, that never moves them: blocks are
// added, never reallocated, so growing needs no second copy of the data. Blocks are large, but
// counted and resident only as far as they are filled.
template <typename T>
class PagedArray {
public:
    PagedArray(std::size_t stride, MemoryMeter& meter) : stride_(stride), meter_(meter) {
        while (row_bits_ > 0 && block_bytes() > MAX_BLOCK_BYTES) --row_bits_;
    }
    ~PagedArray() { meter_.give_back(counted_bytes_); }
    PagedArray(const PagedArray&) = delete;
    PagedArray& operator=(const PagedArray&) = delete;

    // Makes room for the rows up to `row`. False where memory is full.
    bool reserve(std::size_t row) {
        const std::size_t bytes = (row + 1) * stride_ * sizeof(T);
        return (bytes <= counted_bytes_ && row >> row_bits_ < blocks_.size()) || grow(row, bytes);
    }

    std::span<T> operator[](std::size_t row) { return {address(row), stride_}; }
    std::span<const T> operator[](std::size_t row) const { return {address(row), stride_}; }

private:
    static constexpr std::size_t MAX_BLOCK_BYTES = std::size_t{64} << 20;

    std::size_t block_bytes() const { return (stride_ * sizeof(T)) << row_bits_; }

    bool grow(std::size_t row, std::size_t bytes) {
        while (counted_bytes_ < bytes) {
            if (!meter_.try_take(Pages::HUGE_BYTES)) return false;
            counted_bytes_ += Pages::HUGE_BYTES;
        }
        while (row >> row_bits_ >= blocks_.size()) {
            Pages block(block_bytes());
            if (!block) return false;
            blocks_.push_back(std::move(block));
        }
        return true;
    }

    T* address(std::size_t row) const {
        const std::size_t row_in_block = row & ((std::size_t{1} << row_bits_) - 1);
        return blocks_[row >> row_bits_].template as<T>() + row_in_block * stride_;
    }

    std::size_t stride_;
    std::size_t row_bits_ = 19;  // 2^row_bits_ rows a block: whole huge pages for items of 4 bytes
    std::vector<Pages> blocks_;
    std::size_t counted_bytes_ = 0;
    MemoryMeter& meter_;
};

}  // namespace sing
