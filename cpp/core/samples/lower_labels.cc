#include "samples/lower_labels.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "base/crew.h"
#include "samples/first_equals.h"
#include "samples/hindsight.h"
#include "states/condition_tree.h"
#include "states/successor_generator.h"

namespace sing {
namespace {

constexpr std::size_t BLOCK_SIZE = 64;
// A step is held by a thread, then with all others, then by its target.
constexpr std::size_t BYTES_PER_LINK = 3 * sizeof(Link);

// Steps between different samples: what the threads share to find them.
class StepFinder {
public:
    // `uniques` are positions of samples, no two equal.
    StepFinder(const Task& task, const Samples& samples, std::span<const std::uint32_t> uniques, const Guard& guard)
        : task_(task),
          samples_(samples),
          uniques_(uniques),
          packer_(sample_packer(task)),
          generator_(task, guard),
          tree_(task, facts_of(uniques, guard), guard) {
        std::pmr::vector<ConditionTree::Item> items(guard.memory());
        for (std::uint32_t i = 0; i < uniques.size(); ++i) items.push_back({i, i});
        root_ = tree_.add(items, guard);
    }

    std::size_t num_blocks() const { return (uniques_.size() + BLOCK_SIZE - 1) / BLOCK_SIZE; }

    // Appends the steps from the samples of a block. False where the deadline ended it early.
    bool append_steps(std::size_t block, const Deadline& deadline, std::vector<Link>& links) const {
        constexpr std::size_t steps_between_looks = 256;
        std::vector<Value> state(packer_.num_variables());
        std::vector<Change> before;
        std::vector<OperatorId> operators;
        const std::size_t end = std::min(uniques_.size(), (block + 1) * BLOCK_SIZE);
        for (std::size_t from = block * BLOCK_SIZE; from < end; ++from) {
            samples_.unpack(uniques_[from], packer_, state);
            operators.clear();
            generator_.applicable_to_partial(state, operators);
            std::size_t since_look = 0;
            for (OperatorId op : operators) {
                if (since_look++ % steps_between_looks == 0 && (deadline.has_passed() || deadline.is_time_up()))
                    return false;
                before.clear();
                for (const Effect& effect : task_.operators[index(op)].effects) {
                    Value& value = state[static_cast<std::size_t>(effect.fact.variable)];
                    before.push_back({effect.fact.variable, value});
                    value = effect.fact.value;
                }
                tree_.visit<ConditionTree::Undefined::FAILS>(root_, state, [&](std::uint32_t to) {
                    if (to != from) links.push_back({StateId{static_cast<std::uint32_t>(from)}, StateId{to}});
                });
                for (std::size_t i = before.size(); i > 0; --i)
                    state[static_cast<std::size_t>(before[i - 1].variable)] = before[i - 1].value;
            }
        }
        return true;
    }

private:
    struct Change {
        std::int32_t variable;
        Value value;
    };

    Csr<Fact> facts_of(std::span<const std::uint32_t> uniques, const Guard& guard) const {
        UsageOrder order(task_.variables.size());
        std::vector<Value> state(packer_.num_variables());
        std::vector<Fact> facts;
        auto read = [&](std::uint32_t sample) {
            samples_.unpack(sample, packer_, state);
            facts.clear();
            for (std::size_t i = 0; i < state.size(); ++i)
                if (state[i] != UNDEFINED) facts.push_back({static_cast<std::int32_t>(i), state[i]});
            guard.poll(1 + state.size());
        };
        std::size_t num_facts = 0;
        for (std::uint32_t sample : uniques) {
            read(sample);
            order.count(facts);
            num_facts += facts.size();
        }
        Csr<Fact> rows(guard.memory());
        rows.reserve(uniques.size(), num_facts);
        for (std::uint32_t sample : uniques) {
            read(sample);
            order.sort(facts);
            rows.push_row(facts);
        }
        return rows;
    }

