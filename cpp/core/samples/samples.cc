#include "samples/samples.h"

namespace sing {

void SamplerStatistics::add(const SamplerStatistics& other) {
    num_searches += other.num_searches;
    num_without_start += other.num_without_start;
    num_redraws += other.num_redraws;
    num_dead_ends += other.num_dead_ends;
    num_steps += other.num_steps;
    num_inexact += other.num_inexact;
    num_incomplete += other.num_incomplete;
}

Samples Samples::chosen(std::span<const std::uint32_t> positions, std::size_t num_words) const {
    Samples result;
    result.words.reserve(positions.size() * num_words);
    for (std::uint32_t position : positions) {
        const auto own = std::span(words).subspan(position * num_words, num_words);
        result.words.insert(result.words.end(), own.begin(), own.end());
        result.labels.push_back(labels[position]);
    }
    result.parents.assign(positions.size(), NO_PARENT);
    result.operators.assign(positions.size(), NO_OPERATOR);
    return result;
}

void Samples::append(const Samples& other) {
    const auto first = static_cast<std::uint32_t>(size());
    words.insert(words.end(), other.words.begin(), other.words.end());
    labels.insert(labels.end(), other.labels.begin(), other.labels.end());
    operators.insert(operators.end(), other.operators.begin(), other.operators.end());
    for (std::uint32_t parent : other.parents) parents.push_back(parent == NO_PARENT ? parent : parent + first);
    statistics.add(other.statistics);
}

StatePacker sample_packer(const Task& task) {
    std::vector<Value> sizes = task.domain_sizes();
    for (Value& size : sizes) ++size;
    return StatePacker(sizes);
}

}  // namespace sing
