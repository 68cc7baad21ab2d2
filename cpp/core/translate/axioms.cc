#include "translate/axioms.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/csr.h"
#include "translate/components.h"

namespace sing::translate {
namespace {

using AxiomPosition = std::uint32_t;

// The axioms of one atom without those that hold only where another one does.
std::vector<GroundAxiom> without_dominated(std::vector<GroundAxiom> axioms, const Guard& guard) {
    std::unordered_map<std::uint32_t, std::vector<AxiomPosition>> having;  // by code of a literal
    std::vector<char> is_superfluous(axioms.size(), 0);
    for (AxiomPosition i = 0; i < axioms.size(); ++i) {
        std::vector<Literal>& conditions = axioms[i].conditions;
        std::ranges::sort(conditions);
        conditions.erase(std::unique(conditions.begin(), conditions.end()), conditions.end());
        is_superfluous[i] = std::ranges::binary_search(conditions, Literal::of(axioms[i].atom, false));
        if (is_superfluous[i]) continue;
        for (Literal literal : conditions) having[literal.code].push_back(i);
    }
    for (AxiomPosition i = 0; i < axioms.size(); ++i) {
        if (is_superfluous[i]) continue;
        const std::vector<Literal>& conditions = axioms[i].conditions;
        if (conditions.empty()) return {axioms[i]};
        const auto rarest =
            std::ranges::min_element(conditions, {}, [&](Literal literal) { return having[literal.code].size(); });
        for (AxiomPosition other : having[rarest->code]) {
            guard.poll(1);
            if (other != i && !is_superfluous[other] && std::ranges::includes(axioms[other].conditions, conditions))
                is_superfluous[other] = 1;
        }
    }
    std::vector<GroundAxiom> kept;
    for (AxiomPosition i = 0; i < axioms.size(); ++i)
        if (!is_superfluous[i]) kept.push_back(std::move(axioms[i]));
    return kept;
}

}  // namespace

LayeredAxioms arrange_axioms(std::vector<GroundAxiom> axioms, std::vector<char> is_needed, const Guard& guard) {
    const std::size_t num_atoms = is_needed.size();
    LayeredAxioms result{{}, std::vector<std::int32_t>(num_atoms, -1)};
    std::pmr::vector<std::pair<std::uint32_t, AxiomPosition>> pairs(guard.memory());
    for (AxiomPosition i = 0; i < axioms.size(); ++i) pairs.emplace_back(axioms[i].atom, i);
    const auto axioms_of = Csr<AxiomPosition>::from_pairs(num_atoms, pairs, guard.memory());
    auto is_derived = [&](AtomId atom) { return !axioms_of[atom].empty(); };

    std::vector<AtomId> needed;
    for (AtomId atom = 0; atom < num_atoms; ++atom)
        if (is_needed[atom] && is_derived(atom)) needed.push_back(atom);
    for (std::size_t i = 0; i < needed.size(); ++i)
        for (AxiomPosition axiom : axioms_of[needed[i]])
            for (Literal literal : axioms[axiom].conditions) {
                guard.poll(1);
                if (is_derived(literal.atom()) && !std::exchange(is_needed[literal.atom()], 1))
                    needed.push_back(literal.atom());
            }
    std::ranges::sort(needed);

    // The needed atoms by their position; what each depends on.
    std::vector<std::uint32_t> position(num_atoms, 0);
    for (std::uint32_t i = 0; i < needed.size(); ++i) position[needed[i]] = i;
    Csr<std::uint32_t> dependencies(guard.memory());
    for (AtomId atom : needed) {
        for (AxiomPosition axiom : axioms_of[atom])
            for (Literal literal : axioms[axiom].conditions)
                if (is_derived(literal.atom())) dependencies.push(position[literal.atom()]);
        dependencies.close_row();
    }
    const auto components = strongly_connected_components(dependencies, guard);
    std::vector<std::uint32_t> component_of(needed.size());
    for (std::uint32_t i = 0; i < components.size(); ++i)
        for (std::uint32_t member : components[i]) component_of[member] = i;

    // What an atom depends on stands in later components.
    for (std::size_t i = components.size(); i-- > 0;) {
        std::int32_t layer = 0;
        for (std::uint32_t member : components[i])
            for (AxiomPosition axiom : axioms_of[needed[member]])
                for (Literal literal : axioms[axiom].conditions) {
                    guard.poll(1);
                    const AtomId other = literal.atom();
                    if (!is_derived(other)) continue;
                    if (component_of[position[other]] != i)
                        layer = std::max(layer, result.layer[other] + (literal.is_negated() ? 1 : 0));
                    else if (literal.is_negated())
                        throw std::domain_error(
                            "the derived predicates cannot be put into layers: one depends on its own negation");
                }
        for (std::uint32_t member : components[i]) result.layer[needed[member]] = layer;
    }
    for (AtomId atom : needed) {
        std::vector<GroundAxiom> own;
        for (AxiomPosition axiom : axioms_of[atom]) own.push_back(std::move(axioms[axiom]));
        std::vector<GroundAxiom> kept = without_dominated(std::move(own), guard);
        std::ranges::move(kept, std::back_inserter(result.axioms));
    }
    return result;
}

}  // namespace sing::translate
