#include "heuristics/factored_rules.h"

#include <algorithm>
#include <bit>
#include <new>
#include <unordered_map>

namespace sing {
namespace {

constexpr int MAX_ROUNDS = 3;
constexpr std::uint32_t NONE = 0xFFFF'FFFFu;

// Sums of these tell sets of numbers apart.
std::uint64_t mixed(std::uint64_t number) {
    number = (number + 1) * 0x9E3779B97F4A7C15ull;
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9ull;
    number = (number ^ (number >> 27)) * 0x94D049BB133111EBull;
    return number ^ (number >> 31);
}

// How often keys were counted. Keys may share a counter: what follows from counts must not rely on them.
class RoughCounts {
public:
    RoughCounts(std::size_t num_keys, const Guard& guard)
        : counts_(std::min(std::bit_ceil(num_keys + 1), MAX_COUNTERS), 0, guard.memory()) {}
    void add(std::uint64_t key) { ++counts_[key & (counts_.size() - 1)]; }
    std::uint32_t operator[](std::uint64_t key) const { return counts_[key & (counts_.size() - 1)]; }

private:
    static constexpr std::size_t MAX_COUNTERS = std::size_t{1} << 22;
    std::pmr::vector<std::uint32_t> counts_;
};

// Finds equal ones of numbered things by their hashes.
class Firsts {
public:
    Firsts(std::size_t most, const Guard& guard) : slots_(std::bit_ceil(2 * most + 1), NONE, guard.memory()) {}

    // The first that was asked for of those that are equal to this one, perhaps itself.
    template <typename IsEqual>
    std::uint32_t first(std::uint64_t hash, std::uint32_t number, const IsEqual& is_equal) {
        std::size_t slot = hash & (slots_.size() - 1);
        while (slots_[slot] != NONE && !is_equal(slots_[slot], number)) slot = (slot + 1) & (slots_.size() - 1);
        if (slots_[slot] == NONE) slots_[slot] = number;
        return slots_[slot];
    }

private:
    std::pmr::vector<std::uint32_t> slots_;
};

// Rules that add one fact each.
struct Singles {
    struct Row {
        FactId added;
        Estimate weight;
        std::uint32_t node;
        FactId chosen = NONE;         // the condition in which most other rules differ from it
        std::uint32_t num_alike = 0;  // so many of them, or more, with itself
        std::uint64_t hash = 0;       // of what it adds, its weight and its conditions
    };

    explicit Singles(const Guard& guard) : rows(guard.memory()), conditions(guard.memory()) {}
    std::size_t size() const { return rows.size(); }

    void push(Row row, std::span<const FactId> its_conditions) {
        row.hash = mixed(row.added) + mixed(~static_cast<std::uint64_t>(row.weight));
        for (const FactId fact : its_conditions) row.hash += mixed(fact);
        rows.push_back(row);
        conditions.push_row(its_conditions);
    }

    std::uint64_t hash_without(std::uint32_t rule, FactId condition) const {
        return rows[rule].hash - mixed(condition);
    }

    // Whether the rules are equal but for these conditions of theirs; NONE leaves out none.
    bool are_equal(std::uint32_t a, FactId without_a, std::uint32_t b, FactId without_b) const {
        if (rows[a].added != rows[b].added || rows[a].weight != rows[b].weight) return false;
        auto left = conditions[a].begin(), right = conditions[b].begin();
        for (;; ++left, ++right) {
            if (left != conditions[a].end() && *left == without_a) ++left;
            if (right != conditions[b].end() && *right == without_b) ++right;
            if (left == conditions[a].end() || right == conditions[b].end())
                return left == conditions[a].end() && right == conditions[b].end();
            if (*left != *right) return false;
        }
    }

    std::pmr::vector<Row> rows;
    Csr<FactId> conditions;  // sorted
};

}  // namespace

// Finds unions, and makes the rules with them.
class Factoring {
public:
    Factoring(const RelaxedRules& rules, std::span<const Estimate> weights, const Guard& guard, FactoredRules& factored)
        : rules_(rules), weights_(weights), guard_(guard), factored_(factored), unions_(guard.memory()) {}

    void run() {
        Singles singles = split();
        for (int round = 0; round < MAX_ROUNDS; ++round) {
            choose_conditions(singles);
            if (round == 0) singles = leave_as_they_are(singles);
            Singles fewer = join(singles);
            const bool was_worth_it = fewer.size() * 10 < singles.size() * 9;
            singles = std::move(fewer);
            if (!was_worth_it) break;
        }
        for (std::uint32_t i = 0; i < singles.size(); ++i) {
            const Singles::Row& row = singles.rows[i];
            add(singles.conditions[i], {&row.added, 1}, row.weight, row.node);
        }
    }

    void add_all_as_they_are() {
        for (RuleId rule = 0; rule < rules_.size(); ++rule) add_as_it_is(rule);
    }

private:
    Estimate weight(RuleId rule) const { return !rules_.is_operator(rule) ? 0 : weights_.empty() ? 1 : weights_[rule]; }

