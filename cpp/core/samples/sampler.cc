#include "samples/sampler.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "base/deadline.h"
#include "base/thread_group.h"
#include "samples/make_backward_space.h"
#include "samples/sample_seeds.h"
#include "states/word_hash.h"

namespace sing {
namespace {

using Word = StatePacker::Word;

// Starts drawn for one search before it is given up.
constexpr int MAX_DRAWS = 1000;

// The samples of one search.
struct Part {
    std::uint32_t search;
    Samples samples;
};

// Appends the parts to `samples` in the order of their searches, freeing each.
void join(std::span<Part> parts, Samples& samples) {
    std::ranges::sort(parts, std::less{}, &Part::search);
    if (parts.size() == 1) {
        samples = std::move(parts.front().samples);
        return;
    }
    std::size_t num_samples = 0, num_words = 0;
    for (const Part& part : parts) {
        num_samples += part.samples.size();
        num_words += part.samples.words.size();
    }
    samples.words.reserve(num_words);
    samples.labels.reserve(num_samples);
    samples.parents.reserve(num_samples);
    samples.operators.reserve(num_samples);
    for (auto& [search, part] : parts) {
        samples.append(part);
        part = {};
    }
}

}  // namespace

// What the threads share while they run.
struct Sampler::Shared {
    Shared(double time_s, const std::function<bool(std::size_t)>& progress)
        : deadline(time_s, [this, &progress] { return progress(num_samples); }) {}

    Deadline deadline;  // owned by the thread that waits for the others
    std::atomic<std::uint32_t> next_search{0};
    std::atomic<std::size_t> num_samples{0};
    std::atomic<std::size_t> num_bytes{0};
    std::atomic<SamplingStatus> status{SamplingStatus::COMPLETE};
    std::size_t max_bytes = 0;
    std::size_t num_threads = 1;
    std::mutex mutex;  // guards what follows
    std::condition_variable finished;
    std::size_t num_running = 0;
    std::vector<Part> parts;

    bool stopped() const { return status.load(std::memory_order_relaxed) != SamplingStatus::COMPLETE; }
    void stop(SamplingStatus why) {
        SamplingStatus expected = SamplingStatus::COMPLETE;
        status.compare_exchange_strong(expected, why);
    }
};

// One thread's part: runs searches one after the other and reuses its memory between them.
class Sampler::Worker {
public:
    Worker(const Sampler& sampler, Shared& shared)
        : sampler_(sampler),
          config_(sampler.config_),
          space_(*sampler.space_),
          packer_(sampler.packer_),
          shared_(shared),
          state_(sampler.task_, sampler.mutexes_),
          hash_(packer_.num_words()) {}

    void run() {
        while (!shared_.stopped()) {
            const std::uint32_t number = shared_.next_search.fetch_add(1);
            if (number >= config_.num_searches) return;
            search(number);
            report_progress();
            num_reported_ = 0;
            // A small search is copied, just as large as it must be, and its memory used again.
            constexpr std::size_t small_bytes = std::size_t{1} << 20;
            Part part{number, samples_.memory_bytes() < small_bytes ? samples_ : std::move(samples_)};
            const std::size_t bytes = part.samples.memory_bytes() + part_bytes;
            const std::lock_guard lock(shared_.mutex);
            shared_.parts.push_back(std::move(part));
            if (shared_.num_bytes.fetch_add(bytes) + bytes > shared_.max_bytes)
                shared_.stop(SamplingStatus::OUT_OF_MEMORY);
        }
    }

private:
    // What a part costs beside its samples: itself and the heap's own use of memory.
    static constexpr std::size_t part_bytes = sizeof(Part) + 128;

    struct Frame {
        std::uint32_t sample;
        std::size_t first_candidate;  // its own are the last on the stack of candidates
        std::size_t first_change;     // likewise: the changes of the step that led here
        bool has_child;
    };

    void search(std::uint32_t number) {
        rng_ = rng_for(config_.seed, number);
        clear();
        samples_.statistics.num_searches = 1;
        if (!start()) {
            samples_.statistics.num_without_start = !shared_.stopped();
            return;
        }
        if (config_.strategy == Strategy::RANDOM_WALK)
            walk();
        else if (config_.strategy == Strategy::BFS_WALKS)
            walk_from_leaves(expand_breadth_first());
        else if (config_.collection == Collection::EXPANDED)
            expand_paths();
        else
            expand_all();
    }

