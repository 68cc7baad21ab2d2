// Many short lists in two flat arrays (compressed sparse rows).
#pragma once

#include <cstdint>
#include <limits>
#include <memory_resource>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace sing {

// Row i is items[offsets[i] .. offsets[i + 1]). Rows are appended in order and never change.
template <typename T>
class Csr {
public:
    explicit Csr(std::pmr::memory_resource* memory) : offsets_(1, 0, memory), items_(memory) {}

    // Room for so many rows and items, exactly: without it the arrays may be twice as large as needed.
    void reserve(std::size_t num_rows, std::size_t num_items) {
        offsets_.reserve(num_rows + 1);
        items_.reserve(num_items);
    }
    void clear() {
        offsets_.resize(1);
        items_.clear();
    }
    void push(const T& item) { items_.push_back(item); }
    void push_row(std::span<const T> row) {
        items_.insert(items_.end(), row.begin(), row.end());
        close_row();
    }
    void close_row() {
        if (items_.size() > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
        offsets_.push_back(static_cast<std::uint32_t>(items_.size()));
    }

    std::span<const T> operator[](std::size_t row) const {
        return {items_.data() + offsets_[row], items_.data() + offsets_[row + 1]};
    }
    // Where the row begins among all items.
    std::size_t first(std::size_t row) const { return offsets_[row]; }
    std::span<const T> items() const { return items_; }
    std::size_t num_rows() const { return offsets_.size() - 1; }

    // Rows given as (row, item) pairs in any order; items of one row keep their order.
    static Csr from_pairs(std::size_t num_rows, std::span<const std::pair<std::uint32_t, T>> pairs,
                          std::pmr::memory_resource* memory) {
        if (pairs.size() > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
        Csr csr(memory);
        csr.offsets_.assign(num_rows + 1, 0);
        for (const auto& [row, item] : pairs) ++csr.offsets_[row + 1];
        for (std::size_t row = 0; row < num_rows; ++row) csr.offsets_[row + 1] += csr.offsets_[row];
        csr.items_.resize(pairs.size());
        std::pmr::vector<std::uint32_t> next(csr.offsets_.begin(), csr.offsets_.end() - 1, memory);
        for (const auto& [row, item] : pairs) csr.items_[next[row]++] = item;
        return csr;
    }

private:
    std::pmr::vector<std::uint32_t> offsets_;
    std::pmr::vector<T> items_;
};

}  // namespace sing
