#include "landmarks/landmarks.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <span>
#include <string>
#include <utility>

#include "base/csr.h"
#include "task/fact_index.h"

namespace sing {
namespace {

using OperatorIndex = std::uint32_t;

class Propagation {
public:
    Propagation(const Task& task, const Guard& guard)
        : task_(task),
          guard_(guard),
          fact_id_(task),
          num_words_((fact_id_.num_facts() + WORD_BITS - 1) / WORD_BITS),
          needed_(fact_id_.num_facts() * num_words_, guard.memory()),
          is_reached_(fact_id_.num_facts()),
          users_(guard.memory()),
          num_missing_(guard.memory()),
          is_waiting_(task.operators.size()) {
        std::pmr::vector<std::pair<FactId, OperatorIndex>> uses(guard.memory());
        for (OperatorIndex op = 0; op < task.operators.size(); ++op) {
            for (const Fact& fact : task.operators[op].preconditions) uses.emplace_back(fact_id_(fact), op);
            num_missing_.push_back(static_cast<std::uint32_t>(task.operators[op].preconditions.size()));
        }
        users_ = Csr<OperatorIndex>::from_pairs(fact_id_.num_facts(), uses, guard.memory());
    }

    void run() {
        for (std::size_t i = 0; i < task_.initial_state.size(); ++i) reach(fact_id_(i, task_.initial_state[i]));
        for (OperatorIndex op = 0; op < task_.operators.size(); ++op)
            if (task_.operators[op].preconditions.empty()) enqueue(op);
        std::vector<std::uint64_t> of_operator(num_words_);
        while (!waiting_.empty()) {
            const OperatorIndex op = waiting_.front();
            waiting_.pop_front();
            is_waiting_[op] = false;
            propagate(task_.operators[op], of_operator);
        }
    }

    // What the goal needs, or nothing where it cannot be reached.
    std::optional<std::vector<Fact>> of_goal() const {
        std::vector<std::uint64_t> all(num_words_);
        for (const Fact& fact : task_.goal) {
            if (!is_reached_[fact_id_(fact)]) return std::nullopt;
            add(needed(fact_id_(fact)), all);
        }
        std::vector<Fact> facts;
        for (std::size_t i = 0; i < task_.variables.size(); ++i)
            for (Value value = 0; value < task_.variables[i].domain_size(); ++value)
                if (value != task_.initial_state[i] && has(all, fact_id_(i, value)))
                    facts.push_back({static_cast<std::int32_t>(i), value});
        return facts;
    }

private:
    static constexpr std::size_t WORD_BITS = 64;

    using Set = std::span<std::uint64_t>;
    using ConstSet = std::span<const std::uint64_t>;

    Set needed(FactId fact) { return std::span(needed_).subspan(fact * num_words_, num_words_); }
    ConstSet needed(FactId fact) const { return std::span(needed_).subspan(fact * num_words_, num_words_); }
    static bool has(ConstSet set, FactId fact) { return set[fact / WORD_BITS] >> (fact % WORD_BITS) & 1; }
    static void insert(Set set, FactId fact) { set[fact / WORD_BITS] |= std::uint64_t{1} << (fact % WORD_BITS); }
    static void add(ConstSet from, Set to) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] |= from[i];
    }

    void enqueue(OperatorIndex op) {
        if (is_waiting_[op]) return;
        is_waiting_[op] = true;
        waiting_.push_back(op);
    }

    // The fact can be reached, for the first time. What else it needs is its set already.
    void reach(FactId fact) {
        is_reached_[fact] = true;
        insert(needed(fact), fact);
        for (OperatorIndex op : users_[fact])
            if (--num_missing_[op] == 0) enqueue(op);
    }

    void propagate(const Operator& op, std::vector<std::uint64_t>& of_operator) {
        std::ranges::fill(of_operator, 0);
        for (const Fact& fact : op.preconditions) add(needed(fact_id_(fact)), of_operator);
        for (const Effect& effect : op.effects) {
            const FactId fact = fact_id_(effect.fact);
            if (!is_reached_[fact]) {
                std::ranges::copy(of_operator, needed(fact).begin());
                reach(fact);
            } else if (shrink(fact, of_operator)) {
                for (OperatorIndex user : users_[fact])
                    if (num_missing_[user] == 0) enqueue(user);
            }
        }
        guard_.poll(1 + num_words_ * (op.preconditions.size() + op.effects.size()));
    }

    // Keeps what this achiever needs, too. Whether that is less.
    bool shrink(FactId fact, ConstSet of_operator) {
        const Set set = needed(fact);
        bool changed = false;
        for (std::size_t i = 0; i < num_words_; ++i) {
            const std::uint64_t own = i == fact / WORD_BITS ? std::uint64_t{1} << (fact % WORD_BITS) : 0;
            const std::uint64_t less = set[i] & (of_operator[i] | own);
            changed |= less != set[i];
            set[i] = less;
        }
        return changed;
    }

    const Task& task_;
    const Guard& guard_;
    FactIndex fact_id_;
    std::size_t num_words_;
    std::pmr::vector<std::uint64_t> needed_;  // by fact: a set of facts
    std::vector<bool> is_reached_;            // by fact
    Csr<OperatorIndex> users_;                // by fact: operators with it as a precondition
    std::pmr::vector<std::uint32_t> num_missing_;  // by operator: preconditions not reached
    std::deque<OperatorIndex> waiting_;
    std::vector<bool> is_waiting_;  // by operator
};

std::size_t bytes_of(const Operator& op) {
    return sizeof(Operator) + op.name.size() + op.preconditions.size() * sizeof(Fact) +
           op.effects.size() * sizeof(Effect);
}

}  // namespace

std::optional<std::vector<Fact>> find_landmarks(const Task& task, const Guard& guard) {
    Propagation propagation(task, guard);
    propagation.run();
    return propagation.of_goal();
}

Task with_landmarks(const Task& task, const std::vector<Fact>& landmarks, const Guard& guard) {
    for (const Operator& op : task.operators) {
        guard.take(bytes_of(op));
        guard.poll(1 + op.effects.size());
    }
    Task result = task;
    const FactIndex fact_id(task);
    constexpr std::int32_t none = -1;
    std::vector<std::int32_t> variable_of_fact(fact_id.num_facts(), none);
    for (const Fact& fact : landmarks) {
        const auto variable = static_cast<std::int32_t>(result.variables.size());
        const auto& names = task.variables[static_cast<std::size_t>(fact.variable)].value_names;
        const std::string name = "has-held(" + names[static_cast<std::size_t>(fact.value)] + ")";
        result.variables.push_back({"landmark" + std::to_string(variable), -1, {"NegatedAtom " + name, "Atom " + name}});
        result.initial_state.push_back(0);
        result.goal.push_back({variable, 1});
        variable_of_fact[fact_id(fact)] = variable;
    }
    for (Operator& op : result.operators) {
        const std::size_t num_effects = op.effects.size();
        for (std::size_t i = 0; i < num_effects; ++i)
            if (const std::int32_t variable = variable_of_fact[fact_id(op.effects[i].fact)]; variable != none)
                op.effects.push_back({{}, {variable, 1}});
        guard.poll(1 + op.effects.size());
    }
    return result;
}

}  // namespace sing
