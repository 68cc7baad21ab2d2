// The states waiting to be expanded, ordered in several ways at once.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heuristics/heuristic.h"
#include "base/ids.h"
#include "base/memory.h"
#include "base/rng.h"

namespace sing {

// What a queue can sort by; each is smaller for the better state.
struct Keys {
    Estimate h;      // the heuristic's estimate
    std::int32_t g;  // unsatisfied goals
    std::int32_t n;  // 0 where the state is novel among states of equal h and g, else 1
    std::int32_t d;  // steps from the initial state
    std::int32_t p;  // 0 where the heuristic prefers the operator that led here, else 1
};

enum class Ties { FIFO, RANDOM };

// A queue's order, written as in "ngh": novel states first, among them fewest open goals, then
// lowest estimate. Turns keys into one number that sorts the same way. A star before the keys, as in
// "*hd", means no order: every combination of keys that there is is as likely as any other (type-based
// exploration, Xie et al. 2014).
class QueueOrder {
public:
    // Throws std::invalid_argument unless `keys` are distinct letters of h, g, n, d, p, perhaps after a star.
    explicit QueueOrder(std::string_view keys);
    std::uint64_t rank(const Keys& keys) const;
    bool uses(char key) const { return keys_.find(key) != std::string::npos; }
    bool is_random() const { return is_random_; }

private:
    std::string keys_;
    bool is_random_;
};

// States of one queue, lowest rank first, or of a random rank where the order is random. States of
// equal rank share a bucket; a heap, or a list in any order, holds the buckets that are not empty.
class BucketQueue {
public:
    BucketQueue(std::string_view order, Ties ties) : order_(order), ties_(ties), slots_(16) {}

    const QueueOrder& order() const { return order_; }
    bool empty() const { return heap_.empty(); }
    void push(std::uint64_t rank, StateId id);
    StateId pop(Rng& rng);
    std::size_t num_buckets() const { return buckets_.size(); }

private:
    struct Bucket {
        std::uint64_t rank;
        std::deque<StateId> ids;
    };
    struct HeapEntry {
        std::uint64_t rank;
        std::uint32_t bucket;
        friend bool operator>(const HeapEntry& a, const HeapEntry& b) { return a.rank > b.rank; }
    };

    std::uint32_t bucket_of(std::uint64_t rank);
    void rehash();

    QueueOrder order_;
    Ties ties_;
    std::deque<Bucket> buckets_;        // not a vector: growing must not copy the buckets
    std::vector<std::uint32_t> slots_;  // open addressing, rank -> 1 + bucket; 0 is free
    std::vector<HeapEntry> heap_;  // not one where the order is random
};

// Every state is pushed to every queue; queues take turns to give one (Röger & Helmert 2010).
// A state can therefore come out once per queue: the caller skips those already expanded.
class OpenList {
public:
    OpenList(std::span<const std::string> orders, Ties ties, std::uint64_t seed, MemoryMeter& meter);
    ~OpenList();
    OpenList(const OpenList&) = delete;
    OpenList& operator=(const OpenList&) = delete;

    bool uses(char key) const;
    std::size_t num_queues() const { return queues_.size(); }
    // False where the memory limit is reached.
    bool push(const Keys& keys, StateId id);
    std::optional<StateId> pop();

private:
    bool count_memory();

    std::vector<BucketQueue> queues_;
    std::size_t turn_ = 0;
    Rng rng_;
    MemoryMeter& meter_;
    std::size_t num_entries_ = 0;
    std::size_t counted_bytes_ = 0;
};

}  // namespace sing
