#include "samples/biss.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>

#include "base/crew.h"
#include "samples/make_backward_space.h"
#include "samples/sample_seeds.h"
#include "samples/typed_level.h"
#include "states/condition_tree.h"
#include "states/partial_state.h"
#include "states/transitions.h"

namespace sing {
namespace {

// Of the time, at most, for sampling backward.
constexpr double BACKWARD_SHARE = 0.3;
constexpr std::uint32_t NO_LABEL = 0xFFFF'FFFFu;

// What the threads share: the states met backward, with the number of steps from them to the goal.
class BackwardStates {
public:
    // Levels may take so many bytes beside what the guard counts.
    BackwardStates(const Task& task, const BissConfig& config, std::size_t max_bytes, const Deadline& deadline,
                   const Guard& guard)
        : goals(task, guard),
          packer(task),
          transitions(task, packer, guard),
          generator(task, guard),
          mutexes(task, guard),
          space(make_backward_space("r", task, false, guard)),
          max_bytes_(max_bytes),
          rows_(guard.memory()) {
        for (std::uint32_t probe = 0; probe < config.num_probes; ++probe) {
            if (deadline.elapsed_s() >= BACKWARD_SHARE * deadline.time_s()) break;
            sample(task, config, probe, guard);
        }
        tree_.emplace(task, sorted(task, guard), guard);
        std::pmr::vector<ConditionTree::Item> items(guard.memory());
        for (std::uint32_t i = 0; i < levels_.size(); ++i) items.push_back({i, i});
        root_ = tree_->add(items, guard);
    }

    // The least number of steps that one of them tells of a full state, or NO_LABEL.
    std::uint32_t distance(std::span<const Value> state) const {
        std::uint32_t least = NO_LABEL;
        tree_->visit<ConditionTree::Undefined::NEVER>(root_, state,
                                                      [&](std::uint32_t i) { least = std::min(least, levels_[i]); });
        return least;
    }

    const Goals goals;
    const StatePacker packer;
    const Transitions transitions;
    const SuccessorGenerator generator;
    const Mutexes mutexes;
    const std::unique_ptr<BackwardSpace> space;

private:
    void sample(const Task& task, const BissConfig& config, std::uint32_t probe, const Guard& guard) {
        Rng rng = rng_for(config.seed, Stream::STRATA, probe);
        PartialState state(task, mutexes);
        StateTypes types(config.types, goals, generator, *space);
        TypedLevel level(task.variables.size(), config.max_types), next = level;
        if (!space->draw_start(state, rng)) return;
        level.add(state.values(), 0, 1.0, rng);
        std::vector<OperatorId> operators;
        std::vector<Change> changes;
        std::uint64_t work = 0;
        for (std::uint32_t depth = 0; level.size() > 0; ++depth) {
            for (std::size_t i = 0; i < level.size(); ++i) keep(level.state(i), depth, guard);
            if (depth == config.max_levels || work >= config.backward_work) return;
            next.clear();
            for (std::size_t i = 0; i < level.size() && work < config.backward_work; ++i) {
                state.assign(level.state(i));
                operators.clear();
                space->candidates(state, operators);
                for (OperatorId op : operators) {
                    guard.poll(1 + task.variables.size() / 8);
                    ++work;
                    changes.clear();
                    if (!space->step(op, state, rng, changes)) continue;
                    next.add(state.values(), types.of_partial(state), level.weight(i), rng);
                    BackwardSpace::undo(state, changes);
                }
                if (level.memory_bytes() + next.memory_bytes() > max_bytes_) throw std::bad_alloc();
            }
            std::swap(level, next);
        }
    }

    void keep(std::span<const Value> values, std::uint32_t depth, const Guard& guard) {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] != UNDEFINED) rows_.push({static_cast<std::int32_t>(i), values[i]});
        rows_.close_row();
        guard.take(sizeof(depth));
        levels_.push_back(depth);
    }

    // The rows with the variables that most of them name first.
    Csr<Fact> sorted(const Task& task, const Guard& guard) const {
        UsageOrder order(task.variables.size());
        for (std::size_t i = 0; i < rows_.num_rows(); ++i) order.count(rows_[i]);
        Csr<Fact> result(guard.memory());
        result.reserve(rows_.num_rows(), rows_.items().size());
        std::vector<Fact> row;
        for (std::size_t i = 0; i < rows_.num_rows(); ++i) {
            row.assign(rows_[i].begin(), rows_[i].end());
            order.sort(row);
            result.push_row(row);
            guard.poll(1 + row.size());
        }
        return result;
    }

    std::size_t max_bytes_;
    Csr<Fact> rows_;                     // by state: its facts
    std::vector<std::uint32_t> levels_;  // by state: steps to the goal
    std::optional<ConditionTree> tree_;
    ConditionTree::NodeId root_ = 0;
};

