#include "task/strata.h"

#include <algorithm>
#include <memory_resource>
#include <span>
#include <utility>

#include "base/csr.h"

namespace sing {
namespace {

// Tarjan's algorithm, with a stack of its own: dependencies can be as deep as there are variables. Components come out
// with those that they depend on before them.
class StrataSearch {
public:
    StrataSearch(const Task& task, const Guard& guard) : places_(task.variables.size()), depends_on_(guard.memory()) {
        std::pmr::vector<std::pair<std::uint32_t, std::int32_t>> pairs(guard.memory());
        for (const Axiom& axiom : task.axioms) {
            for (const Fact& fact : axiom.conditions)
                if (task.is_derived(fact.variable))
                    pairs.emplace_back(static_cast<std::uint32_t>(axiom.fact.variable), fact.variable);
            guard.poll(1 + axiom.conditions.size());
        }
        depends_on_ = Csr<std::int32_t>::from_pairs(task.variables.size(), pairs, guard.memory());
    }

    void find(std::span<Stratum> strata, const Guard& guard) {
        for (std::int32_t root = 0; root < static_cast<std::int32_t>(places_.size()); ++root) {
            if (places_[static_cast<std::size_t>(root)].number != 0) continue;
            visit(root);
            while (!path_.empty()) {
                guard.poll(1);
                advance(strata);
            }
        }
    }

private:
    struct Place {
        std::uint32_t number = 0;  // in the order of visits, from 1; 0 before it
        std::uint32_t lowest = 0;  // that can be reached and is still open
        bool is_open = false;
    };
    struct Step {
        std::int32_t variable;
        std::size_t next;  // dependency to look at
    };

    void visit(std::int32_t variable) {
        places_[static_cast<std::size_t>(variable)] = {++num_visited_, num_visited_, true};
        open_.push_back(variable);
        path_.push_back({variable, 0});
    }

    void advance(std::span<Stratum> strata) {
        Step& step = path_.back();
        Place& place = places_[static_cast<std::size_t>(step.variable)];
        const std::span<const std::int32_t> dependencies = depends_on_[static_cast<std::size_t>(step.variable)];
        if (step.next < dependencies.size()) {
            const std::int32_t other = dependencies[step.next++];
            const Place& there = places_[static_cast<std::size_t>(other)];
            strata[static_cast<std::size_t>(step.variable)].is_in_cycle |= other == step.variable;
            if (there.number == 0)
                visit(other);
            else if (there.is_open)
                place.lowest = std::min(place.lowest, there.number);
            return;
        }
        if (place.lowest == place.number) close(step.variable, strata);
        const std::uint32_t lowest = place.lowest;
        path_.pop_back();
        if (path_.empty()) return;
        Place& before = places_[static_cast<std::size_t>(path_.back().variable)];
        before.lowest = std::min(before.lowest, lowest);
    }

    // The component is what is open from `first` on.
    void close(std::int32_t first, std::span<Stratum> strata) {
        const bool is_single = open_.back() == first;
        for (bool is_last = false; !is_last;) {
            const std::int32_t variable = open_.back();
            open_.pop_back();
            is_last = variable == first;
            places_[static_cast<std::size_t>(variable)].is_open = false;
            Stratum& member = strata[static_cast<std::size_t>(variable)];
            member.number = num_strata_;
            member.is_in_cycle |= !is_single;
        }
        ++num_strata_;
    }

    std::vector<Place> places_;  // by variable
    Csr<std::int32_t> depends_on_;
    std::vector<std::int32_t> open_;
    std::vector<Step> path_;
    std::uint32_t num_visited_ = 0, num_strata_ = 0;
};

}  // namespace

std::vector<Stratum> find_strata(const Task& task, const Guard& guard) {
    std::vector<Stratum> strata(task.variables.size());
    if (!task.axioms.empty()) StrataSearch(task, guard).find(strata, guard);
    return strata;
}

}  // namespace sing