    const Task& task_;
    const Samples& samples_;
    std::span<const std::uint32_t> uniques_;
    StatePacker packer_;
    SuccessorGenerator generator_;
    ConditionTree tree_;
    ConditionTree::NodeId root_ = 0;
};

// The steps between the unique samples, none where they take more memory than there is. `in_time` says whether the
// deadline left time for all.
std::vector<Link> find_steps(const StepFinder& finder, std::size_t num_threads, Deadline& deadline,
                             std::size_t max_bytes, bool& in_time) {
    std::vector<Link> links;
    std::mutex mutex;
    std::atomic<std::size_t> next_block{0}, num_bytes{0};
    std::atomic<bool> all{true};
    run_in_threads(std::min(num_threads, finder.num_blocks()), deadline, [&] {
        std::vector<Link> own;
        for (std::size_t block; (block = next_block++) < finder.num_blocks() && num_bytes < max_bytes;) {
            const std::size_t size_before = own.size();
            if (!finder.append_steps(block, deadline, own)) {
                all = false;
                break;
            }
            num_bytes += (own.size() - size_before) * BYTES_PER_LINK;
        }
        const std::lock_guard lock(mutex);
        links.insert(links.end(), own.begin(), own.end());
    });
    in_time = all;
    if (num_bytes >= max_bytes) links.clear();
    return links;
}

void lower_by_successors(const Task& task, std::span<const std::uint32_t> uniques, std::size_t num_threads,
                         Deadline& deadline, MemoryMeter& meter, std::size_t max_bytes, Samples& samples,
                         bool& in_time) {
    const Guard guard(deadline, meter);
    std::optional<StepFinder> finder;
    finder.emplace(task, samples, uniques, guard);
    const std::size_t used_bytes = std::min(max_bytes, meter.used_bytes());
    const std::vector<Link> links = find_steps(*finder, num_threads, deadline, max_bytes - used_bytes, in_time);
    constexpr std::uint32_t furthest = Hindsight::FAR - 1;
    std::vector<std::uint16_t> known;
    known.reserve(uniques.size());
    for (std::uint32_t sample : uniques)
        known.push_back(static_cast<std::uint16_t>(std::min(samples.labels[sample], furthest)));
    Hindsight(uniques.size(), links).lower(known);
    for (std::size_t i = 0; i < uniques.size(); ++i)
        if (known[i] < furthest)
            samples.labels[uniques[i]] = std::min<std::uint32_t>(samples.labels[uniques[i]], known[i]);
}

}  // namespace

bool lower_labels(const Task& task, const Lowering& lowering, std::size_t num_threads, const SamplingLimits& limits,
                  const std::function<bool()>& keep_going, Samples& samples) {
    if (!lowering.by_equals && !lowering.by_successors) return true;
    Deadline deadline(limits.time_s, keep_going);
    MemoryMeter meter(limits.memory_bytes);
    bool in_time = true;
    std::vector<std::uint32_t> firsts;
    try {
        const Guard guard(deadline, meter);
        const std::size_t num_words = sample_packer(task).num_words();
        firsts = first_equals(samples, num_words, [](std::span<StatePacker::Word>) {}, guard);
    } catch (const WorkStopped&) {
        return false;
    }
    std::vector<std::uint32_t> uniques;
    for (std::uint32_t i = 0; i < samples.size(); ++i) {
        if (firsts[i] == i) uniques.push_back(i);
        samples.labels[firsts[i]] = std::min(samples.labels[firsts[i]], samples.labels[i]);
    }
    const auto with_equals = [&] {
        for (std::uint32_t i = 0; i < samples.size(); ++i) samples.labels[i] = samples.labels[firsts[i]];
        return in_time;
    };
    if (!lowering.by_successors || !task.has_fixed_effects()) return with_equals();
    try {
        lower_by_successors(task, uniques, num_threads, deadline, meter, limits.memory_bytes, samples, in_time);
    } catch (const WorkStopped&) {
        in_time = false;
    } catch (const std::bad_alloc&) {  // the labels are as good as equal samples make them
        return with_equals();
    }
    return with_equals();
}

}  // namespace sing
