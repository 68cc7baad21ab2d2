// Trains a network on samples: minibatches, a validation set, early stopping.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "networks/mlp.h"
#include "training/dataset.h"
#include "training/loss.h"

namespace sing {

struct TrainerConfig {
    std::vector<std::size_t> hidden;  // widths
    Loss loss;
    std::size_t batch_size;
    float learning_rate;
    float decay;  // of the learning rate after an epoch without progress
    std::size_t max_epochs;
    std::size_t patience;  // epochs without progress before it stops
    float min_progress;    // of the validation loss, relative
    double validation_share;
    std::size_t max_reseeds;  // new starts for networks that are dead
    std::uint64_t seed;
    // Throws std::invalid_argument where a number makes no sense.
    void check() const;
};

struct EpochLosses {
    float training;    // mean over the epoch, while the weights moved
    float validation;  // after it
};

struct TrainingProgress {
    std::size_t num_epochs;           // complete ones
    std::uint64_t num_samples;        // trained on, over all epochs
    std::vector<EpochLosses> losses;  // of the current start
};

enum class TrainingStatus { CONVERGED, MAX_EPOCHS, OUT_OF_TIME, INTERRUPTED };

struct TrainingResult {
    TrainingStatus status = TrainingStatus::MAX_EPOCHS;
    Mlp mlp;  // of the epoch with the least validation loss
    std::vector<EpochLosses> losses;
    std::size_t best_epoch = 0;  // position in losses
    std::uint64_t num_samples = 0;
    std::size_t num_reseeds = 0;
    bool is_constant = false;  // all starts were dead: one output for every sample
};

// Called about ten times a second and after every epoch; returning false stops.
using TrainingCallback = std::function<bool(const TrainingProgress&)>;

// The same data, configuration and seed give the same network on one machine, unless time ends first. Training goes on
// from the weights of `start` where there is one of the configuration's shape.
TrainingResult train(const Dataset& data, const TrainerConfig& config, double time_limit_s,
                     const TrainingCallback& progress, const Mlp* start = nullptr);

// Random weights for a dataset: He et al. (2015), with the mean squared length of its input vectors
// in place of their number of inputs; the last biases start at the mean label / scale.
Mlp random_mlp(const Dataset& data, const TrainerConfig& config, std::uint64_t attempt, float scale);

}  // namespace sing
