#include "landmarks/fact_needs.h"

#include <algorithm>
#include <utility>

namespace sing {

FactNeeds::FactNeeds(const Task& task, const RelaxedRules& rules, const Guard& guard)
    : rules_(rules),
      num_words_((rules.num_facts() + WORD_BITS - 1) / WORD_BITS),
      needed_(rules.num_facts() * num_words_, guard.memory()),
      is_reached_(rules.num_facts()),
      users_(guard.memory()),
      num_missing_(guard.memory()),
      is_waiting_(rules.size()),
      of_rule_(num_words_, guard.memory()) {
    std::pmr::vector<std::pair<FactId, RuleId>> uses(guard.memory());
    for (RuleId rule = 0; rule < rules.size(); ++rule) {
        const std::span<const FactId> conditions = rules.conditions(rule);
        for (FactId fact : conditions) uses.emplace_back(fact, rule);
        num_missing_.push_back(static_cast<std::uint32_t>(conditions.size()));
        if (conditions.empty()) enqueue(rule);
        guard.poll(1 + conditions.size());
    }
    users_ = Csr<RuleId>::from_pairs(rules.num_facts(), uses, guard.memory());
    for (std::size_t i = 0; i < task.initial_state.size(); ++i) reach(rules.fact_id()(i, task.initial_state[i]));
    while (!waiting_.empty()) {
        const RuleId rule = waiting_.front();
        waiting_.pop_front();
        is_waiting_[rule] = false;
        propagate(rule, guard);
    }
}

void FactNeeds::enqueue(RuleId rule) {
    if (is_waiting_[rule]) return;
    is_waiting_[rule] = true;
    waiting_.push_back(rule);
}

// For the first time. What else the fact needs is in its set already.
void FactNeeds::reach(FactId fact) {
    is_reached_[fact] = true;
    needed(fact)[fact / WORD_BITS] |= Word{1} << (fact % WORD_BITS);
    for (RuleId rule : users_[fact])
        if (--num_missing_[rule] == 0) enqueue(rule);
}

void FactNeeds::propagate(RuleId rule, const Guard& guard) {
    std::ranges::fill(of_rule_, 0);
    for (FactId fact : rules_.conditions(rule)) {
        const std::span<const Word> set = needed(fact);
        for (std::size_t i = 0; i < num_words_; ++i) of_rule_[i] |= set[i];
    }
    for (FactId fact : rules_.added(rule)) {
        if (!is_reached_[fact]) {
            std::ranges::copy(of_rule_, needed(fact).begin());
            reach(fact);
        } else if (shrink(fact)) {
            for (RuleId user : users_[fact])
                if (num_missing_[user] == 0) enqueue(user);
        }
    }
    guard.poll(1 + num_words_ * (rules_.conditions(rule).size() + rules_.added(rule).size()) / 4);
}

// Keeps what the present rule needs, too. Whether that is less.
bool FactNeeds::shrink(FactId fact) {
    const std::span<Word> set = needed(fact);
    bool changed = false;
    for (std::size_t i = 0; i < num_words_; ++i) {
        const Word itself = i == fact / WORD_BITS ? Word{1} << (fact % WORD_BITS) : 0;
        const Word less = set[i] & (of_rule_[i] | itself);
        changed |= less != set[i];
        set[i] = less;
    }
    return changed;
}

}  // namespace sing
