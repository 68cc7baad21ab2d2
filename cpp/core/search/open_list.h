// The states waiting to be expanded, ordered in several ways at once.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/memory.h"
#include "base/rng.h"
#include "search/keys.h"

namespace sing {

enum class Ties { FIFO, RANDOM };

// Keys one after the other, most important first, as numbers that sort the same way.
class Rank {
public:
    void append(std::size_t position, std::int32_t key) {
        words_[position / 2] |= std::uint64_t{static_cast<std::uint32_t>(key)} << (position % 2 == 0 ? 32 : 0);
    }
    // A sum of products that do not wait for each other.
    std::uint64_t hash() const {
        std::uint64_t hash = 0, factor = 0x9E3779B97F4A7C15ull;
        for (std::uint64_t word : words_) {
            hash += word * factor;
            factor *= 0xBF58476D1CE4E5B9ull;  // known when this is compiled
        }
        return hash >> 32;
    }
    friend auto operator<=>(const Rank&, const Rank&) = default;

private:
    std::array<std::uint64_t, (std::size(KEYS) + 1) / 2> words_{};
};

// A queue's order, written as in "noh": novel states first, among them fewest open goals, then lowest estimate. A star
// before the keys, as in "*hd", means no order: the queue chooses among the combinations of values that its keys
// have, each with the same probability (type-based exploration, Xie et al. 2014).
class QueueOrder {
public:
    // Throws std::invalid_argument unless `keys` are distinct letters of KEYS, perhaps after a star.
    explicit QueueOrder(std::string_view keys);
    Rank rank(const Keys& keys) const {
        Rank rank;
        for (std::size_t i = 0; i < keys_.size(); ++i) rank.append(i, keys[keys_[i]]);
        return rank;
    }
    bool uses(Key key) const;
    Key first_key() const { return keys_.front(); }
    bool is_random() const { return is_random_; }

private:
    std::vector<Key> keys_;
    bool is_random_;
};

// States of one queue, lowest rank first, or of a random rank where the order is random. States of
// equal rank share a bucket; a heap, or a list in any order, holds the buckets that are not empty.
class BucketQueue {
public:
    BucketQueue(std::string_view order, Ties ties) : order_(order), ties_(ties), slots_(16) {}

    const QueueOrder& order() const { return order_; }
    bool empty() const { return heap_.empty(); }
    void push(const Rank& rank, StateId id);
    StateId pop(Rng& rng);
    std::size_t num_buckets() const { return buckets_.size(); }

private:
    struct Bucket {
        Rank rank;
        std::deque<StateId> ids;
    };
    struct HeapEntry {
        Rank rank;
        std::uint32_t bucket;
        friend bool operator>(const HeapEntry& a, const HeapEntry& b) { return a.rank > b.rank; }
    };

    std::uint32_t bucket_of(const Rank& rank);
    void rehash();

    QueueOrder order_;
    Ties ties_;
    std::deque<Bucket> buckets_;        // not a vector: growing must not copy the buckets
    std::vector<std::uint32_t> slots_;  // open addressing, rank -> 1 + bucket; 0 is free
    std::vector<HeapEntry> heap_;       // not one where the order is random
};

// Every state is pushed to every queue; queues take turns to give one (Röger & Helmert 2010).
// A state can therefore come out once per queue: the caller skips those already expanded. Progress can give some
// queues turns ahead of the others (Richter & Helmert 2009).
class OpenList {
public:
    OpenList(std::span<const std::string> orders, Ties ties, std::uint64_t seed, MemoryMeter& meter);
    ~OpenList();
    OpenList(const OpenList&) = delete;
    OpenList& operator=(const OpenList&) = delete;

    bool uses(Key key) const;
    std::size_t num_queues() const { return queues_.size(); }
    // False where the memory limit is reached.
    bool push(const Keys& keys, StateId id);
    std::optional<StateId> pop();
    // Gives the queues whose first key is PREFERENCE so many turns more.
    void boost_preferred(std::int64_t num_turns);

private:
    bool count_memory();

    std::vector<BucketQueue> queues_;
    std::vector<std::int64_t> turns_;  // by queue: taken, less those given by boosts
    Rng rng_;
    MemoryMeter& meter_;
    std::size_t num_entries_ = 0;
    std::size_t counted_bytes_ = 0;
};

}  // namespace sing
