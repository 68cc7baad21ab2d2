// Packs the values of a state into as few 32-bit words as simple shifting allows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "task/task.h"

namespace sing {

// Each variable takes the bits its domain needs and never crosses a word. Example: the 25
// variables of the 24-puzzle have 25 values each, 5 bits; six fit a word, so a state takes
// 5 words. A domain of one value takes no bits, nor does a derived variable. Unused bits are always zero, so two packed
// states are equal exactly when their words are.
class StatePacker {
public:
    using Word = std::uint32_t;

    // Derived values are not kept; unpack() puts 0 in their place.
    explicit StatePacker(const Task& task);
    // For values below the given bounds, one bound (at least 1) per variable.
    explicit StatePacker(std::span<const Value> domain_sizes);

    std::size_t num_words() const { return num_words_; }
    std::size_t num_variables() const { return fields_.size(); }

    void pack(std::span<const Value> values, std::span<Word> words) const;
    void unpack(std::span<const Word> words, std::span<Value> values) const;
    void set(std::span<Word> words, std::size_t variable, Value value) const {
        const Field& field = fields_[variable];
        Word& word = words[field.word];
        word = (word & ~(field.mask << field.shift)) | (static_cast<Word>(value) << field.shift);
    }

    struct Field {
        std::uint32_t word;
        std::uint32_t shift;
        Word mask;  // before shifting; 0 for what takes no bits
    };
    const Field& field(std::int32_t variable) const { return fields_[static_cast<std::size_t>(variable)]; }

private:
    std::vector<Field> fields_;
    std::size_t num_words_ = 0;
};

}  // namespace sing
