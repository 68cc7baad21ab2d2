#include "training/relabel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/thread_group.h"

namespace sing {

Relabeller::Relabeller(const Shared& shared, Network network, std::optional<Network> judge)
    : shared_(shared), progression_(shared.progression), network_(std::move(network)), judge_(std::move(judge)) {
    if (network_.num_outputs() != 1 || (judge_ && judge_->num_outputs() != 1))
        throw std::invalid_argument("labels need a network with one output");
}

float Relabeller::operator()(std::span<const Value> state, float label) {
    if (std::ranges::find(state, UNDEFINED) != state.end()) return label;
    state_.assign(state.begin(), state.end());
    progression_.enter(state_);
    const std::int32_t num_open = shared_.goals.num_open(state);
    if (num_open == 0) return 0;
    operators_.clear();
    shared_.generator.applicable(state, operators_);
    const Csr<Fact>* changes = progression_.changes(state_, operators_);
    for (std::size_t i = 0; i < operators_.size(); ++i) {
        const std::int32_t change =
            changes ? shared_.goals.change(state, (*changes)[i]) : shared_.goals.change(state, operators_[i]);
        if (num_open + change == 0) return std::min(label, 1.0f);
    }
    if (operators_.empty() || label <= 2) return label;
    return std::min(label, 1 + std::max(1.0f, nearest_successor(changes)));
}

// The estimate of the nearest one, by any of the operators that apply.
float Relabeller::nearest_successor(const Csr<Fact>* changes) {
    const std::span<const float> estimates = network_.evaluate_successors({state_, operators_, changes});
    const auto least = std::ranges::min_element(estimates);
    if (!judge_) return *least;
    const std::array nearest{operators_[static_cast<std::size_t>(least - estimates.begin())]};
    return judge_->evaluate_successors({state_, nearest, progression_.changes(state_, nearest)}).front();
}

void relabel(const Task& task, const Features& features, const Mlp& mlp, const Mlp* judge, const Samples& samples,
             const StatePacker& packer, std::span<const std::uint32_t> chosen, std::span<float> labels,
             std::size_t num_threads, const RelabelLimits& limits, const std::function<bool(std::size_t)>& progress) {
    constexpr std::size_t block_size = 64;
    const std::size_t num_blocks = (chosen.size() + block_size - 1) / block_size;
    std::atomic<std::size_t> next_block{0};
    Deadline deadline(limits.time_s, [&] { return progress(std::min(next_block * block_size, chosen.size())); });
    MemoryMeter meter(limits.memory_bytes);
    std::optional<Relabeller::Shared> shared;
    std::optional<Network> network, judging;
    try {
        const Guard guard(deadline, meter);
        shared.emplace(task, guard);
        network.emplace(task, features, mlp, guard);
        if (judge) judging.emplace(task, features, *judge, guard);
    } catch (const WorkStopped&) {
        return;
    }
    std::exception_ptr error;
    std::mutex error_mutex;

    auto work = [&](bool owns_deadline) {
        try {
            Relabeller relabeller(*shared, *network, judging);
            std::vector<Value> state(packer.num_variables());
            for (std::size_t block; !deadline.has_passed() && (block = next_block++) < num_blocks;) {
                const std::size_t begin = block * block_size;
                const std::size_t end = std::min(begin + block_size, chosen.size());
                for (std::size_t i = begin; i < end && !deadline.has_passed(); ++i) {
                    samples.unpack(chosen[i], packer, state);
                    labels[i] = relabeller(state, labels[i]);
                    // Some states take ten thousand times as long as others, so the clock is looked at after each.
                    if (owns_deadline) deadline.passed(deadline.interval());
                }
            }
        } catch (...) {
            deadline.stop();
            const std::lock_guard lock(error_mutex);
            error = std::current_exception();
        }
    };
    {
        ThreadGroup threads;
        for (std::size_t i = 1; i < std::min(num_threads, num_blocks); ++i) threads.start([&] { work(false); });
        work(true);
    }
    if (error) std::rethrow_exception(error);
}

}  // namespace sing
