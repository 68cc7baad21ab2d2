// Hashes of states that do not say which of interchangeable objects is which.
#pragma once

#include <cstdint>
#include <ranges>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/guard.h"
#include "base/rng.h"
#include "symmetries/interchangeable_objects.h"
#include "task/fact_index.h"
#include "task/task.h"

namespace sing {

// Two states have the same hash where interchangeable objects can be permuted so that one becomes the other; otherwise
// with a chance of about one in 2^64. The task may have more variables than the one whose objects these are, such as
// landmarks that have held: of these counts alone how many have another value than 0.
//
// The hash of an object is the sum of the keys of its facts; that of a state mixes these, and adds up all in no order.
class OrbitHash {
public:
    OrbitHash(const InterchangeableObjects& objects, const Task& task, const Guard& guard)
        : objects_(objects), fact_id_(task), num_shared_facts_(objects.key_of.size()), sums_(guard.memory()) {
        if (num_shared_facts_ > fact_id_.num_facts())
            throw std::invalid_argument("the interchangeable objects are those of another task");
        sums_.resize(objects.num_objects());
    }

    std::uint64_t operator()(std::span<const Value> state) {
        set_parent(state);
        return total_;
    }

    // The state that successors are told from; it must live as long as they are asked for.
    void set_parent(std::span<const Value> state) {
        parent_ = state;
        std::uint64_t rest = 0;
        for (std::size_t object = 0; object < sums_.size(); ++object) sums_[object] = seed_of(object);
        for (std::size_t variable = 0; variable < state.size(); ++variable) {
            const FactId fact = fact_id_(variable, state[variable]);
            const std::uint32_t object = object_of(fact);
            (object == InterchangeableObjects::NONE ? rest : sums_[object]) += key_of(fact, state[variable]);
        }
        total_ = rest;
        for (std::uint64_t sum : sums_) total_ += mixed(sum);
    }

    // Of the successor with these changes, at most one for each variable.
    std::uint64_t after(std::span<const Fact> changes) {
        std::uint64_t total = total_;
        touched_.clear();
        for (const Fact& change : changes) {
            const auto variable = static_cast<std::size_t>(change.variable);
            if (parent_[variable] == change.value) continue;
            const FactId before = fact_id_(variable, parent_[variable]), now = fact_id_(variable, change.value);
            add(object_of(before), std::uint64_t{0} - key_of(before, parent_[variable]), total);
            add(object_of(now), key_of(now, change.value), total);
        }
        for (const auto& [object, sum] : std::views::reverse(touched_)) sums_[object] = sum;
        return total;
    }

private:
    struct Touched {
        std::uint32_t object;
        std::uint64_t sum;  // before
    };

    static std::uint64_t mixed(std::uint64_t sum) { return Rng(sum).next(); }
    std::uint64_t seed_of(std::size_t object) const { return mixed(~std::uint64_t{objects_.class_of[object]}); }
    std::uint32_t object_of(FactId fact) const {
        return fact < num_shared_facts_ ? objects_.object_of[fact] : InterchangeableObjects::NONE;
    }
    std::uint64_t key_of(FactId fact, Value value) const {
        constexpr std::uint64_t key_of_others = 0xD1B54A32D192ED03ull;
        if (fact < num_shared_facts_) return objects_.key_of[fact];
        return value == 0 ? 0 : key_of_others;
    }

    void add(std::uint32_t object, std::uint64_t key, std::uint64_t& total) {
        if (object == InterchangeableObjects::NONE) {
            total += key;
            return;
        }
        std::uint64_t& sum = sums_[object];
        touched_.push_back({object, sum});
        total -= mixed(sum);
        sum += key;
        total += mixed(sum);
    }

    const InterchangeableObjects& objects_;
    FactIndex fact_id_;
    std::size_t num_shared_facts_;
    std::pmr::vector<std::uint64_t> sums_;  // by object
    std::vector<Touched> touched_;
    std::span<const Value> parent_;
    std::uint64_t total_ = 0;
};

}  // namespace sing