    void add_as_it_is(RuleId rule) {
        if (!rules_.added(rule).empty()) add(rules_.conditions(rule), rules_.added(rule), weight(rule), rule);
    }

    void add(std::span<const FactId> conditions, std::span<const FactId> added, Estimate weight, std::uint32_t node) {
        factored_.conditions_.push_row(conditions);
        factored_.added_.push_row(added);
        factored_.weights_.push_back(weight);
        factored_.nodes_.push_back(node);
        guard_.poll(1 + conditions.size() + added.size());
    }

    // One rule for each fact that an operator adds, if no earlier operator adds it under the same conditions.
    Singles split() {
        std::size_t num_added = 0;
        for (RuleId rule = 0; rule < rules_.size(); ++rule) num_added += rules_.added(rule).size();
        Firsts firsts(num_added, guard_);
        Singles all(guard_), different(guard_);
        std::vector<FactId> conditions;
        for (RuleId rule = 0; rule < rules_.size(); ++rule) {
            conditions.assign(rules_.conditions(rule).begin(), rules_.conditions(rule).end());
            if (!rules_.is_operator(rule) || conditions.empty()) {
                add_as_it_is(rule);
                continue;
            }
            std::ranges::sort(conditions);
            for (const FactId fact : rules_.added(rule)) {
                const auto number = static_cast<std::uint32_t>(all.size());
                all.push({fact, weight(rule), rule}, conditions);
                const std::uint64_t hash = all.rows[number].hash;
                const std::uint32_t first = firsts.first(hash, number, [&](std::uint32_t a, std::uint32_t b) {
                    return all.rows[a].hash == all.rows[b].hash && all.are_equal(a, NONE, b, NONE);
                });
                if (first == number) different.push(all.rows[number], conditions);
                guard_.poll(1 + conditions.size());
            }
        }
        return different;
    }

    void choose_conditions(Singles& singles) {
        RoughCounts counts(singles.conditions.items().size(), guard_);
        for (std::uint32_t i = 0; i < singles.size(); ++i) {
            for (const FactId fact : singles.conditions[i]) counts.add(singles.hash_without(i, fact));
            guard_.poll(1 + singles.conditions[i].size());
        }
        for (std::uint32_t i = 0; i < singles.size(); ++i) {
            Singles::Row& row = singles.rows[i];
            row.num_alike = 0;
            for (const FactId fact : singles.conditions[i]) {
                const std::uint32_t count = counts[singles.hash_without(i, fact)];
                if (count > row.num_alike) row.num_alike = count, row.chosen = fact;
            }
            guard_.poll(1 + singles.conditions[i].size());
        }
    }

    // Adds the operators as they are whose rules would not become clearly fewer, and returns the rules of the others.
    Singles leave_as_they_are(const Singles& singles) {
        constexpr double most_to_pay = 0.7;
        Singles others(guard_);
        for (std::uint32_t begin = 0, end = 0; begin < singles.size(); begin = end) {
            const std::size_t num_conditions = singles.conditions[begin].size();
            const RuleId op = singles.rows[begin].node;
            double share = 0;  // of conditions and facts added in rules that it would have together with others
            for (; end < singles.size() && singles.rows[end].node == op; ++end)
                share += static_cast<double>(num_conditions + 1) / singles.rows[end].num_alike;
            if (share > most_to_pay * static_cast<double>(num_conditions + end - begin)) {
                add_as_it_is(op);
                continue;
            }
            for (std::uint32_t i = begin; i < end; ++i) others.push(singles.rows[i], singles.conditions[i]);
        }
        return others;
    }

    // Makes one rule of those that differ in their chosen condition alone.
    Singles join(const Singles& singles) {
        std::pmr::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(guard_.memory());  // group and rule
        std::pmr::vector<std::uint32_t> groups(singles.size(), NONE, guard_.memory());     // by its first rule
        std::uint32_t num_groups = 0;
        {
            Firsts firsts(singles.size(), guard_);
            auto is_equal = [&](std::uint32_t a, std::uint32_t b) {
                return singles.are_equal(a, singles.rows[a].chosen, b, singles.rows[b].chosen);
            };
            for (std::uint32_t i = 0; i < singles.size(); ++i) {
                const std::uint64_t hash = singles.hash_without(i, singles.rows[i].chosen);
                const std::uint32_t first = firsts.first(hash, i, is_equal);
                if (first == i) groups[i] = num_groups++;
                pairs.emplace_back(groups[first], i);
                guard_.poll(1 + singles.conditions[i].size());
            }
        }
        const auto members = Csr<std::uint32_t>::from_pairs(num_groups, pairs, guard_.memory());
        RoughCounts sets(std::size_t{2} * num_groups, guard_);
        auto hash_of_set = [&](std::uint32_t group) {
            std::uint64_t hash = 0;
            for (const std::uint32_t i : members[group]) hash += mixed(singles.rows[i].chosen);
            return hash;
        };
        for (std::uint32_t group = 0; group < num_groups; ++group) {
            sets.add(hash_of_set(group));
            sets.add(hash_of_set(group) + mixed(singles.rows[members[group].front()].added));
        }
        Singles joined(guard_);
        std::vector<FactId> conditions, facts;
        for (std::uint32_t group = 0; group < num_groups; ++group) {
            const std::uint32_t first = members[group].front();
            Singles::Row row = singles.rows[first];
            conditions.assign(singles.conditions[first].begin(), singles.conditions[first].end());
            if (members[group].size() > 1) {
                facts.clear();
                for (const std::uint32_t i : members[group]) facts.push_back(singles.rows[i].chosen);
                const std::uint64_t hash = hash_of_set(group), hash_with_added = hash + mixed(row.added);
                const bool with_added = sets[hash_with_added] > sets[hash];
                if (with_added) facts.push_back(row.added);
                std::ranges::sort(facts);
                const FactId of_all = union_of(facts, with_added ? hash_with_added : hash);
                std::erase(conditions, row.chosen);
                conditions.push_back(of_all);
                std::ranges::sort(conditions);
                row.node = node_of(singles, members[group], of_all);
            }
            joined.push(row, conditions);
            guard_.poll(1 + members[group].size() + conditions.size());
        }
        return joined;
    }

