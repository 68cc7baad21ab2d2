#include "pairs/reachable_pairs.h"

#include <algorithm>

namespace sing {
namespace {

// A new pair is written into a row far away.
constexpr std::size_t WORK_PER_PAIR = 16;

}  // namespace

ReachablePairs::ReachablePairs(const PairSteps& steps, const PairMatrix& excluded, PairMatrix& holds,
                               const Guard& guard)
    : steps_(steps),
      excluded_(excluded),
      holds_(holds),
      guard_(guard),
      facts_(holds.num_words(), 0, guard.memory()),
      with_(holds.num_words(), 0, guard.memory()),
      by_choice_(holds.num_words(), 0, guard.memory()),
      is_taken_(steps.num_steps()),
      visited_at_(steps.num_steps(), 0, guard.memory()),
      extended_at_(holds.num_facts(), 0, guard.memory()) {
    for (FactId fact = 0; fact < holds.num_facts(); ++fact)
        if (holds(fact)) set_bit(facts_, fact);
}

bool ReachablePairs::run(const std::vector<bool>& is_dead, std::size_t& work_left, std::size_t max_futile_work) {
    const auto num_live = static_cast<std::size_t>(std::ranges::count(is_dead, false));
    std::size_t work = 0;
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (std::size_t step = 0; step < steps_.num_steps(); ++step) {
            work_ = 1 + steps_.from(step).size();
            if (!is_dead[step] && is_due(step)) {
                goes_on = true;
                visited_at_[step] = ++visit_;
                if (can_take(step)) take(step);
            }
            guard_.poll(work_);
            work += work_;
            if (work_ > work_left || (work > max_futile_work && num_taken_ == num_live)) return false;
            work_left -= work_;
        }
    }
    return true;
}

// A step that extends its own conditions is due again.
bool ReachablePairs::is_due(std::size_t step) const {
    if (visited_at_[step] == 0) return true;
    const std::span<const FactId> from = steps_.from(step);
    if (from.empty()) return any_extended_at_ >= visited_at_[step];
    return std::ranges::any_of(from, [&](FactId fact) { return extended_at_[fact] >= visited_at_[step]; });
}

bool ReachablePairs::can_take(std::size_t step) {
    const std::span<const FactId> from = steps_.from(step), to = steps_.to(step);
    work_ += from.size() * from.size() + to.size() * to.size();
    for (std::size_t i = 0; i < from.size(); ++i)
        for (std::size_t j = i; j < from.size(); ++j)
            if (!holds_(from[i], from[j])) return false;
    for (std::size_t i = 0; i < to.size(); ++i)
        for (std::size_t j = i; j < to.size(); ++j)
            if (excluded_(to[i], to[j])) return false;
    return true;
}

void ReachablePairs::take(std::size_t step) {
    const std::span<const FactId> from = steps_.from(step), to = steps_.to(step);
    work_ += (from.size() + 2 * to.size()) * with_.size();
    std::ranges::copy(facts_, with_.begin());
    for (FactId fact : from) keep_bits(with_, holds_[fact]);
    for (FactId fact : to) drop_bits(with_, excluded_[fact]);
    for (const auto& [first, end] : steps_.changed(step)) clear_bits(with_, first, end);
    for (FactId fact : to) set_bit(with_, fact);
    for (const auto& [first, end] : steps_.choices(step)) {
        for (FactId choice = first; choice < end; ++choice)
            if (is_possible(choice, to)) set_bit(with_, choice);
        work_ += (end - first) * to.size();
    }
    for (const auto& [first, end] : steps_.changed(step))
        if (count_bits(with_, first, end) == 0) return;  // a variable has no value that it could have had
    if (!is_taken_[step]) ++num_taken_;
    is_taken_[step] = true;
    for (FactId fact : to) add(fact, with_);
    for (const auto& [first, end] : steps_.choices(step))
        for (FactId choice = first; choice < end; ++choice) take_choice(choice);
}

void ReachablePairs::take_choice(FactId choice) {
    if (!has_bit(with_, choice)) return;
    work_ += 3 * with_.size();
    std::ranges::copy(with_, by_choice_.begin());
    drop_bits(by_choice_, excluded_[choice]);
    add(choice, by_choice_);
}

bool ReachablePairs::is_possible(FactId fact, std::span<const FactId> others) const {
    return !excluded_(fact) && std::ranges::none_of(others, [&](FactId other) { return excluded_(fact, other); });
}

// `others` has the fact itself.
void ReachablePairs::add(FactId fact, std::span<const BitWord> others) {
    const std::span<BitWord> row = holds_.row(fact);
    for (std::size_t i = 0; i < row.size(); ++i) {
        const BitWord found = others[i] & ~row[i];
        if (found == 0) continue;
        row[i] |= found;
        any_extended_at_ = extended_at_[fact] = visit_;
        for_each_bit(found, i, [&](FactId other) {
            set_bit(holds_.row(other), fact);
            extended_at_[other] = visit_;
            work_ += WORK_PER_PAIR;
        });
    }
    set_bit(facts_, fact);
}

}  // namespace sing
