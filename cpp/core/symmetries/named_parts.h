// A task by the names of its facts and operators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "base/rng.h"
#include "task/fact_index.h"
#include "task/task.h"

namespace sing {

using Word = std::uint32_t;  // by number, in the order they were met

// Words of names; each is kept once, as a view of text that must live as long.
class Vocabulary {
public:
    explicit Vocabulary(const Guard& guard) : numbers_(guard.memory()), words_(guard.memory()) {}

    Word operator()(std::string_view text) {
        const auto [entry, is_new] = numbers_.try_emplace(text, static_cast<Word>(words_.size()));
        if (is_new) words_.push_back(text);
        return entry->second;
    }
    std::string_view text(Word word) const { return words_[word]; }
    std::size_t size() const { return words_.size(); }

    // "Atom at(ball1, rooma)" and "NegatedAtom at(ball1, rooma)" as "Atom at", "ball1", "rooma"; anything else is no
    // name of a fact and has no words.
    void read_fact(std::string_view name, std::vector<Word>& row) {
        row.clear();
        const std::size_t open = name.find('(');
        if (open == std::string_view::npos || !name.ends_with(')')) return;
        if (!name.starts_with("Atom ") && !name.starts_with("NegatedAtom ")) return;
        row.push_back((*this)(name.substr(0, open)));
        split(name.substr(open + 1, name.size() - open - 2), ", ", row);
    }
    // "pick ball1 rooma left"
    void read_operator(std::string_view name, std::vector<Word>& row) {
        row.clear();
        split(name, " ", row);
    }

private:
    void split(std::string_view text, std::string_view between, std::vector<Word>& row) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find(between), text.size());
            row.push_back((*this)(text.substr(0, end)));
            text.remove_prefix(std::min(end + between.size(), text.size()));
        }
    }

    std::pmr::unordered_map<std::string_view, Word> numbers_;
    std::pmr::vector<std::string_view> words_;
};

// Names as rows of words: first the predicate or action, then objects. Parts without a name have empty rows.
class Names {
public:
    static constexpr std::uint32_t NOBODY = static_cast<std::uint32_t>(-1);

    explicit Names(const Guard& guard) : rows_(guard.memory()), by_hash_(guard.memory()) {}

    void add(std::span<const Word> words) {
        const auto number = static_cast<std::uint32_t>(rows_.num_rows());
        rows_.push_row(words);
        if (words.empty()) return;
        const auto [entry, is_new] = by_hash_.try_emplace(hash(words, NOBODY), number);
        if (!is_new) entry->second = NOBODY;  // two of one name: neither can be told by it
    }
    std::span<const Word> operator[](std::size_t number) const { return rows_[number]; }
    std::span<const Word> objects(std::size_t number) const {
        return rows_[number].empty() ? rows_[number] : rows_[number].subspan(1);
    }
    std::size_t size() const { return rows_.num_rows(); }

    // The part whose name differs from another's in that two objects have changed places.
    std::optional<std::uint32_t> swapped(std::size_t number, Word a, Word b) {
        const std::span<const Word> words = rows_[number];
        scratch_.assign(words.begin(), words.end());
        for (Word& word : std::span(scratch_).subspan(1)) word = word == a ? b : word == b ? a : word;
        const auto found = by_hash_.find(hash(scratch_, NOBODY));
        if (found == by_hash_.end() || found->second == NOBODY) return std::nullopt;
        if (!std::ranges::equal(rows_[found->second], scratch_)) return std::nullopt;
        return found->second;
    }

    // A random number for the words, without saying which object stands where `object` does.
    static std::uint64_t hash(std::span<const Word> words, Word object) {
        std::uint64_t sum = words.size();
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::uint64_t word = i > 0 && words[i] == object ? NOBODY : words[i];
            sum = Rng(sum ^ (word << 8)).next();
        }
        return sum;
    }

private:
    Csr<Word> rows_;
    std::pmr::unordered_map<std::uint64_t, std::uint32_t> by_hash_;
    std::vector<Word> scratch_;
};

// What is read of a task by names.
struct NamedTask {
    NamedTask(const Task& task, const Guard& guard)
        : fact_id(task),
          words(guard),
          facts(guard),
          operators(guard),
          facts_of(guard.memory()),
          operators_of(guard.memory()),
          variable_of(guard.memory()),
          is_goal(fact_id.num_facts(), 0, guard.memory()) {
        for (const Fact& fact : task.goal) is_goal[fact_id(fact)] = 1;
    }

    bool names(FactId fact, Word object) const {
        return std::ranges::find(facts.objects(fact), object) != facts.objects(fact).end();
    }

    FactIndex fact_id;
    Vocabulary words;
    std::size_t num_fact_words = 0;  // words of facts come first
    Names facts, operators;
    Csr<FactId> facts_of;                        // by object
    Csr<std::uint32_t> operators_of;             // by object
    std::pmr::vector<std::int32_t> variable_of;  // by fact
    std::pmr::vector<char> is_goal;              // by fact
};

// How much may be done, as the guard and a limit on work say.
class WorkLimit {
public:
    struct Reached : std::exception {
        const char* what() const noexcept override { return "the limit on work is reached"; }
    };

    WorkLimit(std::size_t max_work, const Guard& guard) : guard_(guard), left_(max_work) {}

    // Throws Reached at the limit.
    void spend(std::size_t work) {
        guard_.poll(work);
        if (work > left_) throw Reached();
        left_ -= work;
    }

private:
    const Guard& guard_;
    std::size_t left_;
};

}  // namespace sing
