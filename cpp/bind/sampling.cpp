// Backward search and its samples for Python.

#include <algorithm>

#include "common.h"
#include "samples/completion.h"
#include "samples/first_equals.h"
#include "samples/lower_labels.h"
#include "samples/sampler.h"
#include "task/fact_index.h"
#include "training/make_dataset.h"
#include "training/relabel.h"

namespace sing {
namespace {

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

    Samples samples;
    SamplingStatus status = SamplingStatus::COMPLETE;

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
                                          const Features& features, const Mlp& mlp, std::size_t num_threads,
                                          double time_limit_s, std::size_t memory_limit_bytes,
                                          const std::function<bool(std::size_t)>& progress) const {
        if (labels.size() != selection.size()) throw std::invalid_argument("one label is needed for each sample");
        if (features.num_variables() != packer_.num_variables() || task.variables.size() != packer_.num_variables())
            throw std::invalid_argument("the features are those of another task");
        std::vector<float> result = to_vector<float, 1>(labels);
        std::vector<std::uint32_t> samples_chosen = to_vector<std::uint32_t, 1>(selection);
        if (std::ranges::any_of(samples_chosen, [&](std::uint32_t sample) { return sample >= samples.size(); }))
            throw std::out_of_range("there is no such sample");
        {
            nb::gil_scoped_release released;
            const RelabelLimits limits{.time_s = time_limit_s, .memory_bytes = memory_limit_bytes};
            sing::relabel(task, features, mlp, samples, packer_, samples_chosen, result, num_threads, limits,
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

    template <typename Visit>
    void for_each(const Selection& selection, const Guard& guard, Visit visit) const {
        std::vector<Value> state(packer_.num_variables());
        for (std::size_t row = 0; row < selection.size(); ++row) {
            const std::uint32_t sample = selection(row);
            if (sample >= samples.size()) throw std::out_of_range("there is no such sample");
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

class PySampler {
public:
    PySampler(const Task& task, const std::string& space, Strategy strategy, Collection collection,
              std::uint32_t num_searches, std::uint32_t num_samples, std::uint32_t num_breadth_first,
              std::uint32_t max_depth, bool consistent_starts, std::uint64_t seed, PyGuard* guard)
        : task_(task),
          sampler_(task,
                   {.space = space,
                    .strategy = strategy,
                    .collection = collection,
                    .num_searches = num_searches,
                    .num_samples = num_samples,
                    .num_breadth_first = num_breadth_first,
                    .max_depth = max_depth,
                    .consistent_starts = consistent_starts,
                    .seed = seed},
                   PyGuard::of(guard)) {}

    std::size_t bytes_per_sample() const {
        return sampler_.packer().num_words() * sizeof(StatePacker::Word) + Samples::LINK_BYTES;
    }

    std::unique_ptr<PySamples> run(std::size_t num_threads, double time_limit_s, std::size_t memory_limit_bytes,
                                   const std::function<bool(std::size_t)>& progress) const {
        auto result = std::make_unique<PySamples>(task_);
        nb::gil_scoped_release released;
        const SamplingLimits limits{.time_s = time_limit_s, .memory_bytes = memory_limit_bytes};
        result->status = sampler_.run(num_threads, limits, with_signals<std::size_t>(progress), result->samples);
        return result;
    }

private:
    const Task& task_;
    Sampler sampler_;
};

}  // namespace

void bind_sampling(nb::module_& m) {
    nb::enum_<Strategy>(m, "Strategy")
        .value("DFS", Strategy::DFS)
        .value("RANDOM_WALK", Strategy::RANDOM_WALK)
        .value("BFS_WALKS", Strategy::BFS_WALKS);
    nb::enum_<Collection>(m, "Collection")
        .value("GENERATED", Collection::GENERATED)
        .value("EXPANDED", Collection::EXPANDED);
    nb::enum_<Completion>(m, "Completion")
        .value("NONE", Completion::NONE)
        .value("RANDOM", Completion::RANDOM)
        .value("WALK", Completion::WALK);
    nb::enum_<SamplingStatus>(m, "SamplingStatus")
        .value("COMPLETE", SamplingStatus::COMPLETE)
        .value("OUT_OF_TIME", SamplingStatus::OUT_OF_TIME)
        .value("OUT_OF_MEMORY", SamplingStatus::OUT_OF_MEMORY)
        .value("INTERRUPTED", SamplingStatus::INTERRUPTED);

    nb::class_<SamplerStatistics>(m, "SamplerStatistics")
        .def_ro("num_searches", &SamplerStatistics::num_searches)
        .def_ro("num_without_start", &SamplerStatistics::num_without_start)
        .def_ro("num_redraws", &SamplerStatistics::num_redraws)
        .def_ro("num_dead_ends", &SamplerStatistics::num_dead_ends)
        .def_ro("num_steps", &SamplerStatistics::num_steps)
        .def_ro("num_inexact", &SamplerStatistics::num_inexact)
        .def_ro("num_incomplete", &SamplerStatistics::num_incomplete);

    nb::class_<PySamples>(m, "Samples")
        .def("__len__", [](const PySamples& self) { return self.samples.size(); })
        .def_ro("status", &PySamples::status)
        .def_prop_ro("statistics", [](const PySamples& self) { return self.samples.statistics; })
        .def_prop_ro("memory_bytes", [](const PySamples& self) { return self.samples.memory_bytes(); })
        .def_prop_ro("labels", &PySamples::labels, nb::rv_policy::automatic)
        .def_prop_ro("parents", &PySamples::parents, nb::rv_policy::automatic)
        .def_prop_ro("operators", &PySamples::operators, nb::rv_policy::automatic)
        .def("firsts", &PySamples::firsts, "guard"_a = nb::none())
        .def("bits", &PySamples::bits, "selection"_a, "guard"_a = nb::none())
        .def("values", &PySamples::values, "selection"_a)
        .def("dataset", &PySamples::dataset, "selection"_a, "features"_a, "guard"_a = nb::none())
        .def("lower", &PySamples::lower, "task"_a, nb::kw_only(), "by_equals"_a, "by_successors"_a, "num_threads"_a,
             "time_limit_s"_a, "memory_limit_bytes"_a, "progress"_a)
        .def("complete", &PySamples::complete, "task"_a, "completion"_a, nb::kw_only(), "seed"_a, "num_threads"_a,
             "time_limit_s"_a, "memory_limit_bytes"_a, "progress"_a)
        .def("append_random", &PySamples::append_random, "task"_a, "count"_a, nb::kw_only(), "label"_a, "seed"_a,
             "guard"_a = nb::none(), nb::call_guard<nb::gil_scoped_release>())
        .def("relabel", &PySamples::relabel, "selection"_a, nb::kw_only(), "labels"_a, "task"_a, "features"_a, "mlp"_a,
             "num_threads"_a, "time_limit_s"_a, "memory_limit_bytes"_a, "progress"_a);

    nb::class_<PySampler>(m, "Sampler")
        .def(nb::init<const Task&, const std::string&, Strategy, Collection, std::uint32_t, std::uint32_t,
                      std::uint32_t, std::uint32_t, bool, std::uint64_t, PyGuard*>(),
             "task"_a, nb::kw_only(), "space"_a, "strategy"_a, "collection"_a, "num_searches"_a, "num_samples"_a,
             "num_breadth_first"_a, "max_depth"_a, "consistent_starts"_a, "seed"_a, "guard"_a = nb::none(),
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 12>(), nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("bytes_per_sample", &PySampler::bytes_per_sample)
        .def("run", &PySampler::run, nb::kw_only(), "num_threads"_a, "time_limit_s"_a, "memory_limit_bytes"_a,
             "progress"_a);
}

}  // namespace sing