// One thread's forward samplings.
class Forward {
public:
    Forward(const Task& task, const BackwardStates& backward, const BissConfig& config, std::size_t max_bytes,
            Deadline& deadline)
        : backward_(backward),
          config_(config),
          max_bytes_(max_bytes),
          deadline_(deadline),
          progression_(task, backward.transitions, Guard()),
          types_(config.types, backward.goals, backward.generator, *backward.space),
          level_(task.variables.size(), config.max_types),
          next_(level_) {}

    // NO_LABEL where nothing was met. Full values are given.
    std::uint32_t label(std::span<const Value> start, std::uint32_t number) {
        Rng rng = rng_for(config_.seed, Stream::STRATA, (std::uint64_t{1} << 33) + number);
        std::uint32_t least = NO_LABEL;
        std::uint64_t work = 0;
        level_.clear();
        level_.add(start, 0, 1.0, rng);
        for (std::uint32_t depth = 0; level_.size() > 0; ++depth) {
            for (std::size_t i = 0; i < level_.size(); ++i)
                if (const std::uint32_t rest = backward_.distance(level_.state(i)); rest != NO_LABEL)
                    least = std::min(least, depth + rest);
            // What is met one level on is at least that far.
            if (least <= depth + 1 || depth == config_.max_levels || work >= config_.forward_work) break;
            next_.clear();
            for (std::size_t i = 0; i < level_.size() && work < config_.forward_work; ++i)
                if (!expand(level_.state(i), level_.weight(i), rng, work)) return NO_LABEL;
            if (level_.memory_bytes() + next_.memory_bytes() > max_bytes_) break;
            std::swap(level_, next_);
        }
        return least;
    }

private:
    // False where the time is up.
    bool expand(std::span<const Value> state, double weight, Rng& rng, std::uint64_t& work) {
        constexpr std::uint64_t steps_between_looks = 64;
        parent_.assign(state.begin(), state.end());
        progression_.enter(parent_);
        operators_.clear();
        backward_.generator.applicable(parent_, operators_);
        for (OperatorId op : operators_) {
            if (work++ % steps_between_looks == 0 && (deadline_.has_passed() || deadline_.is_time_up())) return false;
            child_ = parent_;
            for (const Fact& fact : progression_.changes(parent_, op))
                child_[static_cast<std::size_t>(fact.variable)] = fact.value;
            progression_.enter(child_);
            next_.add(child_, types_.of_full(child_, progression_), weight, rng);
            progression_.enter(parent_);
        }
        return true;
    }

    const BackwardStates& backward_;
    const BissConfig& config_;
    std::size_t max_bytes_;
    Deadline& deadline_;
    Progression progression_;
    StateTypes types_;
    TypedLevel level_, next_;
    std::vector<Value> parent_, child_;
    std::vector<OperatorId> operators_;
};

SamplingStatus status_of(const Deadline& deadline) {
    return deadline.end() == Deadline::End::STOPPED ? SamplingStatus::INTERRUPTED : SamplingStatus::OUT_OF_TIME;
}

}  // namespace

SamplingStatus label_by_biss(const Task& task, const Samples& starts, const BissConfig& config, std::size_t num_threads,
                             const SamplingLimits& limits, const std::function<bool(std::size_t)>& progress,
                             Samples& samples) {
    std::atomic<std::uint32_t> next_start{0};
    Deadline deadline(limits.time_s, [&] { return progress(std::min<std::size_t>(next_start, starts.size())); });
    MemoryMeter meter(limits.memory_bytes);
    std::vector<std::uint32_t> labels(starts.size(), NO_LABEL);
    const StatePacker packer = sample_packer(task);
    std::atomic<bool> all{true};
    try {
        const BackwardStates backward(task, config, limits.memory_bytes / 4, deadline, Guard(deadline, meter));
        num_threads = std::max<std::size_t>(1, std::min(num_threads, starts.size()));
        run_in_threads(num_threads, deadline, [&] {
            Forward forward(task, backward, config, limits.memory_bytes / 4 / num_threads, deadline);
            std::vector<Value> values(packer.num_variables());
            for (std::uint32_t start; (start = next_start++) < starts.size();) {
                if (deadline.has_passed() || deadline.is_time_up()) {
                    all = false;
                    return;
                }
                starts.unpack(start, packer, values);
                if (std::ranges::find(values, UNDEFINED) == values.end()) labels[start] = forward.label(values, start);
            }
        });
    } catch (const WorkStopped&) {
        return status_of(deadline);
    } catch (const std::bad_alloc&) {
        return SamplingStatus::OUT_OF_MEMORY;
    }
    std::vector<Value> values(packer.num_variables());
    for (std::uint32_t start = 0; start < starts.size(); ++start) {
        if (labels[start] == NO_LABEL) continue;
        starts.unpack(start, packer, values);
        samples.push(values, labels[start], packer);
    }
    return all && !deadline.has_passed() ? SamplingStatus::COMPLETE : status_of(deadline);
}

}  // namespace sing
