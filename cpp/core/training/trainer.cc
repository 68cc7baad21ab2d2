#include "training/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "base/deadline.h"
#include "base/rng.h"
#include "training/trainable_network.h"

namespace sing {
namespace {

// In (-1, 1), the same on every machine.
float uniform(Rng& rng) { return static_cast<float>(rng.next() >> 40) * 0x1p-23f - 1.0f + 0x1p-24f; }

void shuffle(std::span<std::uint32_t> items, Rng& rng) {
    for (std::size_t i = items.size(); i > 1; --i)
        std::swap(items[i - 1], items[rng.below(static_cast<std::uint32_t>(i))]);
}

// Labels are divided by this, so that weights of ordinary size reach them.
float label_scale(const Dataset& data) {
    float scale = 1;
    for (float label : data.labels)
        if (label > scale) scale = label;
    return scale;
}

// A step of the first layer moves its sums by the rate times the entries of a vector: thousands of them would
// throw a hidden unit far off at once, often for good. So its rate falls with the mean sum of their sizes.
float first_rate_factor(const Dataset& data) {
    constexpr double most = 32;
    double sum = data.coefficients.empty() ? static_cast<double>(data.inputs.size()) : 0.0;
    for (float coefficient : data.coefficients) sum += std::abs(coefficient);
    return static_cast<float>(std::min(1.0, most * static_cast<double>(data.size()) / std::max(sum, 1.0)));
}

// Samples that are computed together, whatever the batch size: so many that activations stay small and a
// look at the clock comes every few milliseconds, or tenths of a second where states are very wide.
std::size_t chunk_size(const Dataset& data, const TrainerConfig& config) {
    constexpr std::size_t most = 1024, max_products = std::size_t{1} << 25, max_activations = std::size_t{1} << 20;
    constexpr std::size_t max_first_products = std::size_t{1} << 27;
    const std::size_t first_products = 1 + data.inputs.size() / data.size() * config.hidden.front();
    std::size_t products = 1, activations = 1, before = 0;
    for (std::size_t width : config.hidden) {
        products += before * width;
        activations += width;
        before = width;
    }
    return std::max<std::size_t>(1, std::min({most, max_first_products / first_products, max_products / products,
                                              max_activations / activations}));
}

struct LossSum {
    double sum = 0;
    std::size_t count = 0;
    void add(float loss) {
        sum += loss;
        ++count;
    }
    float mean() const { return static_cast<float>(sum / static_cast<double>(std::max<std::size_t>(count, 1))); }
};

void multiply_outputs(Mlp& mlp, float scale) {
    for (float& weight : mlp.layers.back().weights) weight *= scale;
    for (float& bias : mlp.layers.back().biases) bias *= scale;
}

Mlp divided(Mlp mlp, float scale) {
    multiply_outputs(mlp, 1 / scale);
    return mlp;
}

class Training {
public:
    Training(const Dataset& data, const TrainerConfig& config, double time_limit_s, const TrainingCallback& progress,
             const Mlp* start)
        : data_(data),
          config_(config),
          start_(start),
          scale_(label_scale(data)),
          first_rate_factor_(first_rate_factor(data)),
          chunk_size_(chunk_size(data, config)),
          rng_(config.seed),
          deadline_(time_limit_s, [this, &progress] { return progress(news_); }) {
        split();
    }

    TrainingResult run() {
        for (std::size_t attempt = 0;; ++attempt) {
            result_.num_reseeds = attempt;
            result_.is_constant = false;
            train_one(attempt);
            if (!result_.is_constant || attempt == config_.max_reseeds || deadline_.has_passed()) break;
        }
        result_.losses = std::move(news_.losses);
        result_.num_samples = news_.num_samples;
        return std::move(result_);
    }

private:
    // Few samples are too few to spare some: then all serve for both.
    void split() {
        std::vector<std::uint32_t> order(data_.size());
        std::iota(order.begin(), order.end(), 0u);
        shuffle(order, rng_);
        const auto num_validation =
            static_cast<std::size_t>(config_.validation_share * static_cast<double>(order.size()));
        constexpr std::size_t fewest = 10;
        if (num_validation < fewest) {
            training_ = validation_ = std::move(order);
            return;
        }
        const auto middle = order.begin() + static_cast<std::ptrdiff_t>(num_validation);
        validation_.assign(order.begin(), middle);
        training_.assign(middle, order.end());
    }

