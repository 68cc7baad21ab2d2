#include "symmetries/exchange.h"

#include <algorithm>
#include <numeric>

namespace sing {

Exchange::Exchange(const Task& task, NamedTask& named, WorkLimit& limit, const Guard& guard)
    : task_(task), named_(named), limit_(limit), image_(named.facts.size(), 0, guard.memory()) {
    std::iota(image_.begin(), image_.end(), FactId{0});
}

bool Exchange::keeps_task(Word a, Word b) {
    moved_.clear();
    const bool can = move_facts(a, b) && keeps_variables(a, b) && keeps_operators(a, b);
    for (FactId fact : moved_) image_[fact] = fact;
    return can;
}

bool Exchange::move_facts(Word a, Word b) {
    variables_.clear();
    for (Word object : {a, b}) {
        for (FactId fact : named_.facts_of[object]) {
            const std::optional<std::uint32_t> other = named_.facts.swapped(fact, a, b);
            if (!other || named_.is_goal[fact] != named_.is_goal[*other]) return false;
            move(fact, *other);
            const auto [entry, is_new] = variables_.try_emplace(named_.variable_of[fact], named_.variable_of[*other]);
            if (entry->second != named_.variable_of[*other]) return false;
            limit_.spend(4 + named_.facts[fact].size());
        }
    }
    return true;
}

void Exchange::move(FactId fact, FactId other) {
    image_[fact] = other;
    moved_.push_back(fact);
}

// Whether variables become variables.
bool Exchange::keeps_variables(Word a, Word b) {
    for (const auto& [variable, other] : variables_) {
        const auto back = variables_.find(other);
        if (back == variables_.end() || back->second != variable) return false;
        if (variable != other && !becomes(variable, other, a, b)) return false;
    }
    return true;
}

// Whether one variable becomes another, value for value: all named values of one name a, and all of the other one
// b, or the other way round. Their names were compared already; a value without one is moved here.
bool Exchange::becomes(std::int32_t variable, std::int32_t other, Word a, Word b) {
    const Value size = task_.variables[static_cast<std::size_t>(variable)].domain_size();
    if (task_.variables[static_cast<std::size_t>(other)].domain_size() != size) return false;
    limit_.spend(static_cast<std::size_t>(size));
    Value num_named = 0, num_a = 0, num_b = 0;
    for (Value value = 0; value < size; ++value) {
        const FactId fact = named_.fact_id({variable, value});
        num_named += !named_.facts[fact].empty();
        num_a += named_.names(fact, a);
        num_b += named_.names(fact, b);
    }
    if (std::max(num_a, num_b) != num_named || std::min(num_a, num_b) != 0) return false;
    if (num_named == size) return true;
    const FactId unnamed = unnamed_value(variable), image = unnamed_value(other);
    move(unnamed, image);
    return num_named + 1 == size && named_.facts[image].empty() && named_.is_goal[unnamed] == named_.is_goal[image];
}

// The first one; the last value where all have names.
FactId Exchange::unnamed_value(std::int32_t variable) const {
    const Value last = task_.variables[static_cast<std::size_t>(variable)].domain_size() - 1;
    for (Value value = 0; value < last; ++value)
        if (const FactId fact = named_.fact_id({variable, value}); named_.facts[fact].empty()) return fact;
    return named_.fact_id({variable, last});
}

bool Exchange::keeps_operators(Word a, Word b) {
    for (Word object : {a, b}) {
        for (std::uint32_t op : named_.operators_of[object]) {
            limit_.spend(named_.operators[op].size());
            const std::optional<std::uint32_t> other = named_.operators.swapped(op, a, b);
            if (!other || !becomes(task_.operators[op], task_.operators[*other])) return false;
        }
    }
    return true;
}

// Whether an operator with its facts exchanged is another one.
bool Exchange::becomes(const Operator& op, const Operator& other) {
    if (op.cost != other.cost || op.preconditions.size() != other.preconditions.size() ||
        op.effects.size() != other.effects.size())
        return false;
    limit_.spend(4 + 4 * (op.preconditions.size() + op.effects.size()));
    images_.clear(), others_.clear();
    for (const Fact& fact : op.preconditions) images_.push_back(image_[named_.fact_id(fact)]);
    for (const Fact& fact : other.preconditions) others_.push_back(named_.fact_id(fact));
    if (!equal_as_sets()) return false;
    images_.clear(), others_.clear();
    for (const Effect& effect : op.effects) images_.push_back(image_[named_.fact_id(effect.fact)]);
    for (const Effect& effect : other.effects) others_.push_back(named_.fact_id(effect.fact));
    return equal_as_sets() && !sets_a_variable_twice();
}

bool Exchange::equal_as_sets() {
    std::ranges::sort(images_);
    std::ranges::sort(others_);
    return images_ == others_;
}

// Then the order of its effects would matter. Images are sorted.
bool Exchange::sets_a_variable_twice() const {
    const auto same = std::ranges::adjacent_find(images_, {}, [this](FactId fact) { return named_.variable_of[fact]; });
    return same != images_.end();
}

}  // namespace sing
