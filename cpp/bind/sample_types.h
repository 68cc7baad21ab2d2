// Samples as Python sees them.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "common.h"
#include "samples/completion.h"
#include "samples/first_equals.h"
#include "samples/lower_labels.h"
#include "samples/samples.h"
#include "task/fact_index.h"
#include "training/make_dataset.h"
#include "training/relabel.h"

namespace sing {

class PySamples {
public:
    using Selection = Array<std::uint32_t, 1>;

    explicit PySamples(const Task& task) : packer_(sample_packer(task)), fact_id_(task) {
        for (std::size_t i = 0; i < task.variables.size(); ++i) {
            for (Value value = 0; value < task.variables[i].domain_size(); ++value) {
                const Fact fact{static_cast<std::int32_t>(i), value};
                atom_of_fact_.push_back(task.is_atom(fact) ? num_atoms_++ : NO_ATOM);
                if (!task.is_atom(fact)) negations_.push_back(fact);
            }
        }
    }

    // Other samples of the same task.
    PySamples(const PySamples& other, Samples&& own)
        : samples(std::move(own)),
          packer_(other.packer_),
          fact_id_(other.fact_id_),
          atom_of_fact_(other.atom_of_fact_),
          negations_(other.negations_),
          num_atoms_(other.num_atoms_) {}

    Samples samples;
    SamplingStatus status = SamplingStatus::COMPLETE;

    // Copies of these samples, without parents.
    std::unique_ptr<PySamples> chosen(const Selection& selection) const {
        for (std::size_t row = 0; row < selection.size(); ++row) check(selection(row));
        return std::make_unique<PySamples>(*this,
                                           samples.chosen({selection.data(), selection.size()}, packer_.num_words()));
    }

    // Adds those of the same task.
    void append(const PySamples& other) {
        nb::gil_scoped_release released;
        samples.append(other.samples);
    }

    // One bit per atom, lowest bit first, [count, ⌈num_atoms / 8⌉]; negated and undefined values have none.
    nb::ndarray<nb::numpy, std::uint8_t> bits(const Selection& selection, PyGuard* guard) const {
        const std::size_t num_bytes = (num_atoms_ + 7) / 8;
        PyGuard::of(guard).take(selection.size() * num_bytes);
        std::vector<std::uint8_t> bytes(selection.size() * num_bytes);
        for_each(selection, PyGuard::of(guard), [&](std::size_t row, std::size_t variable, Value value) {
            if (value == UNDEFINED) return;
            const std::uint32_t atom = atom_of_fact_[fact_id_(variable, value)];
            if (atom != NO_ATOM) bytes[row * num_bytes + atom / 8] |= static_cast<std::uint8_t>(1u << (atom % 8));
        });
        return to_numpy(std::move(bytes), {selection.size(), num_bytes});
    }

    // The value of each variable, -1 where it is undefined, [count, num_variables].
    nb::ndarray<nb::numpy, std::int32_t> values(const Selection& selection) const {
        std::vector<std::int32_t> values(selection.size() * packer_.num_variables());
        for_each(selection, Guard(), [&](std::size_t row, std::size_t variable, Value value) {
            values[row * packer_.num_variables() + variable] = value;
        });
        return to_numpy(std::move(values), {selection.size(), packer_.num_variables()});
    }

    // The input vectors of these samples with their labels.
    Dataset dataset(const Selection& selection, const Features& features, PyGuard* guard) const {
        return make_dataset(samples, packer_, {selection.data(), selection.size()}, features, PyGuard::of(guard));
    }