    void clear() {
        samples_.words.clear();
        samples_.labels.clear();
        samples_.parents.clear();
        samples_.operators.clear();
        samples_.statistics = {};
        // As large as the last search needed, so that searches rarely grow it.
        if (config_.strategy != Strategy::RANDOM_WALK) visited_.assign(std::max<std::size_t>(64, visited_.size()), 0);
    }

    bool is_full() const { return samples_.size() >= config_.num_samples; }

    // The clock is looked at now and then: a search of many samples may take seconds.
    bool is_over() { return is_full() || must_stop(); }

    bool must_stop() {
        constexpr std::uint32_t looks_apart = 64;
        if (++num_looks_ % looks_apart == 0) {
            if (shared_.deadline.is_time_up()) shared_.stop(SamplingStatus::OUT_OF_TIME);
            // The other threads are about as far with their searches.
            if (shared_.num_bytes + shared_.num_threads * memory_bytes() > shared_.max_bytes)
                shared_.stop(SamplingStatus::OUT_OF_MEMORY);
            report_progress();
        }
        return shared_.stopped();
    }

    std::size_t memory_bytes() const {
        return samples_.memory_bytes() + visited_.size() * sizeof(visited_[0]) +
               candidates_.size() * sizeof(OperatorId) + changes_.size() * sizeof(Change) +
               frames_.size() * sizeof(Frame);
    }

    void report_progress() {
        shared_.num_samples += samples_.size() - num_reported_;
        num_reported_ = samples_.size();
    }

    // Draws a start that has a backward step, and makes it a sample. Regression has one start
    // only, which is a sample even where nothing leads to it.
    bool start() {
        for (int i = 0; i < MAX_DRAWS && !must_stop(); ++i) {
            samples_.statistics.num_redraws += i > 0;
            changes_.clear();
            candidates_.clear();
            if (space_.draw_start(state_, rng_)) {
                space_.candidates(state_, candidates_);
                if (!candidates_.empty() || config_.space == "r") {
                    record_start();
                    return true;
                }
            }
        }
        return false;
    }

    void record_start() {
        samples_.push(state_.values(), 0, packer_);
        if (!visited_.empty()) is_new(0);
    }

    // Makes the present state a sample, one step by `op` from sample `parent`. False, and no sample,
    // where a depth-first search has been there.
    bool record(std::uint32_t parent, OperatorId op, std::span<const Change> changes) {
        const std::size_t num_words = packer_.num_words();
        const auto sample = static_cast<std::uint32_t>(samples_.size());
        samples_.words.resize(samples_.words.size() + num_words);
        const auto words = std::span(samples_.words).last(num_words);
        std::copy_n(samples_.words.begin() + static_cast<std::ptrdiff_t>(parent * num_words), num_words, words.begin());
        for (const Change& change : changes)
            packer_.set(words, static_cast<std::size_t>(change.variable), state_[change.variable] + 1);
        if (!visited_.empty() && !is_new(sample)) {
            samples_.words.resize(samples_.words.size() - num_words);
            return false;
        }
        samples_.labels.push_back(samples_.labels[parent] + 1);
        samples_.parents.push_back(parent);
        samples_.operators.push_back(op);
        ++samples_.statistics.num_steps;
        samples_.statistics.num_inexact += !space_.is_exact(op, state_, changes);
        return true;
    }

    std::span<const Word> words_of(std::uint32_t sample) const {
        return std::span(samples_.words).subspan(sample * packer_.num_words(), packer_.num_words());
    }

    // Enters the sample into the hash table of this search. False where an equal one is there.
    bool is_new(std::uint32_t sample) {
        if (2 * (std::size_t{sample} + 1) > visited_.size()) {
            visited_.assign(2 * visited_.size(), 0);
            for (std::uint32_t i = 0; i < sample; ++i) is_new(i);
        }
        const std::span<const Word> words = words_of(sample);
        const std::size_t mask = visited_.size() - 1;
        std::size_t slot = WordHash::mixed(hash_(words)) >> 32 & mask;
        for (; visited_[slot] != 0; slot = (slot + 1) & mask)
            if (std::ranges::equal(words_of(visited_[slot] - 1), words)) return false;
        visited_[slot] = sample + 1;
        return true;
    }

    OperatorId take_candidate(std::size_t first) {
        const auto count = static_cast<std::uint32_t>(candidates_.size() - first);
        std::swap(candidates_[first + rng_.below(count)], candidates_.back());
        const OperatorId op = candidates_.back();
        candidates_.pop_back();
        return op;
    }

    void undo_to(std::size_t first_change) {
        BackwardSpace::undo(state_, std::span(changes_).subspan(first_change));
        changes_.resize(first_change);
    }

