// Features, networks and training for Python.

#include <cmath>

#include "common.h"
#include "networks/kernels.h"
#include "networks/state_features.h"
#include "training/dataset.h"
#include "training/trainer.h"

namespace sing {
namespace {

using PyLayer = std::pair<nb::ndarray<nb::numpy, float>, nb::ndarray<nb::numpy, float>>;

std::vector<PyLayer> layers_to_python(const Mlp& mlp) {
    std::vector<PyLayer> layers;
    for (const DenseLayer& layer : mlp.layers)
        layers.emplace_back(to_numpy(std::vector(layer.weights), {layer.num_inputs, layer.num_outputs}),
                            to_numpy(std::vector(layer.biases)));
    return layers;
}

std::vector<std::pair<float, float>> losses_to_python(const std::vector<EpochLosses>& losses) {
    std::vector<std::pair<float, float>> pairs;
    for (const EpochLosses& epoch : losses) pairs.emplace_back(epoch.training, epoch.validation);
    return pairs;
}

std::vector<Feature> to_features(const Array<std::int64_t, 1>& inputs, const Array<float, 1>& coefficients) {
    if (inputs.size() != coefficients.size()) throw std::invalid_argument("a feature is an input and a coefficient");
    std::vector<Feature> features;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs(i) < -1 || inputs(i) >= std::int64_t{Feature::NONE})
            throw std::invalid_argument("there is no such input");
        if (!std::isfinite(coefficients(i))) throw std::invalid_argument("a coefficient is not finite");
        features.push_back(inputs(i) < 0 ? Feature{} : Feature{static_cast<std::uint32_t>(inputs(i)), coefficients(i)});
    }
    return features;
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (std::size_t i = 0; const Kernels* kernels = available_kernels(i); ++i) names.emplace_back(kernels->name);
    return names;
}

}  // namespace

