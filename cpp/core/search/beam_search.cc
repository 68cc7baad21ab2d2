#include "search/beam_search.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/guard.h"
#include "base/worker_pool.h"
#include "search/beam_history.h"
#include "search/beam_layer.h"
#include "search/beam_novelty.h"
#include "search/beam_worker.h"

namespace sing {

class BeamSearch::Impl {
public:
    Impl(const Task& task, std::vector<Heuristic*> heuristics, const BeamConfig& config)
        : task_(task),
          heuristics_(std::move(heuristics)),
          config_(config),
          packer_(task),
          history_(packer_.num_words(), config.history, memory_),
          layer_(packer_.num_words(), memory_),
          next_(packer_.num_words(), memory_),
          steps_(1, memory_) {
        if (heuristics_.empty()) throw std::invalid_argument("a beam search needs a heuristic");
    }

    BeamResult run(const BeamLimits& limits, const BeamProgress& progress) {
        limits_ = limits;
        deadline_.emplace(limits.search.time_s, [this, &progress] {
            update_statistics();
            return progress(result_.statistics);
        });
        memory_.set_limit(limits.search.memory_bytes);
        statistics_.narrowest = max_width();
        try {
            prepare();
            run_to_status();
        } catch (const WorkStopped&) {
            stop_by_deadline();
        } catch (const std::bad_alloc&) {
            stop(SearchStatus::OUT_OF_MEMORY);
        }
        update_statistics();
        return std::move(result_);
    }

private:
    struct Step {
        std::uint32_t parent;  // the number of a state among all that were kept
        OperatorId op;
    };

    static constexpr std::size_t STATES_PER_PIECE = 64;  // that a worker takes to generate their successors
    static constexpr std::size_t RANKS_PER_PIECE = 256;  // states that it takes to estimate
    static constexpr std::size_t LAYERS_TO_COME = 32;    // that memory must suffice for

    void prepare() {
        const Guard guard(*deadline_, memory_);
        shared_.emplace(task_, packer_, guard);
        if (config_.novelty) novelty_.emplace(task_, shared_->goals, guard);
        pool_.emplace(heuristics_.size());
        for (std::size_t i = 0; i < heuristics_.size(); ++i)
            workers_.push_back(std::make_unique<BeamWorker>(*shared_, *heuristics_[i], *deadline_, i == 0));
        deadline_->begin_other_work();
    }

    void run_to_status() {
        if (!begin()) return;
        while (layer_.size() > 0) {
            if (!make_next_layer()) return;
            if (statistics_.search.num_generated + heuristic_work() >= limits_.search.work) {
                stop(SearchStatus::OUT_OF_WORK);
                return;
            }
        }
        stop(statistics_.is_complete ? SearchStatus::EXHAUSTED : SearchStatus::CUT);
    }

    bool stop(SearchStatus status) {
        result_.status = status;
        return false;
    }

    bool stop_by_deadline() {
        const bool is_time_up = deadline_->end() == Deadline::End::TIME_UP;
        return stop(is_time_up ? SearchStatus::OUT_OF_TIME : SearchStatus::INTERRUPTED);
    }

    // The layer of the initial state. False where the search ends with it.
    bool begin() {
        const std::vector<Value>& state = task_.initial_state;
        for (Heuristic* heuristic : heuristics_) work_before_ += heuristic->work();
        const Estimate estimate = heuristics_.front()->evaluate(state);
        result_.initial_estimate = estimate;
        statistics_.search.best_estimate = estimate;
        statistics_.search.fewest_open_goals = shared_->goals.num_open(state);
        statistics_.search.num_evaluated = 1;
        if (statistics_.search.fewest_open_goals == 0 && limits_.cost > 0) return stop(SearchStatus::SOLVED);
        if (estimate == DEAD_END || limits_.cost == 0) return stop(SearchStatus::EXHAUSTED);
        std::vector<StatePacker::Word> words(packer_.num_words());
        packer_.pack(state, words);
        layer_.add(words, {history_.hash()(words), 0, 0, 0, NO_OPERATOR});
        return keep_layer();
    }