    // Step k of the walk is labelled k. It ends where nothing leads on; at the depth limit, and
    // there only, another walk begins.
    void walk() {
        std::uint32_t last = 0;
        while (!is_over()) {
            if (samples_.labels[last] == config_.max_depth) {
                if (!start()) return;
                last = static_cast<std::uint32_t>(samples_.size() - 1);
                continue;
            }
            changes_.clear();
            if (samples_.labels[last] > 0) {  // start() has found those of a start
                candidates_.clear();
                space_.candidates(state_, candidates_);
            }
            bool stepped = false;
            while (!stepped && !candidates_.empty()) {
                const OperatorId op = take_candidate(0);
                stepped = space_.step(op, state_, rng_, changes_);
                if (stepped) record(last, op, changes_);
            }
            if (!stepped) {
                ++samples_.statistics.num_dead_ends;
                return;
            }
            last = static_cast<std::uint32_t>(samples_.size() - 1);
        }
    }

    // Depth-first search that looks at one random successor at a time: every sample is expanded.
    void expand_paths() {
        if (config_.max_depth == 0) return;
        frames_.assign(1, {0, 0, 0, false});
        while (!frames_.empty() && !is_over()) {
            Frame& frame = frames_.back();
            if (candidates_.size() == frame.first_candidate) {
                const bool at_limit = samples_.labels[frame.sample] == config_.max_depth;
                samples_.statistics.num_dead_ends += !frame.has_child && !at_limit;
                undo_to(frame.first_change);
                frames_.pop_back();
                continue;
            }
            const OperatorId op = take_candidate(frame.first_candidate);
            const std::size_t first_change = changes_.size();
            if (!space_.step(op, state_, rng_, changes_)) continue;
            if (!record(frame.sample, op, std::span(changes_).subspan(first_change))) {
                undo_to(first_change);
                continue;
            }
            frame.has_child = true;
            const auto child = static_cast<std::uint32_t>(samples_.size() - 1);
            frames_.push_back({child, candidates_.size(), first_change, false});
            if (samples_.labels[child] < config_.max_depth) space_.candidates(state_, candidates_);
        }
    }

    // Depth-first search that generates all successors of a state, in random order, before it
    // expands the last of them: every generated state is a sample.
    void expand_all() {
        std::vector<std::uint32_t> stack{0};
        while (!stack.empty() && !is_over()) {
            const std::uint32_t parent = stack.back();
            stack.pop_back();
            if (samples_.labels[parent] == config_.max_depth) continue;
            const auto first_child = static_cast<std::uint32_t>(samples_.size());
            generate_all(parent, config_.num_samples);
            for (auto child = first_child; child < samples_.size(); ++child) stack.push_back(child);
        }
    }

    // Makes all new successors of a sample samples, in random order, until there are so many samples.
    void generate_all(std::uint32_t parent, std::size_t max_samples) {
        load(parent);
        candidates_.clear();
        space_.candidates(state_, candidates_);
        bool has_child = false;
        while (!candidates_.empty() && samples_.size() < max_samples && !is_over()) {
            const OperatorId op = take_candidate(0);
            changes_.clear();
            if (!space_.step(op, state_, rng_, changes_)) continue;
            has_child |= record(parent, op, changes_);
            undo_to(0);
        }
        samples_.statistics.num_dead_ends += !has_child && !is_full();
    }

    // Breadth-first search for the share of the samples that it has. Returns the first sample that it has not expanded.
    std::uint32_t expand_breadth_first() {
        std::uint32_t next = 0;
        for (; next < samples_.size() && samples_.size() < config_.num_breadth_first && !is_over(); ++next)
            if (samples_.labels[next] < config_.max_depth) generate_all(next, config_.num_breadth_first);
        return next;
    }

    // Random walks from leaves of a breadth-first search, each chosen at random, until there are enough samples. A leaf
    // that no walk can leave is not chosen again.
    void walk_from_leaves(std::uint32_t first_leaf) {
        visited_.clear();  // walks may meet what others have seen
        leaves_.clear();
        for (auto leaf = first_leaf; leaf < samples_.size(); ++leaf)
            if (samples_.labels[leaf] < config_.max_depth) leaves_.push_back(leaf);
        while (!leaves_.empty() && !is_over()) {
            const std::uint32_t choice = rng_.below(static_cast<std::uint32_t>(leaves_.size()));
            if (roll_out(leaves_[choice]) || is_over()) continue;
            leaves_[choice] = leaves_.back();
            leaves_.pop_back();
        }
    }