void bind_training(nb::module_& m) {
    m.def("kernel_names", &kernel_names);

    nb::class_<Features>(m, "Features")
        .def(
            "__init__",
            [](Features* self, const Task& task, const Array<float, 1>& constant, const Array<std::int64_t, 1>& inputs,
               const Array<float, 1>& coefficients, const Array<std::int64_t, 1>& undefined_inputs,
               const Array<float, 1>& undefined_coefficients) {
                new (self) Features(task, to_vector<float, 1>(constant), to_features(inputs, coefficients),
                                    to_features(undefined_inputs, undefined_coefficients));
            },
            "task"_a, nb::kw_only(), "constant"_a, "inputs"_a, "coefficients"_a, "undefined_inputs"_a,
            "undefined_coefficients"_a)
        .def_static("of_atoms", &Features::of_atoms, "task"_a)
        .def_prop_ro("num_inputs", &Features::num_inputs);

    nb::class_<Mlp>(m, "Mlp")
        .def(
            "__init__",
            [](Mlp* self, const std::vector<std::pair<Array<float, 2>, Array<float, 1>>>& layers,
               const std::vector<std::size_t>& residual) {
                Mlp mlp;
                for (const auto& [weights, biases] : layers)
                    mlp.layers.push_back({weights.shape(0), weights.shape(1), to_vector<float, 2>(weights),
                                          to_vector<float, 1>(biases)});
                for (std::size_t position : residual) {
                    if (position >= mlp.layers.size()) throw std::invalid_argument("there is no such layer");
                    mlp.layers[position].is_residual = true;
                }
                mlp.check();
                new (self) Mlp(std::move(mlp));
            },
            "layers"_a, "residual"_a = std::vector<std::size_t>())
        .def_prop_ro("layers", &layers_to_python, nb::rv_policy::automatic);

    nb::class_<Dataset>(m, "Dataset")
        .def(
            "__init__",
            [](Dataset* self, std::size_t num_inputs, const Array<std::uint64_t, 1>& offsets,
               const Array<std::uint32_t, 1>& inputs, const Array<float, 1>& coefficients,
               const Array<float, 2>& labels) {
                Dataset data{num_inputs,
                             labels.shape(1),
                             to_vector<std::uint64_t, 1>(offsets),
                             to_vector<std::uint32_t, 1>(inputs),
                             to_vector<float, 1>(coefficients),
                             to_vector<float, 2>(labels)};
                data.check();
                new (self) Dataset(std::move(data));
            },
            nb::kw_only(), "num_inputs"_a, "offsets"_a, "inputs"_a, "coefficients"_a, "labels"_a)
        .def("__len__", &Dataset::size)
        .def_ro("num_inputs", &Dataset::num_inputs)
        .def_ro("num_outputs", &Dataset::num_outputs)
        .def_prop_ro("num_entries", [](const Dataset& d) { return d.inputs.size(); })
        .def(
            "subset",
            [](const Dataset& d, const Array<std::uint32_t, 1>& positions) {
                const std::span<const std::uint32_t> chosen{positions.data(), positions.size()};
                if (std::ranges::any_of(chosen, [&](std::uint32_t position) { return position >= d.size(); }))
                    throw std::out_of_range("there is no such sample");
                return d.subset(chosen);
            },
            "positions"_a)
        .def_prop_ro(
            "offsets", [](const Dataset& d) { return to_numpy(std::vector(d.offsets)); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "inputs", [](const Dataset& d) { return to_numpy(std::vector(d.inputs)); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "coefficients", [](const Dataset& d) { return to_numpy(std::vector(d.coefficients)); },
            nb::rv_policy::automatic)
        .def(
            "set_labels",
            [](Dataset& self, const Array<float, 2>& labels) {
                if (labels.shape(1) != self.num_outputs) throw std::invalid_argument("another number of outputs");
                std::vector<float> before = std::exchange(self.labels, to_vector<float, 2>(labels));
                try {
                    self.check();
                } catch (...) {
                    self.labels = std::move(before);
                    throw;
                }
            },
            "labels"_a)
        .def_prop_ro(
            "labels", [](const Dataset& d) { return to_numpy(std::vector(d.labels), {d.size(), d.num_outputs}); },
            nb::rv_policy::automatic);

    nb::enum_<LossKind>(m, "LossKind")
        .value("RELATIVE_ERROR", LossKind::RELATIVE_ERROR)
        .value("SQUARED_ERROR", LossKind::SQUARED_ERROR);
    nb::class_<Loss>(m, "Loss")
        .def(nb::init<LossKind, float>(), "kind"_a, "underestimate_weight"_a)
        .def("value", &Loss::value, "estimate"_a, "label"_a);

    nb::class_<TrainerConfig>(m, "TrainerConfig")
        .def(
            "__init__",
            [](TrainerConfig* self, std::vector<std::size_t> hidden, Loss loss, std::size_t batch_size,
               float learning_rate, float decay, std::size_t max_epochs, std::size_t patience, float min_progress,
               double validation_share, std::size_t max_reseeds, std::uint64_t seed) {
                TrainerConfig config{.hidden = std::move(hidden),
                                     .loss = loss,
                                     .batch_size = batch_size,
                                     .learning_rate = learning_rate,
                                     .decay = decay,
                                     .max_epochs = max_epochs,
                                     .patience = patience,
                                     .min_progress = min_progress,
                                     .validation_share = validation_share,
                                     .max_reseeds = max_reseeds,
                                     .seed = seed};
                config.check();
                new (self) TrainerConfig(std::move(config));
            },
            nb::kw_only(), "hidden"_a, "loss"_a, "batch_size"_a, "learning_rate"_a, "decay"_a, "max_epochs"_a,
            "patience"_a, "min_progress"_a, "validation_share"_a, "max_reseeds"_a, "seed"_a);

    nb::class_<TrainingProgress>(m, "TrainingProgress")
        .def_ro("num_epochs", &TrainingProgress::num_epochs)
        .def_ro("num_samples", &TrainingProgress::num_samples)
        .def_prop_ro("losses", [](const TrainingProgress& progress) { return losses_to_python(progress.losses); });

    nb::enum_<TrainingStatus>(m, "TrainingStatus")
        .value("CONVERGED", TrainingStatus::CONVERGED)
        .value("MAX_EPOCHS", TrainingStatus::MAX_EPOCHS)
        .value("OUT_OF_TIME", TrainingStatus::OUT_OF_TIME)
        .value("INTERRUPTED", TrainingStatus::INTERRUPTED);

    nb::class_<TrainingResult>(m, "TrainingResult")
        .def_ro("status", &TrainingResult::status)
        .def_ro("mlp", &TrainingResult::mlp)
        .def_ro("best_epoch", &TrainingResult::best_epoch)
        .def_ro("num_samples", &TrainingResult::num_samples)
        .def_ro("num_reseeds", &TrainingResult::num_reseeds)
        .def_ro("is_constant", &TrainingResult::is_constant)
        .def_prop_ro("losses", [](const TrainingResult& result) { return losses_to_python(result.losses); });

    m.def(
        "train",
        [](const Dataset& data, const TrainerConfig& config, double time_limit_s,
           const std::function<bool(const TrainingProgress&)>& progress, const Mlp* start) {
            nb::gil_scoped_release released;
            return train(data, config, time_limit_s, with_signals<TrainingProgress>(progress), start);
        },
        "data"_a, "config"_a, nb::kw_only(), "time_limit_s"_a, "progress"_a, "start"_a = nb::none());
}

}  // namespace sing