    // Remembers the states of the layer. Throws std::bad_alloc.
    bool keep_layer() {
        if (num_states_ + layer_.size() > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
        if (!history_.add(layer_) || !steps_.reserve(num_states_ + layer_.size())) throw std::bad_alloc();
        for (std::size_t i = 0; i < layer_.size(); ++i) {
            const BeamNode& node = layer_.node(i);
            steps_[num_states_ + i][0] = {static_cast<std::uint32_t>(first_of_layer_ + node.parent), node.op};
        }
        first_of_layer_ = num_states_;
        num_states_ += layer_.size();
        statistics_.widest = std::max(statistics_.widest, layer_.size());
        if (novelty_) note_facts();
        return true;
    }

    void note_facts() {
        std::vector<Value> values(packer_.num_variables());
        for (std::size_t i = 0; i < layer_.size(); ++i) {
            packer_.unpack(layer_.words(i), values);
            shared_->progression.enter(values);
            novelty_->note(values);
        }
    }

    // False where the search ends.
    bool make_next_layer() {
        next_.clear();
        for (std::size_t begin = 0; begin < layer_.size();) {
            const std::size_t count = std::min(states_per_round_, layer_.size() - begin);
            const std::size_t max_bytes = memory_left() / 8;
            generate(begin, count, max_bytes);
            if (deadline_->has_passed()) return stop_by_deadline();
            if (shared_->bytes_in_blocks > max_bytes) {
                if (count == 1) throw std::bad_alloc();
                states_per_round_ = std::max<std::size_t>(1, count / 4);
                continue;
            }
            if (take_blocks(count)) return stop(SearchStatus::SOLVED);
            begin += count;
            rank_and_prune(begin < layer_.size());
            if (deadline_->has_passed()) return stop_by_deadline();
        }
        ++statistics_.num_layers;
        std::swap(layer_, next_);
        return keep_layer();
    }

    // All workers, each in turn with the next piece until there is none.
    template <typename Work>
    void share(std::size_t num_pieces, const Work& work) {
        std::atomic<std::size_t> next_piece{0};
        pool_->run([&](std::size_t worker) {
            try {
                for (std::size_t piece; !deadline_->has_passed() && (piece = next_piece++) < num_pieces;)
                    work(*workers_[worker], piece);
            } catch (...) {
                deadline_->stop();  // of the others
                throw;
            }
        });
    }

    void generate(std::size_t begin, std::size_t count, std::size_t max_bytes) {
        const std::size_t num_blocks = (count + STATES_PER_PIECE - 1) / STATES_PER_PIECE;
        if (blocks_.size() < num_blocks) blocks_.resize(num_blocks);
        shared_->bytes_in_blocks = 0;
        share(num_blocks, [&](BeamWorker& worker, std::size_t i) {
            const std::size_t first = begin + i * STATES_PER_PIECE;
            const std::size_t last = std::min(first + STATES_PER_PIECE, begin + count);
            worker.generate(layer_, first, last, history_, limits_.cost, max_bytes, blocks_[i]);
        });
    }

    // Adds to the next layer what the workers have generated of so many states; true where that is a goal state.
    bool take_blocks(std::size_t count) {
        SearchStatistics& search = statistics_.search;
        std::uint64_t num_generated = 0;
        for (std::size_t first = 0; first < count; first += STATES_PER_PIECE) {
            const BeamBlock& block = blocks_[first / STATES_PER_PIECE];
            search.num_expanded += block.num_expanded;
            num_generated += block.num_generated;
            search.fewest_open_goals = std::min(search.fewest_open_goals, block.fewest_open_goals);
            // Costs differ by the way, and the history does not have them.
            if (block.left_out_known && task_.uses_costs && limits_.cost < INFINITE_COST)
                statistics_.is_complete = false;
            if (block.has_goal_state) {
                search.num_generated += num_generated;
                trace_plan(block.nodes.back());
                return true;
            }
            const std::span<const StatePacker::Word> words(block.words);
            for (std::size_t i = 0; i < block.nodes.size(); ++i)
                next_.add(words.subspan(i * packer_.num_words(), packer_.num_words()), block.nodes[i]);
        }
        search.num_generated += num_generated;
        const std::uint64_t per_state = std::max<std::uint64_t>(1, num_generated / count);
        states_per_round_ = static_cast<std::size_t>(std::max<std::uint64_t>(1, config_.round / per_state));
        return false;
    }

    // Those of the next layer that have no rank yet get one; then the best are kept, where there are many more.
    void rank_and_prune(bool more_follow) {
        const std::size_t first = num_ranked_;
        const std::size_t num_pieces = (next_.size() - first + RANKS_PER_PIECE - 1) / RANKS_PER_PIECE;
        share(num_pieces, [&](BeamWorker& worker, std::size_t i) {
            const std::size_t begin = first + i * RANKS_PER_PIECE;
            worker.rank(layer_, next_, first, begin, std::min(begin + RANKS_PER_PIECE, next_.size()),
                        novelty_ ? &*novelty_ : nullptr, config_.seed);
        });
        num_ranked_ = next_.size();
        note_estimates();
        const std::size_t width = max_width();
        if (more_follow && next_.size() < 2 * width) return;
        if (width < wanted_width()) statistics_.narrowest = std::min(statistics_.narrowest, width);
        if (next_.keep_best(width)) statistics_.is_complete = false;
        num_ranked_ = more_follow ? next_.size() : 0;
    }

    void note_estimates() {
        SearchStatistics& search = statistics_.search;
        search.num_evaluated = 1;  // the initial state
        for (const auto& worker : workers_) {
            search.num_evaluated += worker->num_evaluated();
            search.best_estimate = std::min(search.best_estimate, worker->best_estimate());
        }
    }

    std::size_t wanted_width() const {
        return config_.width > 0 ? config_.width : std::numeric_limits<std::size_t>::max() / 2;
    }
    // What memory allows of it: as if so many layers came as wide as this.
    std::size_t max_width() const {
        constexpr std::size_t bytes_in_table = 12;
        const std::size_t num_words = packer_.num_words();
        const std::size_t bytes = 2 * BeamLayer::bytes_per_state(num_words) + num_words * sizeof(StatePacker::Word) +
                                  bytes_in_table + sizeof(Step);
        return std::clamp<std::size_t>(memory_left() / (LAYERS_TO_COME * bytes), 1, wanted_width());
    }
    std::size_t memory_left() const {
        return limits_.search.memory_bytes - std::min(limits_.search.memory_bytes, memory_.used_bytes());
    }

    std::uint64_t heuristic_work() const {
        std::uint64_t work = 0;
        for (const Heuristic* heuristic : heuristics_) work += heuristic->work();
        return work - work_before_;
    }

    void update_statistics() {
        SearchStatistics& search = statistics_.search;
        search.time_s = deadline_->elapsed_s();
        search.num_registered = num_states_;
        search.memory_bytes = memory_.used_bytes();
        result_.statistics = statistics_;
    }

    void trace_plan(const BeamNode& goal) {
        result_.plan.push_back(goal.op);
        ++statistics_.num_layers;
        for (std::size_t number = first_of_layer_ + goal.parent; number > 0; number = steps_[number][0].parent)
            result_.plan.push_back(steps_[number][0].op);
        std::ranges::reverse(result_.plan);
    }

    const Task& task_;
    std::vector<Heuristic*> heuristics_;
    BeamConfig config_;
    BeamLimits limits_{};
    std::optional<Deadline> deadline_;  // of run()
    std::uint64_t work_before_ = 0;     // that the heuristics had done before run()

    MemoryMeter memory_;
    StatePacker packer_;
    std::optional<BeamTask> shared_;  // made by prepare(), as the next three
    std::optional<BeamNovelty> novelty_;
    std::vector<std::unique_ptr<BeamWorker>> workers_;
    std::optional<WorkerPool> pool_;

    BeamHistory history_;
    BeamLayer layer_, next_;
    std::vector<BeamBlock> blocks_;
    std::size_t num_ranked_ = 0;  // of the next layer
    std::size_t states_per_round_ = 1;
    PagedArray<Step> steps_;  // by the number of the state among all that were kept; the initial state's is 0
    std::size_t num_states_ = 0;
    std::size_t first_of_layer_ = 0;  // the number of the layer's first state

    BeamStatistics statistics_;
    BeamResult result_;
};

BeamSearch::BeamSearch(const Task& task, std::vector<Heuristic*> heuristics, const BeamConfig& config)
    : impl_(std::make_unique<Impl>(task, std::move(heuristics), config)) {}

BeamSearch::~BeamSearch() = default;

BeamResult BeamSearch::run(const BeamLimits& limits, const BeamProgress& progress) {
    return impl_->run(limits, progress);
}

}  // namespace sing
