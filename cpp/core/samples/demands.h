// What a partial state must hold so that conditions hold in every full state that agrees with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "base/rng.h"
#include "samples/backward_space.h"
#include "states/partial_state.h"
#include "task/strata.h"
#include "task/task.h"

namespace sing {

// The axioms of a task, arranged for demands.
struct AxiomTable {
    AxiomTable(const Task& task, const Guard& guard);

    const Task& task;
    Csr<std::uint32_t> axioms_of;  // by variable: those that set it
    std::vector<Stratum> strata;   // by variable
};

// Facts to be required and conjunctions to be denied, met one after the other by ordinary facts that are added to a
// partial state, with random choices. A derivation must not rest on itself, so that a derived fact in a cycle is never
// derived from its own ancestors. Denials may rest on each other: facts that need each other do not hold where nothing
// else supports them.
class Demands {
public:
    Demands(const AxiomTable& table, PartialState& state, Rng& rng, std::vector<Change>& changes)
        : table_(table), state_(state), rng_(rng), changes_(changes) {}

    void require(std::span<const Fact> facts) {
        for (const Fact& fact : facts) items_.push_back({fact, NONE});
    }
    // At least one of them must not hold.
    void deny(std::span<const Fact> conjunction) { denied_.push_back(conjunction); }

    // Adds facts to the state, and appends to the changes. False where the choices contradict each other; what was
    // added by then stays.
    bool meet();

private:
    static constexpr std::uint32_t NONE = 0xFFFF'FFFFu;
    // So many derived facts are followed; beyond that the demands are given up.
    static constexpr std::size_t MAX_ITEMS = 2000;

    struct Item {
        Fact fact;
        std::uint32_t parent;  // the item that it is a condition for, or NONE
    };

    bool meet_item(std::uint32_t item);
    bool derive(std::uint32_t item);
    bool meet_denial(std::span<const Fact> conjunction);
    bool rests_on_itself(const Axiom& axiom, std::uint32_t item) const;
    bool put(Fact fact);
    const Variable& variable_of(Fact fact) const {
        return table_.task.variables[static_cast<std::size_t>(fact.variable)];
    }

    const AxiomTable& table_;
    PartialState& state_;
    Rng& rng_;
    std::vector<Change>& changes_;
    std::vector<Item> items_;
    std::vector<std::span<const Fact>> denied_;
    std::vector<std::int32_t> with_default_;  // derived variables whose axioms are denied
    std::vector<std::uint32_t> choices_;      // scratch
};

}  // namespace sing
