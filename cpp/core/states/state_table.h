// The registered states of a search: one packed copy each, found again by hash.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/ids.h"
#include "base/memory.h"
#include "states/state_packer.h"
#include "states/word_hash.h"

namespace sing {

// How a state was reached, at first unless set_origin() was called. The initial state has NO_STATE and NO_OPERATOR.
struct Origin {
    StateId parent;
    OperatorId op;
};

// States are numbered 0, 1, 2, … as they are inserted. Beyond its packed words a state costs
// 8 bytes of origin, where origins are kept, and between 5.9 and 11.9 bytes of hash table.
//
// The table is made of cache lines: 12 ids, 12 one-byte tags of their hashes, and a count. A probe
// reads one line, and the state behind an id only where the tag agrees, so a lookup costs one
// cache miss and a hit one more. Callers that have several states hide even these: hash all,
// prefetch_line each, prefetch_state each, then insert. The table is cut into segments that grow
// one at a time, so growth never holds two copies of it.
class StateTable {
public:
    using Word = StatePacker::Word;
    using Words = std::span<const Word>;

    // Where it keeps no origins, origin() is not to be called.
    StateTable(std::size_t num_words, MemoryMeter& meter, bool keeps_origins = true);
    ~StateTable();

    const WordHash& hash() const { return hash_; }

    void prefetch_line(std::uint64_t hash) const;
    void prefetch_state(std::uint64_t hash) const;

    enum class Outcome { INSERTED, DUPLICATE, FULL };
    struct Insertion {
        Outcome outcome;
        StateId id;  // of the new state or of the one already there
    };
    // `hash` must be hash()(state). FULL: the memory limit is reached and nothing was changed.
    Insertion insert(Words state, std::uint64_t hash, Origin origin);

    // The state's id, NO_STATE where it is not there. `hash` as above.
    StateId find(Words state, std::uint64_t hash) const;

    Words state(StateId id) const { return states_[index(id)]; }
    const Origin& origin(StateId id) const { return origins_[index(id)][0]; }
    // Where a cheaper way to the state was found.
    void set_origin(StateId id, Origin origin) { origins_[index(id)][0] = origin; }
    std::size_t size() const { return size_; }

private:
    static constexpr std::size_t SEGMENT_BITS = 4;
    static constexpr std::size_t SLOTS = 12;

    struct alignas(64) Line {
        std::array<std::uint32_t, SLOTS> ids;
        std::array<std::uint8_t, SLOTS> tags;
        std::uint32_t num_used;
    };
    static_assert(sizeof(Line) == 64);

    struct Segment {
        Pages memory;
        Line* lines = nullptr;
        std::size_t num_lines = 0;  // a power of two
        std::size_t num_ids = 0;
    };

    // Where a hash leads: a segment by its top bits, a line by its middle, a tag by its lowest.
    struct Place {
        std::size_t segment;
        std::size_t line;  // to be taken modulo the segment's number of lines
        std::uint8_t tag;
    };
    static Place place(std::uint64_t hash);

    template <typename Visit>
    static bool any_with_tag(const Line& line, std::uint8_t tag, Visit visit);
    static Segment new_segment(std::size_t num_lines);
    static void add(Segment& segment, const Place& place, std::uint32_t id);
    bool make_room(Segment& segment);

    WordHash hash_;
    PagedArray<Word> states_;
    bool keeps_origins_;
    PagedArray<Origin> origins_;
    std::size_t size_ = 0;
    std::array<Segment, std::size_t{1} << SEGMENT_BITS> segments_;
    MemoryMeter& meter_;
};

}  // namespace sing
