// Facts of one predicate, found by any of their arguments.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/guard.h"
#include "pddl/problem.h"

namespace sing::translate {

using pddl::ObjectId;

// Position of a fact in its relation.
using TupleId = std::uint32_t;
inline constexpr TupleId NO_TUPLE = 0xFFFF'FFFF;

// Facts that agree in some positions: how many, and the last one; others follow by Index::next().
struct Bucket {
    TupleId last = NO_TUPLE;
    std::uint32_t size = 0;
};

// A set of tuples. Those that are *visible* come first: joins see only these, see Join.
class Relation {
public:
    // Which positions are given; bit i stands for position i. Positions behind the last bit are looked at one by one.
    using Positions = std::uint64_t;
    static constexpr std::uint32_t MAX_POSITIONS = 64;

    Relation(std::uint32_t arity, const Guard& guard);

    std::uint32_t arity() const { return arity_; }
    std::size_t size() const { return size_; }
    std::size_t num_visible() const { return num_visible_; }
    std::span<const ObjectId> operator[](TupleId tuple) const {
        return {arguments_.data() + std::size_t{tuple} * arity_, arity_};
    }
    // Whether the tuple is new.
    bool insert(std::span<const ObjectId> arguments);
    // NO_TUPLE where it is missing.
    TupleId find(std::span<const ObjectId> arguments) const;
    bool contains(std::span<const ObjectId> arguments) const { return find(arguments) != NO_TUPLE; }
    // Makes the next tuple visible and returns it.
    TupleId show_next();

    // Visible tuples whose values at the positions are those of `key`, which has a value for each position.
    // There must be at least one position, and not all.
    Bucket matching(Positions positions, std::span<const ObjectId> key) { return index(positions).bucket(*this, key); }
    // The one before in its bucket.
    TupleId next(Positions positions, TupleId tuple) { return index(positions).next[tuple]; }

private:
    struct Index {
        Index(Positions positions, const Relation& relation, std::pmr::memory_resource* memory);
        void add(const Relation& relation, TupleId tuple);
        Bucket bucket(const Relation& relation, std::span<const ObjectId> key) const;

        Positions positions;
        std::pmr::vector<std::uint32_t> places;  // the positions
        std::pmr::vector<Bucket> buckets;        // by hash of the values, with linear probing; empty: not in use
        std::size_t num_used = 0;
        std::pmr::vector<TupleId> next;  // by visible tuple

    private:
        std::uint64_t hash(std::span<const ObjectId> tuple) const;
        std::size_t slot(const Relation& relation, std::span<const ObjectId> tuple) const;
        void grow(const Relation& relation);
    };

    Index& index(Positions positions);
    std::size_t slot(std::span<const ObjectId> arguments) const;
    void grow();

    std::uint32_t arity_;
    std::size_t size_ = 0, num_visible_ = 0;
    Guard guard_;
    std::pmr::vector<ObjectId> arguments_;  // of all tuples
    std::pmr::vector<TupleId> table_;       // by hash
    std::pmr::vector<Index> indexes_;       // made where they are asked for
};

}  // namespace sing::translate
