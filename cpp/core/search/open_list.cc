#include "search/open_list.h"

#include <algorithm>
#include <stdexcept>

namespace sing {

namespace {

[[noreturn]] void refuse(std::string_view keys) {
    std::string letters;
    for (const KeyDescription& key : KEYS)
        letters += letters.empty() ? std::string{key.letter} : std::string{", "} + key.letter;
    throw std::invalid_argument("'" + std::string(keys) + "' is not a queue: give each of " + letters +
                                " at most once");
}

}  // namespace

QueueOrder::QueueOrder(std::string_view keys) : is_random_(keys.starts_with('*')) {
    for (char letter : keys.substr(is_random_ ? 1 : 0)) {
        const auto found = std::ranges::find(KEYS, letter, &KeyDescription::letter);
        if (found == std::end(KEYS) || uses(found->key)) refuse(keys);
        keys_.push_back(found->key);
    }
    if (keys_.empty()) refuse(keys);
}

bool QueueOrder::uses(Key key) const { return std::ranges::find(keys_, key) != keys_.end(); }

std::uint32_t BucketQueue::bucket_of(const Rank& rank) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = rank.hash() & mask;
    for (; slots_[slot] != 0; slot = (slot + 1) & mask)
        if (buckets_[slots_[slot] - 1].rank == rank) return slots_[slot] - 1;
    buckets_.push_back({rank, {}});
    slots_[slot] = static_cast<std::uint32_t>(buckets_.size());
    if (2 * buckets_.size() > slots_.size()) rehash();
    return static_cast<std::uint32_t>(buckets_.size() - 1);
}

void BucketQueue::rehash() {
    slots_.assign(2 * slots_.size(), 0);
    const std::size_t mask = slots_.size() - 1;
    for (std::uint32_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        std::size_t slot = buckets_[bucket].rank.hash() & mask;
        while (slots_[slot] != 0) slot = (slot + 1) & mask;
        slots_[slot] = bucket + 1;
    }
}

void BucketQueue::push(const Rank& rank, StateId id) {
    const std::uint32_t bucket = bucket_of(rank);
    if (buckets_[bucket].ids.empty()) {
        heap_.push_back({rank, bucket});
        if (!order_.is_random()) std::ranges::push_heap(heap_, std::greater{});
    }
    buckets_[bucket].ids.push_back(id);
}

StateId BucketQueue::pop(Rng& rng) {
    if (order_.is_random()) std::swap(heap_[rng.below(static_cast<std::uint32_t>(heap_.size()))], heap_.front());
    std::deque<StateId>& ids = buckets_[heap_.front().bucket].ids;
    StateId id;
    if (ties_ == Ties::FIFO) {
        id = ids.front();
        ids.pop_front();
    } else {
        std::swap(ids[rng.below(static_cast<std::uint32_t>(ids.size()))], ids.back());
        id = ids.back();
        ids.pop_back();
    }
    if (ids.empty()) {
        if (order_.is_random())
            std::swap(heap_.front(), heap_.back());
        else
            std::ranges::pop_heap(heap_, std::greater{});
        heap_.pop_back();
    }
    return id;
}

OpenList::OpenList(std::span<const std::string> orders, Ties ties, std::uint64_t seed, MemoryMeter& meter)
    : turns_(orders.size()), rng_(seed), meter_(meter) {
    if (orders.empty()) throw std::invalid_argument("an open list needs at least one queue");
    for (const std::string& order : orders) queues_.emplace_back(order, ties);
}

OpenList::~OpenList() { meter_.give_back(counted_bytes_); }

bool OpenList::uses(Key key) const {
    return std::ranges::any_of(queues_, [&](const BucketQueue& queue) { return queue.order().uses(key); });
}

// Memory is counted in steps, each a little ahead of what the queues hold.
bool OpenList::count_memory() {
    constexpr std::size_t step_bytes = std::size_t{1} << 20;
    constexpr std::size_t bucket_bytes = 1024;  // an empty deque with its first block, and its slots
    std::size_t bytes = num_entries_ * sizeof(StateId);
    for (const BucketQueue& queue : queues_) bytes += queue.num_buckets() * bucket_bytes;
    if (bytes <= counted_bytes_) return true;
    if (!meter_.try_take(step_bytes)) return false;
    counted_bytes_ += step_bytes;
    return true;
}

bool OpenList::push(const Keys& keys, StateId id) {
    for (BucketQueue& queue : queues_) queue.push(queue.order().rank(keys), id);
    num_entries_ += queues_.size();
    return count_memory();
}

std::optional<StateId> OpenList::pop() {
    std::size_t next = queues_.size();
    for (std::size_t i = 0; i < queues_.size(); ++i)
        if (!queues_[i].empty() && (next == queues_.size() || turns_[i] < turns_[next])) next = i;
    if (next == queues_.size()) return std::nullopt;
    ++turns_[next];
    --num_entries_;
    return queues_[next].pop(rng_);
}

void OpenList::boost_preferred(std::int64_t num_turns) {
    for (std::size_t i = 0; i < queues_.size(); ++i)
        if (queues_[i].order().first_key() == Key::PREFERENCE) turns_[i] -= num_turns;
}

}  // namespace sing
