// All matches of a rule.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/guard.h"
#include "translate/datalog.h"

namespace sing::translate {

// Finds the ways to match the body of one rule with visible tuples, by backtracking without recursion: at each step the
// atom with the fewest tuples that fit what is bound so far comes next. So no order of the atoms has to be chosen in
// advance, and an atom that nothing fits ends a branch at once.
class Join {
public:
    static constexpr std::size_t NO_ATOM = static_cast<std::size_t>(-1);

    Join(Datalog& datalog, const Rule& rule, const Guard& guard);

    // Calls on_match(values of the variables) for each match where the atom at `trigger` is the tuple and no atom
    // before it is the same tuple of the same relation, so that each match is found once if all tuples become visible
    // one by one. NO_ATOM asks for all matches.
    template <typename OnMatch>
    void for_matches(std::size_t trigger, TupleId tuple, OnMatch&& on_match) {
        if (!begin(trigger, tuple)) return;
        while (next()) on_match(std::span<const ObjectId>(values_));
    }

private:
    static constexpr ObjectId UNBOUND = 0xFFFF'FFFF;

    // An atom of the body under what is bound.
    struct Candidates {
        Relation::Positions positions = 0;  // those that are bound and indexed
        Bucket bucket;
        bool is_bound = false;  // all variables are
    };
    // A step of the search: tuples of one atom, or objects of one variable.
    struct Step {
        std::size_t atom;                            // or NO_ATOM
        std::uint32_t variable;                      // where there is no atom
        std::uint32_t num_left;                      // candidates that have not been tried
        TupleId next_tuple;                          // the next candidate
        std::size_t num_bound, num_saved, num_open;  // before
    };

    bool begin(std::size_t trigger, TupleId tuple);
    bool next();
    bool is_finished(const Step& step) const { return step.num_left == 0; }
    bool try_candidate(Step& step);
    bool bind_tuple(std::size_t atom, TupleId tuple);
    bool bind(std::uint32_t variable, ObjectId object);
    void undo(const Step& step);
    // False where an atom has no candidates left.
    bool refresh_bound(std::size_t num_bound_before);
    bool refresh(std::size_t atom);
    bool push_step();
    bool is_in_domain(std::uint32_t variable, ObjectId object) const;

    Datalog& datalog_;
    const Rule& rule_;
    Guard guard_;
    std::pmr::vector<std::pmr::vector<char>> in_domain_;          // by variable and object; empty: all are
    std::pmr::vector<std::pmr::vector<std::size_t>> atoms_;       // by variable
    std::pmr::vector<ObjectId> values_;                           // by variable
    std::pmr::vector<Candidates> candidates_;                     // by atom
    std::pmr::vector<char> is_done_;                              // by atom: matched by a step
    std::pmr::vector<std::uint32_t> bound_;                       // variables in the order of their binding
    std::pmr::vector<std::pair<std::size_t, Candidates>> saved_;  // candidates before they were refreshed
    std::pmr::vector<std::size_t> done_;                          // atoms in the order of their steps
    std::pmr::vector<Step> steps_;
    std::pmr::vector<ObjectId> key_;
    std::size_t trigger_ = NO_ATOM;
    TupleId trigger_tuple_ = NO_TUPLE;
    bool is_new_match_ = false;  // begin() found a match without a step
};

}  // namespace sing::translate
