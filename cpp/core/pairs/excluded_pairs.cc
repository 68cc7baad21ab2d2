#include "pairs/excluded_pairs.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "pairs/reachable_pairs.h"
#include "task/fact_index.h"

namespace sing {
namespace {

// Where the first fixpoint finds nothing on operators, the others rarely do: then it may do this part of the work.
constexpr std::size_t FUTILE_PART = 5;
// Every run looks about so many times at all pairs, beside what its steps do.
constexpr std::size_t LOOKS_PER_RUN = 4;
// There must be work for so many looks at all pairs.
constexpr std::size_t LEAST_LOOKS = 64;

class Finder {
public:
    Finder(const Task& task, std::size_t max_work, const Guard& guard)
        : task_(task),
          guard_(guard),
          work_left_(max_work),
          fact_id_(task),
          steps_{PairSteps(task, fact_id_, Direction::FORWARD, guard),
                 PairSteps(task, fact_id_, Direction::BACKWARD, guard)},
          excluded_(fact_id_.num_facts(), guard),
          is_dead_(task.operators.size()) {
        exclude_other_values();
    }

    std::optional<ExcludedPairs> find() {
        if (!run(Direction::FORWARD, work_left_ / FUTILE_PART)) return std::nullopt;
        Direction direction = Direction::BACKWARD;
        while (run(direction, work_left_) && has_found_)
            direction = direction == Direction::FORWARD ? Direction::BACKWARD : Direction::FORWARD;
        return ExcludedPairs{std::move(excluded_), std::move(is_dead_)};
    }

private:
    void exclude_other_values() {
        FactId first = 0;
        for (const Variable& variable : task_.variables) {
            const FactId end = first + static_cast<FactId>(variable.domain_size());
            for (FactId fact = first; fact < end; ++fact) {
                set_bits(excluded_.row(fact), first, end);
                clear_bits(excluded_.row(fact), fact, fact + 1);
                guard_.poll(1 + num_bit_words(end - first));
            }
            first = end;
        }
    }

    // False where it is not complete.
    bool run(Direction direction, std::size_t max_futile_work) {
        const std::size_t work = LOOKS_PER_RUN * excluded_.num_facts() * excluded_.num_words();
        if (work > work_left_) return false;
        work_left_ -= work;
        std::optional<PairMatrix> holds = direction == Direction::FORWARD ? initial_pairs() : pairs_at_the_goal();
        has_found_ = false;
        if (!holds) {
            is_dead_.assign(is_dead_.size(), true);
            return true;
        }
        ReachablePairs pairs(steps_[static_cast<std::size_t>(direction)], excluded_, *holds, guard_);
        if (!pairs.run(is_dead_, work_left_, max_futile_work)) return false;
        for (std::size_t op = 0; op < is_dead_.size(); ++op) {
            if (is_dead_[op] || pairs.is_taken(op)) continue;
            is_dead_[op] = true;
            has_found_ = true;
        }
        exclude_all_but(*holds);
        return true;
    }

    // Nothing where there is no plan, because pairs of the initial state are excluded.
    std::optional<PairMatrix> initial_pairs() const {
        PairMatrix holds(fact_id_.num_facts(), guard_);
        std::pmr::vector<BitWord> facts(holds.num_words(), 0, guard_.memory());
        for (std::size_t variable = 0; variable < task_.variables.size(); ++variable)
            set_bit(facts, fact_id_(variable, task_.initial_state[variable]));
        for (std::size_t variable = 0; variable < task_.variables.size(); ++variable) {
            const FactId fact = fact_id_(variable, task_.initial_state[variable]);
            if (have_common_bits(facts, excluded_[fact])) return std::nullopt;
            std::ranges::copy(facts, holds.row(fact).begin());
            guard_.poll(holds.num_words());
        }
        return holds;
    }

    // All pairs that do not contradict the goal; nothing where there is no plan, because the goal contradicts itself.
    std::optional<PairMatrix> pairs_at_the_goal() const {
        PairMatrix holds(fact_id_.num_facts(), guard_);
        std::pmr::vector<BitWord> possible(holds.num_words(), 0, guard_.memory());
        for (FactId fact = 0; fact < holds.num_facts(); ++fact)
            if (!excluded_(fact)) set_bit(possible, fact);
        for (const Fact& goal : task_.goal) {
            drop_bits(possible, excluded_[fact_id_(goal)]);
            guard_.poll(holds.num_words());
        }
        for (const Fact& goal : task_.goal)
            if (!has_bit(possible, fact_id_(goal))) return std::nullopt;
        for (FactId fact = 0; fact < holds.num_facts(); ++fact) {
            guard_.poll(holds.num_words());
            if (!has_bit(possible, fact)) continue;
            std::ranges::copy(possible, holds.row(fact).begin());
            drop_bits(holds.row(fact), excluded_[fact]);
        }
        return holds;
    }

    // What does not hold now includes all that was excluded before.
    void exclude_all_but(const PairMatrix& holds) {
        const std::size_t num_facts = fact_id_.num_facts();
        for (FactId fact = 0; fact < num_facts; ++fact) {
            const std::span<BitWord> row = excluded_.row(fact);
            for (std::size_t i = 0; i < row.size(); ++i) {
                BitWord rest = ~holds[fact][i];
                const std::size_t num_bits = num_facts - i * BITS_PER_WORD;
                if (num_bits < BITS_PER_WORD) rest &= (BitWord{1} << num_bits) - 1;
                has_found_ |= row[i] != rest;
                row[i] = rest;
            }
            guard_.poll(row.size());
        }
    }

    const Task& task_;
    const Guard& guard_;
    std::size_t work_left_;
    FactIndex fact_id_;
    std::array<PairSteps, 2> steps_;  // by direction
    PairMatrix excluded_;
    std::vector<bool> is_dead_;
    bool has_found_ = false;  // whether the last run has found anything
};

}  // namespace

std::optional<ExcludedPairs> find_excluded_pairs(const Task& task, std::size_t max_work, const Guard& guard) {
    if (!task.has_fixed_effects()) return std::nullopt;
    const std::size_t num_facts = FactIndex(task).num_facts();
    if (LEAST_LOOKS * num_facts * num_bit_words(num_facts) > max_work)
        return std::nullopt;  // before memory is taken for it
    return Finder(task, max_work, guard).find();
}

}  // namespace sing
