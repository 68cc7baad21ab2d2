// A growing set of 64-bit hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

namespace sing {

// Open addressing with linear probing, at most half full. Growing throws std::bad_alloc where the memory ends.
class HashSet {
public:
    explicit HashSet(std::pmr::memory_resource* memory) : slots_(FIRST_SIZE, 0, memory) {}

    // Where the hash will be looked for is fetched ahead.
    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }

    bool contains(std::uint64_t hash) const {
        if (hash == 0) return has_zero_;
        return slots_[position(slots_, hash)] == hash;
    }

    // Whether it is new.
    bool insert(std::uint64_t hash) {
        if (hash == 0) return !std::exchange(has_zero_, true);
        std::uint64_t& slot = slots_[position(slots_, hash)];
        if (slot == hash) return false;
        slot = hash;
        if (++size_ > slots_.size() / 2) grow();
        return true;
    }

private:
    static constexpr std::size_t FIRST_SIZE = 1024;

    // Where the hash is, or would be.
    static std::size_t position(std::span<const std::uint64_t> slots, std::uint64_t hash) {
        std::size_t i = hash & (slots.size() - 1);
        while (slots[i] != 0 && slots[i] != hash) i = (i + 1) & (slots.size() - 1);
        return i;
    }

    void grow() {
        std::pmr::vector<std::uint64_t> larger(2 * slots_.size(), 0, slots_.get_allocator());
        for (std::uint64_t hash : slots_)
            if (hash != 0) larger[position(larger, hash)] = hash;
        slots_ = std::move(larger);
    }

    std::pmr::vector<std::uint64_t> slots_;  // 0: empty
    std::size_t size_ = 0;
    bool has_zero_ = false;
};

}  // namespace sing
