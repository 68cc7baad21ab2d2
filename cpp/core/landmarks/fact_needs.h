// What has to hold before a fact can.
#pragma once

#include <cstdint>
#include <deque>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "heuristics/relaxed_rules.h"
#include "task/task.h"

namespace sing {

// Which facts hold at some time in every plan that reaches a fact, without deletes: the fact itself and what all its
// achievers need, an achiever needing what its conditions need (Zhu & Givan 2003). The sets are bits that are only
// ever taken away, until nothing changes.
class FactNeeds {
public:
    // Facts squared bits, and milliseconds for thousands of facts. The rules, those of the task, must outlive it.
    FactNeeds(const Task& task, const RelaxedRules& rules, const Guard& guard);

    // Whether a plan without deletes reaches it from the initial state.
    bool is_reachable(FactId fact) const { return is_reached_[fact]; }
    bool applies(RuleId rule) const { return num_missing_[rule] == 0; }
    // Whether `other` holds at some time in every plan that reaches `fact`, which is reachable.
    bool needs(FactId fact, FactId other) const {
        return needed_[fact * num_words_ + other / WORD_BITS] >> (other % WORD_BITS) & 1;
    }

private:
    static constexpr std::size_t WORD_BITS = 64;
    using Word = std::uint64_t;

    std::span<Word> needed(FactId fact) { return std::span(needed_).subspan(fact * num_words_, num_words_); }
    void enqueue(RuleId rule);
    void reach(FactId fact);
    void propagate(RuleId rule, const Guard& guard);
    bool shrink(FactId fact);

    const RelaxedRules& rules_;
    std::size_t num_words_;                        // of one set
    std::pmr::vector<Word> needed_;                // by fact: a set of facts
    std::vector<bool> is_reached_;                 // by fact
    Csr<RuleId> users_;                            // by fact: rules with it as a condition
    std::pmr::vector<std::uint32_t> num_missing_;  // by rule: conditions not reached
    std::vector<bool> is_waiting_;                 // by rule
    std::deque<RuleId> waiting_;                   // rules whose conditions need less than before
    std::pmr::vector<Word> of_rule_;               // what the present rule needs
};

}  // namespace sing
