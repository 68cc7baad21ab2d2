// How states become the inputs of a network. (A file named features.h would hide the system's.)
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "task/fact_index.h"
#include "task/task.h"

namespace sing {

// What one fact contributes: input number `input` grows by `coefficient`.
struct Feature {
    static constexpr std::uint32_t NONE = 0xFFFF'FFFFu;
    std::uint32_t input = NONE;
    float coefficient = 0;
};

// The input vector of a state is a constant and the sum of what its facts contribute. Two examples: in the boolean
// encoding each atom has an input of its own and contributes 1, negated values contribute nothing; in
// the SAS+ encoding every fact of variable v contributes its value to input v.
class Features {
public:
    // `constant` is what every state contributes, one number per input. One feature per fact, in the order
    // of FactIndex; one per variable for where it is undefined.
    // Throws std::invalid_argument for other numbers of them or inputs out of range.
    Features(const Task& task, std::vector<float> constant, std::vector<Feature> of_fact,
             std::vector<Feature> of_undefined)
        : fact_id_(task),
          num_variables_(task.variables.size()),
          constant_(std::move(constant)),
          of_fact_(std::move(of_fact)),
          of_undefined_(std::move(of_undefined)) {
        if (of_fact_.size() != fact_id_.num_facts() || of_undefined_.size() != num_variables_)
            throw std::invalid_argument("the features are those of another task");
        for (const auto* features : {&of_fact_, &of_undefined_})
            for (const Feature& feature : *features)
                if (feature.input != Feature::NONE && feature.input >= num_inputs())
                    throw std::invalid_argument("a feature has no input in this network");
    }

    // The boolean encoding: one input for each atom of the task, in order; undefined variables contribute nothing.
    static Features of_atoms(const Task& task) {
        std::vector<Feature> of_fact;
        std::uint32_t num_inputs = 0;
        for (std::size_t i = 0; i < task.variables.size(); ++i)
            for (Value value = 0; value < task.variables[i].domain_size(); ++value)
                of_fact.push_back(task.is_atom({static_cast<std::int32_t>(i), value}) ? Feature{num_inputs++, 1}
                                                                                      : Feature{});
        return {task, std::vector<float>(num_inputs), std::move(of_fact), std::vector<Feature>(task.variables.size())};
    }

    std::size_t num_inputs() const { return constant_.size(); }
    std::span<const float> constant() const { return constant_; }
    std::size_t num_variables() const { return num_variables_; }
    const Feature& of(FactId fact) const { return of_fact_[fact]; }
    const Feature& of(std::size_t variable, Value value) const {
        return value == UNDEFINED ? of_undefined_[variable] : of_fact_[fact_id_(variable, value)];
    }
    // Adds what the facts of a state contribute to its input vector.
    void add_inputs(std::span<const Value> state, std::span<float> inputs) const {
        for (std::size_t variable = 0; variable < num_variables_; ++variable) {
            const Feature& feature = of(variable, state[variable]);
            if (feature.input != Feature::NONE) inputs[feature.input] += feature.coefficient;
        }
    }
    // Whether every feature contributes 1, so that inputs are bits.
    bool is_binary() const {
        for (const auto* features : {&of_fact_, &of_undefined_})
            for (const Feature& feature : *features)
                if (feature.input != Feature::NONE && feature.coefficient != 1) return false;
        return true;
    }

private:
    FactIndex fact_id_;
    std::size_t num_variables_;
    std::vector<float> constant_;
    std::vector<Feature> of_fact_;
    std::vector<Feature> of_undefined_;
};

}  // namespace sing
