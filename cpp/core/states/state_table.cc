#include "states/state_table.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <new>

namespace sing {
namespace {

constexpr std::size_t FIRST_LINES = 64;  // one page of memory
// A segment grows when it is fuller than this.
constexpr std::size_t MAX_LOAD_PERCENT = 90;

}  // namespace

StateTable::StateTable(std::size_t num_words, MemoryMeter& meter, bool keeps_origins)
    : hash_(num_words), states_(num_words, meter), keeps_origins_(keeps_origins), origins_(1, meter), meter_(meter) {
    // Tiny, and never refused: the first insertion then finds every segment in place.
    for (Segment& segment : segments_) {
        segment = new_segment(FIRST_LINES);
        if (!segment.memory) throw std::bad_alloc();
    }
}

StateTable::~StateTable() {
    for (const Segment& segment : segments_)
        if (segment.num_lines > FIRST_LINES) meter_.give_back(segment.num_lines * sizeof(Line));
}

StateTable::Place StateTable::place(std::uint64_t hash) {
    hash = WordHash::mixed(hash);
    return {hash >> (64 - SEGMENT_BITS), (hash >> 16) & 0xFFFF'FFFFu, static_cast<std::uint8_t>(hash >> 8)};
}

// Calls visit(id) for each id with that tag until one returns true. Eight tags are compared at
// once: a byte of `differences` is zero where the tag agrees, and the classic bit trick marks zero
// bytes (and, rarely, a byte above one, which the exact comparison then rejects).
template <typename Visit>
bool StateTable::any_with_tag(const Line& line, std::uint8_t tag, Visit visit) {
    constexpr std::uint64_t low_bits = 0x0101010101010101ull;
    constexpr std::uint64_t high_bits = 0x8080808080808080ull;
    for (std::size_t first = 0; first < SLOTS; first += 8) {
        std::uint64_t tags = 0;
        std::memcpy(&tags, line.tags.data() + first, std::min<std::size_t>(8, SLOTS - first));
        const std::uint64_t differences = tags ^ (low_bits * tag);
        std::uint64_t zeros = (differences - low_bits) & ~differences & high_bits;
        for (; zeros != 0; zeros &= zeros - 1) {
            const std::size_t slot = first + static_cast<std::size_t>(std::countr_zero(zeros)) / 8;
            if (slot >= line.num_used) return false;
            if (visit(line.ids[slot])) return true;
        }
    }
    return false;
}

void StateTable::prefetch_line(std::uint64_t hash) const {
    const Place where = place(hash);
    const Segment& segment = segments_[where.segment];
    __builtin_prefetch(&segment.lines[where.line & (segment.num_lines - 1)]);
}

void StateTable::prefetch_state(std::uint64_t hash) const {
    const Place where = place(hash);
    const Segment& segment = segments_[where.segment];
    any_with_tag(segment.lines[where.line & (segment.num_lines - 1)], where.tag, [&](std::uint32_t id) {
        __builtin_prefetch(states_[id].data());
        return true;
    });
}

StateId StateTable::find(Words state, std::uint64_t hash) const {
    assert(hash == hash_(state));
    const Place where = place(hash);
    const Segment& segment = segments_[where.segment];
    StateId found = NO_STATE;
    for (std::size_t i = where.line;; ++i) {
        const Line& line = segment.lines[i & (segment.num_lines - 1)];
        const bool is_there = any_with_tag(line, where.tag, [&](std::uint32_t id) {
            found = StateId{id};
            return std::ranges::equal(states_[id], state);
        });
        if (is_there) return found;
        if (line.num_used < SLOTS) return NO_STATE;
    }
}

StateTable::Insertion StateTable::insert(Words state, std::uint64_t hash, Origin origin) {
    if (const StateId found = find(state, hash); found != NO_STATE) return {Outcome::DUPLICATE, found};
    const Place where = place(hash);
    Segment& segment = segments_[where.segment];
    const std::size_t id = size_;
    if (id == index(NO_STATE) || !states_.reserve(id) || (keeps_origins_ && !origins_.reserve(id)) ||
        !make_room(segment))
        return {Outcome::FULL, NO_STATE};
    std::ranges::copy(state, states_[id].begin());
    if (keeps_origins_) origins_[id][0] = origin;
    add(segment, where, static_cast<std::uint32_t>(id));
    ++size_;
    return {Outcome::INSERTED, StateId{static_cast<std::uint32_t>(id)}};
}

StateTable::Segment StateTable::new_segment(std::size_t num_lines) {
    Segment segment;
    segment.memory = Pages(num_lines * sizeof(Line));
    segment.lines = segment.memory.as<Line>();
    segment.num_lines = num_lines;
    return segment;
}

void StateTable::add(Segment& segment, const Place& where, std::uint32_t id) {
    std::size_t i = where.line;
    while (segment.lines[i & (segment.num_lines - 1)].num_used == SLOTS) ++i;
    Line& line = segment.lines[i & (segment.num_lines - 1)];
    line.ids[line.num_used] = id;
    line.tags[line.num_used] = where.tag;
    ++line.num_used;
    ++segment.num_ids;
}

// Doubles the segment where one more id would overfill it. False where memory is full.
bool StateTable::make_room(Segment& segment) {
    if ((segment.num_ids + 1) * 100 <= segment.num_lines * SLOTS * MAX_LOAD_PERCENT) return true;
    const std::size_t bytes = 2 * segment.num_lines * sizeof(Line);
    if (!meter_.try_take(bytes)) return false;
    Segment larger = new_segment(2 * segment.num_lines);
    if (!larger.memory) {
        meter_.give_back(bytes);
        return false;
    }
    // The states behind the ids lie scattered; fetch some lines ahead of their use.
    constexpr std::size_t lines_ahead = 2;
    for (std::size_t i = 0; i < segment.num_lines; ++i) {
        if (i + lines_ahead < segment.num_lines) {
            const Line& later = segment.lines[i + lines_ahead];
            for (std::size_t slot = 0; slot < later.num_used; ++slot)
                __builtin_prefetch(states_[later.ids[slot]].data());
        }
        const Line& line = segment.lines[i];
        for (std::size_t slot = 0; slot < line.num_used; ++slot)
            add(larger, place(hash_(states_[line.ids[slot]])), line.ids[slot]);
    }
    if (segment.num_lines > FIRST_LINES) meter_.give_back(segment.num_lines * sizeof(Line));
    segment = std::move(larger);
    return true;
}

}  // namespace sing
