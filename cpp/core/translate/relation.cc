#include "translate/relation.h"

#include <algorithm>
#include <bit>
#include <new>

namespace sing::translate {
namespace {

constexpr std::size_t FIRST_TABLE_SIZE = 8;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
}

}  // namespace

Relation::Relation(std::uint32_t arity, const Guard& guard)
    : arity_(arity),
      guard_(guard),
      arguments_(guard.memory()),
      table_(FIRST_TABLE_SIZE, NO_TUPLE, guard.memory()),
      indexes_(guard.memory()) {}

std::size_t Relation::slot(std::span<const ObjectId> arguments) const {
    std::uint64_t hash = arity_;
    for (ObjectId argument : arguments) hash = mixed(hash, argument);
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hash & mask;
    while (table_[slot] != NO_TUPLE && !std::ranges::equal((*this)[table_[slot]], arguments)) slot = (slot + 1) & mask;
    return slot;
}

TupleId Relation::find(std::span<const ObjectId> arguments) const { return table_[slot(arguments)]; }

bool Relation::insert(std::span<const ObjectId> arguments) {
    const std::size_t place = slot(arguments);
    if (table_[place] != NO_TUPLE) return false;
    if (size_ >= NO_TUPLE - 1) throw std::bad_alloc();
    table_[place] = static_cast<TupleId>(size_++);
    arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
    if (2 * size_ > table_.size()) grow();
    return true;
}

void Relation::grow() {
    guard_.poll(size_);
    table_.assign(2 * table_.size(), NO_TUPLE);
    for (TupleId tuple = 0; tuple < size_; ++tuple) table_[slot((*this)[tuple])] = tuple;
}

TupleId Relation::show_next() {
    const auto tuple = static_cast<TupleId>(num_visible_++);
    for (Index& index : indexes_) index.add(*this, tuple);
    return tuple;
}

Relation::Index& Relation::index(Positions positions) {
    for (Index& index : indexes_)
        if (index.positions == positions) return index;
    indexes_.emplace_back(positions, *this, guard_.memory());
    for (TupleId tuple = 0; tuple < num_visible_; ++tuple) {
        guard_.poll(1);
        indexes_.back().add(*this, tuple);
    }
    return indexes_.back();
}

Relation::Index::Index(Positions wanted, const Relation& relation, std::pmr::memory_resource* memory)
    : positions(wanted), places(memory), buckets(FIRST_TABLE_SIZE, Bucket{}, memory), next(memory) {
    for (std::uint32_t i = 0; i < std::min(relation.arity(), MAX_POSITIONS); ++i)
        if ((positions >> i) & 1) places.push_back(i);
}

std::uint64_t Relation::Index::hash(std::span<const ObjectId> tuple) const {
    std::uint64_t hash = 0;
    for (std::uint32_t place : places) hash = mixed(hash, tuple[place]);
    return hash;
}

std::size_t Relation::Index::slot(const Relation& relation, std::span<const ObjectId> tuple) const {
    const std::size_t mask = buckets.size() - 1;
    std::size_t slot = hash(tuple) & mask;
    for (; buckets[slot].size > 0; slot = (slot + 1) & mask) {
        const std::span<const ObjectId> other = relation[buckets[slot].last];
        if (std::ranges::all_of(places, [&](std::uint32_t place) { return other[place] == tuple[place]; })) break;
    }
    return slot;
}

Bucket Relation::Index::bucket(const Relation& relation, std::span<const ObjectId> key) const {
    return buckets[slot(relation, key)];
}

void Relation::Index::add(const Relation& relation, TupleId tuple) {
    Bucket& bucket = buckets[slot(relation, relation[tuple])];
    next.push_back(bucket.last);
    num_used += bucket.size == 0;
    bucket = {tuple, bucket.size + 1};
    if (2 * num_used > buckets.size()) grow(relation);
}

void Relation::Index::grow(const Relation& relation) {
    std::pmr::vector<Bucket> old(2 * buckets.size(), Bucket{}, buckets.get_allocator());
    std::swap(old, buckets);
    for (const Bucket& bucket : old)
        if (bucket.size > 0) buckets[slot(relation, relation[bucket.last])] = bucket;
}

}  // namespace sing::translate