    // Better labels for these samples: one Bellman update of each.
    nb::ndarray<nb::numpy, float> relabel(const Selection& selection, const Array<float, 1>& labels, const Task& task,
                                          const Features& features, const Mlp& mlp, const Mlp* judge,
                                          std::size_t num_threads, double time_limit_s, std::size_t memory_limit_bytes,
                                          const std::function<bool(std::size_t)>& progress) const {
        if (labels.size() != selection.size()) throw std::invalid_argument("one label is needed for each sample");
        if (features.num_variables() != packer_.num_variables() || task.variables.size() != packer_.num_variables())
            throw std::invalid_argument("the features are those of another task");
        std::vector<float> result = to_vector<float, 1>(labels);
        std::vector<std::uint32_t> samples_chosen = to_vector<std::uint32_t, 1>(selection);
        for (std::uint32_t sample : samples_chosen) check(sample);
        {
            nb::gil_scoped_release released;
            const RelabelLimits limits{.time_s = time_limit_s, .memory_bytes = memory_limit_bytes};
            sing::relabel(task, features, mlp, judge, samples, packer_, samples_chosen, result, num_threads, limits,
                          with_signals<std::size_t>(progress));
        }
        return to_numpy(std::move(result));
    }

    // False where the time was too short for all.
    bool lower(const Task& task, bool by_equals, bool by_successors, std::size_t num_threads, double time_limit_s,
               std::size_t memory_limit_bytes, const std::function<bool()>& progress) {
        nb::gil_scoped_release released;
        return lower_labels(task, {.by_equals = by_equals, .by_successors = by_successors}, num_threads,
                            {.time_s = time_limit_s, .memory_bytes = memory_limit_bytes}, with_signals<>(progress),
                            samples);
    }
    // False where some samples were dropped because the time was too short.
    bool complete(const Task& task, Completion completion, std::uint64_t seed, std::size_t num_threads,
                  double time_limit_s, std::size_t memory_limit_bytes, const std::function<bool()>& progress) {
        nb::gil_scoped_release released;
        return !complete_samples(task, completion, seed, num_threads,
                                 {.time_s = time_limit_s, .memory_bytes = memory_limit_bytes}, with_signals<>(progress),
                                 samples);
    }
    void append_random(const Task& task, std::size_t count, std::uint32_t label, std::uint64_t seed, PyGuard* guard) {
        append_random_states(task, count, label, seed, PyGuard::of(guard), samples);
    }

    nb::ndarray<nb::numpy, std::uint32_t> labels() const { return to_numpy(std::vector(samples.labels)); }
    nb::ndarray<nb::numpy, std::uint32_t> parents() const { return to_numpy(std::vector(samples.parents)); }
    nb::ndarray<nb::numpy, std::uint32_t> operators() const { return to_numpy(to_python(samples.operators)); }
    // For each sample the first one with the same atoms: a negated value is as good as none.
    nb::ndarray<nb::numpy, std::uint32_t> firsts(PyGuard* guard) const {
        auto drop_negations = [&](std::span<StatePacker::Word> words) {
            for (const Fact& fact : negations_) {
                const StatePacker::Field& field = packer_.field(fact.variable);
                const StatePacker::Word value = (words[field.word] >> field.shift) & field.mask;
                if (value == static_cast<StatePacker::Word>(fact.value + 1))
                    packer_.set(words, static_cast<std::size_t>(fact.variable), 0);
            }
        };
        return to_numpy(first_equals(samples, packer_.num_words(), drop_negations, PyGuard::of(guard)));
    }

private:
    static constexpr std::uint32_t NO_ATOM = 0xFFFF'FFFFu;

    void check(std::uint32_t sample) const {
        if (sample >= samples.size()) throw std::out_of_range("there is no such sample");
    }

    template <typename Visit>
    void for_each(const Selection& selection, const Guard& guard, Visit visit) const {
        std::vector<Value> state(packer_.num_variables());
        for (std::size_t row = 0; row < selection.size(); ++row) {
            const std::uint32_t sample = selection(row);
            check(sample);
            samples.unpack(sample, packer_, state);
            for (std::size_t variable = 0; variable < state.size(); ++variable) visit(row, variable, state[variable]);
            guard.poll(state.size());
        }
    }

    StatePacker packer_;
    FactIndex fact_id_;
    std::vector<std::uint32_t> atom_of_fact_;  // NO_ATOM for negations
    std::vector<Fact> negations_;
    std::uint32_t num_atoms_ = 0;
};

}  // namespace sing