    FactId union_of(std::span<const FactId> facts, std::uint64_t hash) {
        const auto [begin, end] = unions_.equal_range(hash);
        for (auto found = begin; found != end; ++found)
            if (std::ranges::equal(factored_.union_facts_[found->second], facts))
                return static_cast<FactId>(factored_.num_facts_ + found->second);
        const auto number = static_cast<std::uint32_t>(factored_.union_facts_.num_rows());
        factored_.union_facts_.push_row(facts);
        unions_.emplace(hash, number);
        return static_cast<FactId>(factored_.num_facts_ + number);
    }

    std::uint32_t node_of(const Singles& singles, std::span<const std::uint32_t> members, FactId of_all) {
        std::vector<std::pair<FactId, std::uint32_t>> row;
        for (const std::uint32_t i : members) row.emplace_back(singles.rows[i].chosen, singles.rows[i].node);
        std::ranges::sort(row);
        factored_.several_.push_row(row);
        factored_.differing_in_.push_back(of_all);
        return static_cast<std::uint32_t>(factored_.num_originals_ + factored_.several_.num_rows() - 1);
    }

    const RelaxedRules& rules_;
    std::span<const Estimate> weights_;
    const Guard& guard_;
    FactoredRules& factored_;
    std::pmr::unordered_multimap<std::uint64_t, std::uint32_t> unions_;  // by hash
};

FactoredRules::FactoredRules(const RelaxedRules& rules, std::span<const Estimate> weights, const Guard& guard)
    : num_facts_(rules.num_facts()),
      num_originals_(rules.size()),
      conditions_(guard.memory()),
      added_(guard.memory()),
      weights_(guard.memory()),
      nodes_(guard.memory()),
      with_condition_(guard.memory()),
      unions_of_(guard.memory()),
      union_facts_(guard.memory()),
      differing_in_(guard.memory()),
      several_(guard.memory()) {
    try {
        Factoring(rules, weights, guard, *this).run();
    } catch (const std::bad_alloc&) {
        clear();
        Factoring(rules, weights, guard, *this).add_all_as_they_are();
    }
    std::pmr::vector<std::pair<FactId, std::uint32_t>> pairs(guard.memory());
    for (std::uint32_t rule = 0; rule < size(); ++rule) {
        for (const FactId fact : conditions(rule)) pairs.emplace_back(fact, rule);
        guard.poll(1 + conditions(rule).size());
    }
    with_condition_ = Csr<std::uint32_t>::from_pairs(num_facts(), pairs, guard.memory());
    pairs.clear();
    for (std::uint32_t i = 0; i < union_facts_.num_rows(); ++i) {
        for (const FactId fact : union_facts_[i]) pairs.emplace_back(fact, static_cast<FactId>(num_facts_ + i));
        guard.poll(1 + union_facts_[i].size());
    }
    unions_of_ = Csr<FactId>::from_pairs(num_facts(), pairs, guard.memory());
}

void FactoredRules::clear() {
    for (Csr<FactId>* lists : {&conditions_, &added_, &union_facts_}) lists->clear();
    several_.clear();
    for (std::pmr::vector<std::uint32_t>* numbers : {&nodes_, &differing_in_}) numbers->clear();
    weights_.clear();
}

RuleId FactoredRules::origin(std::uint32_t rule, std::span<const FactId> reached_by) const {
    Node node = nodes_[rule];
    while (node >= num_originals_) {
        const auto all = several_[node - num_originals_];
        const FactId fact = reached_by[differing_in_[node - num_originals_]];
        node = std::ranges::lower_bound(all, fact, {}, &std::pair<FactId, Node>::first)->second;
    }
    return node;
}

}  // namespace sing
