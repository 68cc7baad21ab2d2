#include "search/novelty.h"

namespace sing {

Novelty::Novelty(const Task& task, MemoryMeter& meter)
    : fact_id_(task), num_words_((fact_id_.num_facts() + 63) / 64), meter_(meter) {}

Novelty::~Novelty() { meter_.give_back(seen_.size() * num_words_ * sizeof(std::uint64_t)); }

// Null where the memory limit leaves no room for a new class.
Novelty::Bits* Novelty::facts_of(Class cls) {
    const std::uint64_t key = (std::uint64_t{static_cast<std::uint32_t>(cls.estimate)} << 32) |
                              static_cast<std::uint32_t>(cls.num_open_goals);
    if (const auto found = seen_.find(key); found != seen_.end()) return &found->second;
    if (!meter_.try_take(num_words_ * sizeof(std::uint64_t))) return nullptr;
    return &seen_.emplace(key, Bits(num_words_)).first->second;
}

bool Novelty::add(Bits& bits, std::size_t variable, Value value) const {
    const FactId fact = fact_id_(variable, value);
    const std::uint64_t bit = std::uint64_t{1} << (fact % 64);
    const bool is_new = (bits[fact / 64] & bit) == 0;
    bits[fact / 64] |= bit;
    return is_new;
}

Novelty::Verdict Novelty::record(std::span<const Value> state, Class cls) {
    Bits* bits = facts_of(cls);
    if (!bits) return Verdict::FULL;
    bool novel = false;
    for (std::size_t variable = 0; variable < state.size(); ++variable) novel |= add(*bits, variable, state[variable]);
    return novel ? Verdict::NOVEL : Verdict::SEEN;
}

Novelty::Verdict Novelty::record_effects(std::span<const Fact> effects, Class cls) {
    Bits* bits = facts_of(cls);
    if (!bits) return Verdict::FULL;
    bool novel = false;
    for (const Fact& fact : effects) novel |= add(*bits, static_cast<std::size_t>(fact.variable), fact.value);
    return novel ? Verdict::NOVEL : Verdict::SEEN;
}

}  // namespace sing