    void train_one(std::uint64_t attempt) {
        const bool goes_on = start_ && attempt == 0;
        TrainableNetwork network(goes_on ? divided(*start_, scale_) : random_mlp(data_, config_, attempt, scale_));
        keep(network);
        news_.losses.clear();
        news_.num_epochs = 0;
        result_.status = TrainingStatus::MAX_EPOCHS;
        result_.best_epoch = 0;
        float best = std::numeric_limits<float>::infinity(), goal = best;
        constexpr float least_rate = 1e-6f;  // of the first one: halving goes on, floats do not
        float learning_rate = config_.learning_rate;
        std::size_t num_idle = 0;
        while (news_.num_epochs < config_.max_epochs) {
            const float training_loss = train_epoch(network, learning_rate);
            const float validation_loss = deadline_.has_passed() ? 0.0f : validate(network);
            if (deadline_.has_passed()) {
                if (news_.losses.empty()) keep(network);
                return stop();
            }
            news_.losses.push_back({training_loss, validation_loss});
            ++news_.num_epochs;
            if (result_.is_constant) {  // it died; an epoch before may have been good
                result_.is_constant = best == std::numeric_limits<float>::infinity();
                result_.status = TrainingStatus::CONVERGED;
                return;
            }
            if (validation_loss < best) {
                best = validation_loss;
                keep(network);
            }
            if (validation_loss < goal) {
                goal = (1 - config_.min_progress) * validation_loss;
                num_idle = 0;
            } else {
                learning_rate = std::max(config_.decay * learning_rate, least_rate * config_.learning_rate);
                if (++num_idle >= config_.patience) {
                    result_.status = TrainingStatus::CONVERGED;
                    return;
                }
            }
            if (deadline_.passed_now()) return stop();
        }
    }

    // As the result, unless too high a learning rate has made it useless.
    void keep(const TrainableNetwork& network) {
        Mlp mlp = network.weights();
        multiply_outputs(mlp, scale_);
        if (!mlp.is_finite()) return;
        result_.mlp = std::move(mlp);
        result_.best_epoch = news_.losses.empty() ? 0 : news_.losses.size() - 1;
    }

    float train_epoch(TrainableNetwork& network, float learning_rate) {
        shuffle(training_, rng_);
        LossSum sum;
        const std::span<const std::uint32_t> samples = training_;
        for (std::size_t begin = 0; begin < samples.size() && !deadline_.has_passed(); begin += config_.batch_size) {
            const auto batch = samples.subspan(begin, std::min(config_.batch_size, samples.size() - begin));
            std::size_t num_labels = 0;
            for (std::uint32_t sample : batch)
                for (float label : data_.labels_of(sample)) num_labels += !std::isnan(label);
            const float share = scale_ / static_cast<float>(std::max<std::size_t>(num_labels, 1));
            for_chunks(batch, [&](std::span<const std::uint32_t> chunk) {
                const std::span<const float> outputs = network.forward(data_, chunk);
                slopes_.assign(outputs.size(), 0);
                for_labels(chunk, outputs, [&](std::size_t k, float estimate, float label) {
                    sum.add(config_.loss.value(estimate, label));
                    slopes_[k] = share * config_.loss.slope(estimate, label);
                });
                network.backward(data_, chunk, slopes_);
            });
            if (deadline_.has_passed()) break;
            network.step(learning_rate, first_rate_factor_);
            news_.num_samples += batch.size();
        }
        return sum.mean();
    }

    // The mean loss; notes whether the outputs are all the same though the labels are not.
    float validate(TrainableNetwork& network) {
        LossSum sum;
        float least_label = std::numeric_limits<float>::infinity(), most_label = -least_label;
        std::vector<float> least(data_.num_outputs, least_label), most(data_.num_outputs, most_label);
        for_chunks(validation_, [&](std::span<const std::uint32_t> chunk) {
            const std::span<const float> outputs = network.forward(data_, chunk);
            for_labels(chunk, outputs, [&](std::size_t k, float estimate, float label) {
                sum.add(config_.loss.value(estimate, label));
                least_label = std::min(least_label, label);
                most_label = std::max(most_label, label);
                const std::size_t output = k % data_.num_outputs;
                least[output] = std::min(least[output], outputs[k]);
                most[output] = std::max(most[output], outputs[k]);
            });
        });
        bool varies = false;
        for (std::size_t o = 0; o < least.size(); ++o) varies = varies || most[o] - least[o] > 1e-6f;
        result_.is_constant = !varies && least_label < most_label;
        return sum.mean();
    }

    // Calls body(chunk) on parts of the samples that take milliseconds, and stops where the time is up.
    template <typename Body>
    void for_chunks(std::span<const std::uint32_t> samples, Body body) {
        for (std::size_t begin = 0; begin < samples.size() && !deadline_.has_passed(); begin += chunk_size_) {
            const std::size_t size = std::min(chunk_size_, samples.size() - begin);
            body(samples.subspan(begin, size));
            deadline_.passed(size);
        }
    }

