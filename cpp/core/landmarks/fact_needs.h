// What has to hold before a fact can.
#pragma once

#include <cstdint>
#include <deque>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "task/fact_index.h"
#include "task/task.h"

namespace sing {

// Which facts hold at some time in every plan that reaches a fact, without deletes: the fact itself and what all its
// achievers need, an achiever needing what its preconditions need (Zhu & Givan 2003). The sets are bits that are only
// ever taken away, until nothing changes.
class FactNeeds {
public:
    // Facts squared bits, and milliseconds for thousands of facts. The task must outlive it.
    FactNeeds(const Task& task, const Guard& guard);

    // Whether a plan without deletes reaches it from the initial state.
    bool is_reachable(FactId fact) const { return is_reached_[fact]; }
    bool is_reachable(OperatorId op) const { return num_missing_[index(op)] == 0; }
    // Whether `other` holds at some time in every plan that reaches `fact`, which is reachable.
    bool needs(FactId fact, FactId other) const {
        return needed_[fact * num_words_ + other / WORD_BITS] >> (other % WORD_BITS) & 1;
    }

private:
    static constexpr std::size_t WORD_BITS = 64;
    using Word = std::uint64_t;

    std::span<Word> needed(FactId fact) { return std::span(needed_).subspan(fact * num_words_, num_words_); }
    void enqueue(std::uint32_t op);
    void reach(FactId fact);
    void propagate(std::uint32_t op, const Guard& guard);
    bool shrink(FactId fact);

    const Task& task_;
    FactIndex fact_id_;
    std::size_t num_words_;              // of one set
    std::pmr::vector<Word> needed_;      // by fact: a set of facts
    std::vector<bool> is_reached_;       // by fact
    Csr<std::uint32_t> users_;           // by fact: operators with it as a precondition
    std::pmr::vector<std::uint32_t> num_missing_;  // by operator: preconditions not reached
    std::vector<bool> is_waiting_;       // by operator
    std::deque<std::uint32_t> waiting_;  // operators whose preconditions need less than before
    std::pmr::vector<Word> of_operator_;
};

}  // namespace sing
