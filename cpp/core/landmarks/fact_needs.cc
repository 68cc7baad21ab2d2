#include "landmarks/fact_needs.h"

#include <algorithm>
#include <utility>

namespace sing {

FactNeeds::FactNeeds(const Task& task, const Guard& guard)
    : task_(task),
      fact_id_(task),
      num_words_((fact_id_.num_facts() + WORD_BITS - 1) / WORD_BITS),
      needed_(fact_id_.num_facts() * num_words_, guard.memory()),
      is_reached_(fact_id_.num_facts()),
      users_(guard.memory()),
      num_missing_(guard.memory()),
      is_waiting_(task.operators.size()),
      of_operator_(num_words_, guard.memory()) {
    std::pmr::vector<std::pair<FactId, std::uint32_t>> uses(guard.memory());
    for (std::uint32_t op = 0; op < task.operators.size(); ++op) {
        const std::vector<Fact>& preconditions = task.operators[op].preconditions;
        for (const Fact& fact : preconditions) uses.emplace_back(fact_id_(fact), op);
        num_missing_.push_back(static_cast<std::uint32_t>(preconditions.size()));
        if (preconditions.empty()) enqueue(op);
        guard.poll(1 + preconditions.size());
    }
    users_ = Csr<std::uint32_t>::from_pairs(fact_id_.num_facts(), uses, guard.memory());
    for (std::size_t i = 0; i < task.initial_state.size(); ++i) reach(fact_id_(i, task.initial_state[i]));
    while (!waiting_.empty()) {
        const std::uint32_t op = waiting_.front();
        waiting_.pop_front();
        is_waiting_[op] = false;
        propagate(op, guard);
    }
}

void FactNeeds::enqueue(std::uint32_t op) {
    if (is_waiting_[op]) return;
    is_waiting_[op] = true;
    waiting_.push_back(op);
}

// For the first time. What else the fact needs is in its set already.
void FactNeeds::reach(FactId fact) {
    is_reached_[fact] = true;
    needed(fact)[fact / WORD_BITS] |= Word{1} << (fact % WORD_BITS);
    for (std::uint32_t op : users_[fact])
        if (--num_missing_[op] == 0) enqueue(op);
}

void FactNeeds::propagate(std::uint32_t op, const Guard& guard) {
    const Operator& definition = task_.operators[op];
    std::ranges::fill(of_operator_, 0);
    for (const Fact& fact : definition.preconditions) {
        const std::span<const Word> set = needed(fact_id_(fact));
        for (std::size_t i = 0; i < num_words_; ++i) of_operator_[i] |= set[i];
    }
    for (const Effect& effect : definition.effects) {
        const FactId fact = fact_id_(effect.fact);
        if (!is_reached_[fact]) {
            std::ranges::copy(of_operator_, needed(fact).begin());
            reach(fact);
        } else if (shrink(fact)) {
            for (std::uint32_t user : users_[fact])
                if (num_missing_[user] == 0) enqueue(user);
        }
    }
    guard.poll(1 + num_words_ * (definition.preconditions.size() + definition.effects.size()) / 4);
}

// Keeps what the present operator needs, too. Whether that is less.
bool FactNeeds::shrink(FactId fact) {
    const std::span<Word> set = needed(fact);
    bool changed = false;
    for (std::size_t i = 0; i < num_words_; ++i) {
        const Word itself = i == fact / WORD_BITS ? Word{1} << (fact % WORD_BITS) : 0;
        const Word less = set[i] & (of_operator_[i] | itself);
        changed |= less != set[i];
        set[i] = less;
    }
    return changed;
}

}  // namespace sing
