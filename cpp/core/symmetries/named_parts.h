// The facts and operators of a task by the words of their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "base/rng.h"

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

private:
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
        if (is_new) return;
        entry->second = NOBODY;  // two of one name: neither can be told by it
        has_doubles_ = true;
    }
    std::span<const Word> operator[](std::size_t number) const { return rows_[number]; }
    std::span<const Word> objects(std::size_t number) const {
        return rows_[number].empty() ? rows_[number] : rows_[number].subspan(1);
    }
    std::size_t size() const { return rows_.num_rows(); }
    bool has_doubles() const { return has_doubles_; }

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
    bool has_doubles_ = false;
};

}  // namespace sing