    // Calls body(position in outputs, estimate, label) where there is a label.
    template <typename Body>
    void for_labels(std::span<const std::uint32_t> batch, std::span<const float> outputs, Body body) {
        for (std::size_t i = 0, k = 0; i < batch.size(); ++i)
            for (float label : data_.labels_of(batch[i])) {
                if (!std::isnan(label)) body(k, scale_ * outputs[k], label);
                ++k;
            }
    }

    void stop() {
        const bool is_time_up = deadline_.end() == Deadline::End::TIME_UP;
        result_.status = is_time_up ? TrainingStatus::OUT_OF_TIME : TrainingStatus::INTERRUPTED;
    }

    const Dataset& data_;
    const TrainerConfig& config_;
    const Mlp* start_;
    float scale_;
    float first_rate_factor_;
    std::size_t chunk_size_;
    Rng rng_;
    Deadline deadline_;
    std::vector<std::uint32_t> training_, validation_;
    std::vector<float> slopes_;
    TrainingProgress news_{};
    TrainingResult result_;
};

void check_shape(const Mlp& mlp, const Dataset& data, const TrainerConfig& config) {
    mlp.check();
    std::vector<std::size_t> widths;
    for (const DenseLayer& layer : mlp.layers) widths.push_back(layer.num_outputs);
    std::vector<std::size_t> wanted = config.hidden;
    wanted.push_back(data.num_outputs);
    if (widths != wanted || mlp.num_inputs() != data.num_inputs)
        throw std::invalid_argument("the network to start from has another shape");
    if (mlp.has_residuals()) throw std::invalid_argument("training cannot start from a network with residual layers");
}

}  // namespace

void TrainerConfig::check() const {
    auto require = [](bool condition, const char* what) {
        if (!condition) throw std::invalid_argument(what);
    };
    require(!hidden.empty(), "training needs at least one hidden layer");
    require(std::ranges::none_of(hidden, [](std::size_t width) { return width == 0; }), "a hidden layer has width 0");
    require(batch_size > 0, "the batch size is 0");
    require(learning_rate > 0 && std::isfinite(learning_rate), "the learning rate must be above 0");
    require(decay > 0 && decay <= 1, "the decay must be above 0 and at most 1");
    require(max_epochs > 0 && patience > 0, "training needs at least one epoch and one epoch of patience");
    require(min_progress >= 0 && min_progress < 1, "the least progress must be from 0 to 1");
    require(validation_share >= 0 && validation_share < 1, "the validation share must be at least 0 and below 1");
    require(loss.underestimate_weight > 0 && std::isfinite(loss.underestimate_weight),
            "the weight of underestimates must be above 0");
}

Mlp random_mlp(const Dataset& data, const TrainerConfig& config, std::uint64_t attempt, float scale) {
    Rng mix(config.seed ^ (0xD1B54A32D192ED03ull * (attempt + 1)));
    Rng rng(mix.next());
    double length = 0;
    if (data.coefficients.empty()) length = static_cast<double>(data.inputs.size());
    for (float coefficient : data.coefficients) length += static_cast<double>(coefficient) * coefficient;
    const double first_fan = std::max(1.0, length / static_cast<double>(data.size()));
    double label_sum = 0;
    std::size_t num_labels = 0;
    for (float label : data.labels)
        if (!std::isnan(label)) {
            label_sum += label;
            ++num_labels;
        }

    Mlp mlp;
    std::size_t inputs = data.num_inputs;
    for (std::size_t k = 0; k <= config.hidden.size(); ++k) {
        const bool is_last = k == config.hidden.size();
        const std::size_t outputs = is_last ? data.num_outputs : config.hidden[k];
        const double fan = k == 0 ? first_fan : static_cast<double>(inputs);
        const auto bound = static_cast<float>(std::sqrt((is_last ? 3 : 6) / fan));
        DenseLayer layer{inputs, outputs, std::vector<float>(inputs * outputs), std::vector<float>(outputs)};
        for (float& weight : layer.weights) weight = bound * uniform(rng);
        if (is_last && num_labels > 0)
            std::ranges::fill(layer.biases, static_cast<float>(label_sum / static_cast<double>(num_labels)) / scale);
        mlp.layers.push_back(std::move(layer));
        inputs = outputs;
    }
    return mlp;
}

TrainingResult train(const Dataset& data, const TrainerConfig& config, double time_limit_s,
                     const TrainingCallback& progress, const Mlp* start) {
    data.check();
    config.check();
    if (data.size() == 0) throw std::invalid_argument("there are no samples to train on");
    if (start) check_shape(*start, data, config);
    return Training(data, config, time_limit_s, progress, start).run();
}

}  // namespace sing
