#include "search/beam_worker.h"

#include <algorithm>

#include "search/beam_rank.h"

namespace sing {

bool BeamWorker::must_stop(std::size_t num_states) {
    if (!owns_deadline_) return deadline_.has_passed();
    const bool has_passed = deadline_.passed(num_states * shared_.work_per_state);
    shared_.states_at_a_time = std::max<std::size_t>(1, deadline_.interval() / shared_.work_per_state);
    return has_passed;
}

void BeamWorker::enter(BeamLayer::Words words) {
    shared_.packer.unpack(words, values_);
    progression_.enter(values_);
}

void BeamWorker::generate(const BeamLayer& layer, std::size_t begin, std::size_t end, const BeamHistory& history,
                          Cost max_cost, std::size_t max_bytes, BeamBlock& block) {
    const std::size_t num_words = shared_.packer.num_words();
    block = {.words = std::move(block.words), .nodes = std::move(block.nodes)};
    block.words.clear();
    block.nodes.clear();
    for (std::size_t parent = begin; parent < end && !block.has_goal_state; ++parent) {
        const std::size_t num_before = block.nodes.size();
        block.has_goal_state = append_successors(layer, parent, history, max_cost, block);
        const std::size_t bytes_each = num_words * sizeof(BeamLayer::Word) + sizeof(BeamNode);
        const std::size_t bytes = (block.nodes.size() - num_before) * bytes_each;
        if (must_stop(1 + operators_.size()) || shared_.bytes_in_blocks.fetch_add(bytes) + bytes > max_bytes) return;
    }
    // All lines of the history's tables are on their way before the first is looked at.
    std::size_t num_kept = 0;
    for (std::size_t i = 0; i < block.nodes.size(); ++i) {
        const auto words = std::span(block.words).subspan(i * num_words, num_words);
        const bool is_goal_state = block.has_goal_state && i + 1 == block.nodes.size();
        if (!is_goal_state && history.contains(words, block.nodes[i].hash)) {
            block.left_out_known = true;
            continue;
        }
        std::copy_n(words.begin(), num_words, block.words.begin() + static_cast<std::ptrdiff_t>(num_kept * num_words));
        block.nodes[num_kept++] = block.nodes[i];
    }
    block.nodes.resize(num_kept);
    block.words.resize(num_kept * num_words);
}

// True where the last of them is a goal state.
bool BeamWorker::append_successors(const BeamLayer& layer, std::size_t parent, const BeamHistory& history,
                                   Cost max_cost, BeamBlock& block) {
    const bool has_fixed_effects = shared_.task.has_fixed_effects();
    const Transitions& transitions = shared_.transitions;
    const BeamLayer::Words parent_words = layer.words(parent);
    const BeamNode& parent_node = layer.node(parent);
    enter(parent_words);
    operators_.clear();
    shared_.generator.applicable(values_, operators_);
    const std::int32_t num_open = shared_.goals.num_open(values_);
    ++block.num_expanded;
    for (const OperatorId op : operators_) {
        ++block.num_generated;
        const Cost cost = finite_sum(parent_node.cost, shared_.task.cost_of(op));
        if (cost >= max_cost) continue;
        const std::size_t first_word = block.words.size();
        block.words.insert(block.words.end(), parent_words.begin(), parent_words.end());
        const auto words = std::span(block.words).subspan(first_word);
        std::uint64_t hash = transitions.apply(op, words, parent_node.hash, history.hash());
        if (transitions.has_conditions())
            hash = transitions.apply_conditional(op, values_, words, hash, history.hash());
        history.prefetch(hash);
        block.nodes.push_back({hash, 0, cost, static_cast<std::uint32_t>(parent), op});
        const std::int32_t change = has_fixed_effects
                                        ? shared_.goals.change(values_, op)
                                        : shared_.goals.change(values_, progression_.changes(values_, op));
        block.fewest_open_goals = std::min(block.fewest_open_goals, num_open + change);
        if (num_open + change == 0) return true;
    }
    return false;
}

void BeamWorker::rank(const BeamLayer& layer, BeamLayer& next, std::size_t first, std::size_t begin, std::size_t end,
                      const BeamNovelty* novelty, std::uint64_t seed) {
    constexpr std::size_t max_batch_size = 64;
    const auto is_sibling = [&](std::size_t i) { return next.node(i).parent == next.node(i - 1).parent; };
    while (begin > first && begin < end && is_sibling(begin)) ++begin;
    while (begin < end && end < next.size() && is_sibling(end)) ++end;
    is_novel_.clear();
    std::size_t done = begin;
    bool must_end = false;
    while (done < end && !must_end) {
        std::size_t stop = done + 1;
        const std::size_t most = std::min<std::size_t>(max_batch_size, shared_.states_at_a_time);
        while (stop < end && stop - done < most && is_sibling(stop)) ++stop;
        if (done == begin || !is_sibling(done)) enter(layer.words(next.node(done).parent));
        add_siblings(next, done, stop, novelty);
        must_end = must_stop(stop - done);
        done = stop;
    }
    // Also where the time is up: the heuristic's batch must not stay open.
    const std::span<const float> estimates = heuristic_.evaluate_batch();
    for (std::size_t i = begin; i < done; ++i) {
        BeamNode& node = next.node(i);
        const float estimate = estimates[i - begin];
        if (estimate == std::numeric_limits<float>::infinity()) {
            node.rank = DEAD_END_RANK;
            continue;
        }
        best_estimate_ = std::min(best_estimate_, static_cast<Estimate>(estimate + 0.5f));
        node.rank = beam_rank(estimate, !novelty || is_novel_[i - begin], node.hash, seed);
    }
    num_evaluated_ += done - begin;
}

void BeamWorker::add_siblings(const BeamLayer& next, std::size_t begin, std::size_t end, const BeamNovelty* novelty) {
    operators_.clear();
    for (std::size_t i = begin; i < end; ++i) operators_.push_back(next.node(i).op);
    if (novelty) {
        for (const OperatorId op : operators_) {
            successor_ = values_;
            for (const Fact& fact : progression_.changes(values_, op))
                successor_[static_cast<std::size_t>(fact.variable)] = fact.value;
            is_novel_.push_back(novelty->is_novel(successor_));
        }
    }
    const std::span<const OperatorId> operators(operators_);
    heuristic_.add_to_batch({values_, operators, progression_.changes(values_, operators)});
}

}  // namespace sing
