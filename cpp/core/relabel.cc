#include "relabel.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace sing {

Relabeller::Relabeller(const Task& task, const Features& features, const Mlp& mlp)
    : network_(task, features, mlp), generator_(task), goals_(task) {
    if (network_.num_outputs() != 1) throw std::invalid_argument("labels need a network with one output");
}

float Relabeller::operator()(std::span<const Value> state, float label) {
    if (std::ranges::find(state, UNDEFINED) != state.end()) return label;
    const std::int32_t num_open = goals_.unsatisfied(state);
    if (num_open == 0) return 0;
    operators_.clear();
    generator_.applicable(state, operators_);
    for (OperatorId op : operators_)
        if (num_open + goals_.change(state, op) == 0) return std::min(label, 1.0f);
    if (operators_.empty() || label <= 2) return label;
    const std::span<const float> estimates = network_.evaluate_successors({state, operators_});
    return std::min(label, 1 + std::max(1.0f, *std::ranges::min_element(estimates)));
}

void Relabeller::run(const Samples& samples, const StatePacker& packer, std::span<const std::uint32_t> chosen,
                     std::span<float> labels, double time_limit_s, const std::function<bool(std::size_t)>& progress) {
    using Clock = std::chrono::steady_clock;
    constexpr std::size_t interval = 64;
    const auto start = Clock::now();
    double last_report_s = 0;
    std::vector<Value> state(packer.num_variables());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        packer.unpack(std::span(samples.words).subspan(chosen[i] * packer.num_words(), packer.num_words()), state);
        for (Value& value : state) --value;  // samples are packed with 0 for undefined
        labels[i] = (*this)(state, labels[i]);
        if (i % interval != 0) continue;
        const double now_s = std::chrono::duration<double>(Clock::now() - start).count();
        if (now_s >= time_limit_s) return;
        if (now_s - last_report_s >= 0.1) {
            last_report_s = now_s;
            if (!progress(i)) return;
        }
    }
}

}  // namespace sing
