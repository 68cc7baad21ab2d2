// A small search by cost from any state to any facts: cheaper ways through a part of a plan.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "base/cost.h"
#include "base/guard.h"
#include "base/rng.h"
#include "heuristics/ff_heuristic.h"
#include "search/state_pool.h"
#include "states/progression.h"
#include "states/state_packer.h"
#include "states/successor_generator.h"
#include "states/transitions.h"

namespace sing {

// Weighted A* with deferred evaluation: a state gets its relaxed plan when it is expanded, and waits until then with
// what is known of its parent. Operators of the parent's relaxed plan count as steps of it. Relaxed plans are made by
// weights that follow the costs and count each operator, so that free operators are not endless; what they cost is
// added up exactly. Among equals the state with the shorter relaxed plan comes first, then one at random.
//
// What was prepared for the task serves all searches, which are made to be small: thousands a second where they end
// soon. It serves one thread.
class WindowSearch {
public:
    using Plan = std::vector<OperatorId>;

    struct Style {
        double weight;   // of the estimate
        double pruning;  // a state is dropped where its cost and this much of its estimate reach the bound; 0 to 1
    };

    // The task must outlive the search, and so must what counts the memory: it does so from then on.
    WindowSearch(const Task& task, const Guard& guard);

    // The cheapest way found from a state to one that has the facts, of less cost than the bound. It looks for cheaper
    // ones until its work is done. Throws what the guard throws, and std::bad_alloc where memory is full.
    std::optional<Plan> find(std::span<const Value> start, std::span<const Fact> goal, Cost bound, Style style,
                             std::uint64_t max_work, Rng& rng, const Guard& guard);

    // Whether the last search ended before it had looked at all that its style allows.
    bool was_cut() const { return !open_.empty(); }
    // Successors generated so far, and what relaxed plans took in units of a successor.
    std::uint64_t work() const { return num_generated_ + relaxed_.work(); }
    // Makes `state` its successor.
    void advance(std::span<Value> state, OperatorId op) {
        progression_.enter(state);  // axioms follow one state at a time
        progression_.advance(state, op);
    }

private:
    static constexpr std::uint32_t NOWHERE = 0xFFFF'FFFFu;

    struct Node {
        Cost cost;  // of the cheapest way known
        std::uint32_t parent;
        OperatorId op;
    };
    struct Entry {
        double key;
        std::int32_t num_steps;
        std::uint32_t tie;
        std::uint32_t node;
        Cost cost;  // of the node when this was pushed
        static bool comes_after(const Entry& one, const Entry& other);
    };

    void begin(std::span<const Value> start, std::span<const Fact> goal);
    void expand(const Entry& entry, Style style, Rng& rng);
    void reach(std::uint32_t parent, OperatorId op, Cost cost, double key, std::int32_t num_steps, Rng& rng);
    bool reaches_goal(OperatorId op);
    Plan way_to(std::uint32_t node) const;

    const Task& task_;
    StatePacker packer_;
    Transitions transitions_;
    Progression progression_;
    SuccessorGenerator generator_;
    FFHeuristic relaxed_;
    StatePool pool_;
    std::pmr::vector<Node> nodes_;  // by state
    std::pmr::vector<Entry> open_;  // a heap
    std::vector<Value> wanted_;     // by variable: the goal's value, or UNDEFINED
    std::vector<Fact> goal_;
    std::int32_t num_open_goals_ = 0;  // of the state being expanded
    Cost bound_ = 0;
    std::uint32_t found_ = NOWHERE;
    std::uint64_t num_generated_ = 0;

    std::vector<Value> values_;  // of the state being expanded
    std::vector<OperatorId> operators_;
    std::vector<StatePacker::Word> parent_words_, words_;
};

}  // namespace sing