    // A walk to the depth limit, or to where each step leads back to a state of the walk. Whether it took a step.
    bool roll_out(std::uint32_t start) {
        load(start);
        walk_hashes_.assign(1, hash_(words_of(start)));
        std::uint32_t last = start;
        while (samples_.labels[last] < config_.max_depth && !is_over()) {
            if (!step_on(last)) {
                ++samples_.statistics.num_dead_ends;
                break;
            }
            last = static_cast<std::uint32_t>(samples_.size() - 1);
        }
        return last != start;
    }

    // Takes a random step from the last sample of a walk to a state that the walk has not met. False where there is
    // none. Two states with one hash would only end a walk early.
    bool step_on(std::uint32_t last) {
        candidates_.clear();
        space_.candidates(state_, candidates_);
        while (!candidates_.empty()) {
            const OperatorId op = take_candidate(0);
            changes_.clear();
            if (!space_.step(op, state_, rng_, changes_)) continue;
            words_.assign(words_of(last).begin(), words_of(last).end());
            for (const Change& change : changes_)
                packer_.set(words_, static_cast<std::size_t>(change.variable), state_[change.variable] + 1);
            const std::uint64_t hash = hash_(words_);
            if (std::ranges::find(walk_hashes_, hash) == walk_hashes_.end()) {
                walk_hashes_.push_back(hash);
                record(last, op, changes_);
                return true;
            }
            undo_to(0);
        }
        return false;
    }

    void load(std::uint32_t sample) {
        values_.resize(packer_.num_variables());
        samples_.unpack(sample, packer_, values_);
        state_.assign(values_);
    }

    const Sampler& sampler_;
    const SamplerConfig& config_;
    const BackwardSpace& space_;
    const StatePacker& packer_;
    Shared& shared_;
    Rng rng_{0};
    PartialState state_;
    Samples samples_;  // of the present search
    WordHash hash_;
    std::vector<std::uint32_t> visited_;  // open addressing, 1 + sample; empty where walks may repeat
    std::vector<OperatorId> candidates_;
    std::vector<Change> changes_;
    std::vector<Frame> frames_;
    std::vector<std::uint32_t> leaves_;       // of a breadth-first search
    std::vector<std::uint64_t> walk_hashes_;  // of the states of one walk
    std::vector<Word> words_;
    std::vector<Value> values_;
    std::uint32_t num_looks_ = 0;
    std::size_t num_reported_ = 0;  // samples of this search that progress has heard of
};

Sampler::Sampler(const Task& task, const SamplerConfig& config, const Guard& guard)
    : task_(task),
      config_(config),
      mutexes_(task, guard),
      packer_(sample_packer(task)),
      space_(make_backward_space(config.space, task, config.consistent_starts, guard)) {
    if (config.num_searches == 0 || config.num_samples == 0)
        throw std::invalid_argument("there must be at least one search and one sample a search");
    if (std::uint64_t{config.num_searches} * config.num_samples >= Samples::NO_PARENT)
        throw std::invalid_argument("more than four billion samples were asked for");
}

SamplingStatus Sampler::run(std::size_t num_threads, const SamplingLimits& limits,
                            const std::function<bool(std::size_t)>& progress, Samples& samples) const {
    Shared shared(limits.time_s, progress);
    // Vectors have room to grow, and joining the parts holds them twice for a moment.
    shared.max_bytes = limits.memory_bytes / 3;
    num_threads = std::max<std::size_t>(1, num_threads);
    shared.num_threads = num_threads;
    shared.num_running = num_threads;
    ThreadGroup threads;
    const auto work = [&] {
        try {
            Worker(*this, shared).run();
        } catch (const std::bad_alloc&) {
            shared.stop(SamplingStatus::OUT_OF_MEMORY);
        }
        const std::lock_guard lock(shared.mutex);
        --shared.num_running;
        shared.finished.notify_one();
    };
    try {
        for (std::size_t i = 0; i < num_threads; ++i) threads.start(work);
        std::unique_lock lock(shared.mutex);
        while (!shared.finished.wait_for(lock, Deadline::CALL_INTERVAL, [&] { return shared.num_running == 0; })) {
            lock.unlock();
            if (shared.deadline.passed_now())
                shared.stop(shared.deadline.end() == Deadline::End::TIME_UP ? SamplingStatus::OUT_OF_TIME
                                                                            : SamplingStatus::INTERRUPTED);
            lock.lock();
        }
    } catch (...) {  // from the callback, or no more threads to be had: those that run must not go on
        shared.stop(SamplingStatus::INTERRUPTED);
        throw;
    }
    threads.join();
    join(shared.parts, samples);
    return shared.status;
}

}  // namespace sing
