#include "search/search.h"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>

#include "base/guard.h"
#include "goals/facts_needed_again.h"
#include "goals/goal_orders.h"
#include "search/novelty.h"
#include "search/orbit_filter.h"
#include "states/progression.h"
#include "states/state_packer.h"
#include "states/state_table.h"
#include "states/successor_block.h"
#include "states/successor_generator.h"
#include "states/transitions.h"

namespace sing {

class Search::Impl {
public:
    Impl(const Task& task, Heuristic& heuristic, const SearchConfig& config,
         const InterchangeableObjects* interchangeable)
        : work_per_state_(1 + task.variables.size() / VARIABLES_PER_UNIT),
          task_(task),
          heuristic_(heuristic),
          boost_(config.boost),
          has_goal_orders_(config.goal_orders),
          packer_(task),
          task_has_fixed_effects_(task.has_fixed_effects()),
          table_(packer_.num_words(), memory_),
          open_(config.queues, config.ties, config.seed, memory_),
          estimates_(1, memory_),
          depths_(1, memory_),
          closed_(1, memory_),
          values_(packer_.num_variables()),
          successors_(&memory_),
          max_links_(config.max_links),
          interchangeable_(interchangeable) {
        if (open_.uses(Key::NOVELTY)) novelty_.emplace(task, memory_);
    }

    SearchResult run_from(std::span<const Value> state, const SearchParts& parts, const SearchLimits& limits,
                          const ProgressCallback& progress) {
        initial_state_ = state;
        parts_ = &parts;
        return run(limits, progress);
    }

    void start_from(std::vector<Value> state) {
        other_state_ = std::move(state);
        initial_state_ = other_state_;
    }

    SearchResult run(const SearchLimits& limits, const ProgressCallback& progress) {
        deadline_.emplace(limits.time_s, [this, &progress] {
            update_statistics();
            return progress(result_.statistics);
        });
        max_work_ = limits.work;
        work_before_ = heuristic_.work();
        memory_.set_limit(limits.memory_bytes);
        try {
            prepare();
            run_to_status();
        } catch (const WorkStopped&) {
            stop_by_deadline();
        } catch (const std::bad_alloc&) {  // the system's own limit was below ours
            result_.status = SearchStatus::OUT_OF_MEMORY;
        }
        update_statistics();
        return std::move(result_);
    }

    std::size_t num_states() const { return table_.size(); }
    std::size_t num_variables() const { return packer_.num_variables(); }
    void unpack(StateId id, std::span<Value> values) {
        packer_.unpack(table_.state(id), values);
        if (progression_) progression_->enter(values);
    }
    Value value(StateId id, std::int32_t variable) const {
        const StatePacker::Field& field = packer_.field(variable);
        return static_cast<Value>((table_.state(id)[field.word] >> field.shift) & field.mask);
    }
    std::span<const Link> links() const { return links_; }

private:
    static constexpr std::size_t VARIABLES_PER_UNIT = 32;

    // A successor just generated.
    struct Generated {
        StateId id;
        OperatorId op;
        bool is_preferred;
        std::span<const Fact> changes;  // what may differ from its parent
    };

    // What takes time and memory by the size of the task.
    void prepare() {
        const Guard guard(*deadline_, memory_);
        if (!parts_) parts_ = &own_parts_.emplace(task_, has_goal_orders_, guard);
        transitions_ = &parts_->transitions;
        generator_ = &parts_->generator;
        goals_ = &parts_->goals;
        progression_.emplace(task_, *transitions_, guard);
        if (open_.uses(Key::LANDMARKS)) needed_again_.emplace(task_.needed_again, task_.variables.size(), guard);
        if (interchangeable_ && interchangeable_->num_objects() > 0 && task_has_fixed_effects_)
            orbits_.emplace(*interchangeable_, task_, guard, memory_);
        deadline_->begin_other_work();
    }

    void run_to_status() {
        if (!open_initial_state()) return;
        while (const std::optional<StateId> id = open_.pop()) {
            if (close(*id) ? !expand(*id) : !may_go_on(1)) return;
        }
        result_.status = SearchStatus::EXHAUSTED;
    }

    bool stop(SearchStatus status) {
        result_.status = status;
        return false;
    }

    bool open_initial_state() {
        values_.assign(initial_state_.begin(), initial_state_.end());
        std::vector<StatePacker::Word> words(packer_.num_words());
        packer_.pack(values_, words);
        const auto [outcome, id] = table_.insert(words, table_.hash()(words), {NO_STATE, NO_OPERATOR});
        if (outcome == StateTable::Outcome::FULL) return stop(SearchStatus::OUT_OF_MEMORY);
        if (orbits_) orbits_->meet(values_);
        result_.initial_estimate = heuristic_.evaluate(values_);
        result_.statistics.num_evaluated = 1;
        const std::int32_t num_open_goals = goals_->count(values_);
        result_.statistics.fewest_open_goals = num_open_goals;
        if (num_open_goals == 0) return stop(SearchStatus::SOLVED);
        if (result_.initial_estimate == DEAD_END) return true;  // the open list stays empty
        Keys keys;
        keys[Key::ESTIMATE] = result_.initial_estimate;
        keys[Key::OPEN_GOALS] = num_open_goals;
        if (needed_again_) keys[Key::LANDMARKS] = num_open_goals + needed_again_->count(values_);
        return open(id, keys, [&](Novelty::Class cls) { return novelty_->record(values_, cls); });
    }

    // Marks a state as expanded. False where it was already: each queue gives every state once.
    bool close(StateId id) {
        if (open_.num_queues() == 1) return true;
        std::uint64_t& word = closed_[index(id) / 64][0];
        const std::uint64_t bit = std::uint64_t{1} << (index(id) % 64);
        if (word & bit) return false;
        word |= bit;
        return true;
    }

    // False where the search is over.
    bool expand(StateId id) {
        const StateTable::Words parent = table_.state(id);
        packer_.unpack(parent, values_);
        progression_->enter(values_);
        operators_.clear();
        generator_->applicable(values_, operators_);
        new_ids_.clear();
        new_operators_.clear();
        const std::size_t num_applicable = operators_.size();
        const bool keeps_links = make_room_for_links(num_applicable);
        const std::uint64_t parent_hash = table_.hash()(parent);
        if (orbits_) orbits_->keep_new(values_, operators_, *transitions_, rate_, Guard(*deadline_, memory_));
        std::size_t size = 0;
        for (std::size_t begin = 0; begin < operators_.size(); begin += size) {
            size = std::min(SuccessorBlock::MAX_SIZE, operators_.size() - begin);
            if (begin > 0 && !may_go_on(size)) return false;
            if (!register_successors(id, parent_hash, std::span(operators_).subspan(begin, size), keeps_links))
                return stop(SearchStatus::OUT_OF_MEMORY);
        }
        ++result_.statistics.num_expanded;
        result_.statistics.num_generated += num_applicable;
        return open_successors(id) &&
               (result_.statistics.num_generated + heuristic_.work() - work_before_ < max_work_ ||
                stop(SearchStatus::OUT_OF_WORK));
    }

    void rate(std::span<const OperatorId> operators, std::span<OrbitFilter::Rating> ratings) {
        std::size_t size = 0;
        for (std::size_t begin = 0; begin < operators.size(); begin += size) {
            size = batch_size(operators.size() - begin);
            evaluate(operators.subspan(begin, size));
            const std::span<const std::uint8_t> preferred = heuristic_.preferred();
            for (std::size_t i = 0; i < size; ++i)
                ratings[begin + i] = {preferred.empty() || !preferred[i], batch_estimates_[i]};
            Guard(*deadline_, memory_).poll(size * work_per_state_);
        }
    }

    // Of successors to evaluate at once, so that the clock is looked at even where a state has thousands of them and
    // each estimate takes milliseconds.
    std::size_t batch_size(std::size_t num_left) const {
        constexpr std::size_t most = 64;
        return std::min({most, std::max<std::size_t>(1, deadline_->interval() / work_per_state_), num_left});
    }

    // Successors of the state that is expanded.
    Successors evaluate(std::span<const OperatorId> operators) {
        batch_estimates_.resize(operators.size());
        const Successors successors{values_, operators, progression_->changes(values_, operators)};
        heuristic_.evaluate_successors(successors, batch_estimates_);
        result_.statistics.num_evaluated += operators.size();
        return successors;
    }

    // False where memory is full.
    bool register_successors(StateId id, std::uint64_t parent_hash, std::span<const OperatorId> operators,
                             bool keeps_links) {
        successors_.generate(table_.state(id), parent_hash, values_, operators, *transitions_, table_);
        for (std::size_t i = 0; i < operators.size(); ++i) {
            const auto [outcome, successor_id] =
                table_.insert(successors_.words(i), successors_.hash(i), {id, operators[i]});
            if (outcome == StateTable::Outcome::FULL) return false;
            if (keeps_links) links_.push_back({id, successor_id});
            if (outcome == StateTable::Outcome::DUPLICATE) continue;
            new_ids_.push_back(successor_id);
            new_operators_.push_back(operators[i]);
        }
        return true;
    }

    // Whether the links of one more state are kept. After the first that are not, none are: what is kept is then
    // connected.
    bool make_room_for_links(std::size_t count) {
        if (links_.size() + count > max_links_ || !memory_.try_take(count * sizeof(Link))) max_links_ = 0;
        return max_links_ > 0;
    }

    // Evaluates the new successors of `parent`.
    bool open_successors(StateId parent) {
        const std::int32_t parent_goals = goals_->count(values_);
        if (needed_again_) needed_again_->set_parent(values_);
        std::size_t size = 0;
        for (std::size_t begin = 0; begin < new_ids_.size(); begin += size) {
            size = batch_size(new_ids_.size() - begin);
            const auto operators = std::span<const OperatorId>(new_operators_).subspan(begin, size);
            const Successors successors = evaluate(operators);
            const std::span<const std::uint8_t> preferred = heuristic_.preferred();
            for (std::size_t i = 0; i < size; ++i) {
                const bool is_preferred = !preferred.empty() && preferred[i];
                const Generated successor{new_ids_[begin + i], operators[i], is_preferred, changes_of(successors, i)};
                if (!open_successor(parent, parent_goals, successor, batch_estimates_[i])) return false;
            }
            if (!may_go_on(size)) return false;
        }
        return may_go_on(1);
    }

    bool open_successor(StateId parent, std::int32_t parent_goals, Generated successor, Estimate estimate) {
        const std::int32_t num_open_goals = task_has_fixed_effects_
                                                ? goals_->count_after(values_, parent_goals, successor.op)
                                                : goals_->count_after(values_, parent_goals, successor.changes);
        if (num_open_goals == 0) {
            trace_plan(successor.id);
            return stop(SearchStatus::SOLVED);
        }
        if (estimate == DEAD_END) return true;
        Keys keys;
        keys[Key::ESTIMATE] = estimate;
        keys[Key::OPEN_GOALS] = num_open_goals;
        keys[Key::DEPTH] = uses_depth_ ? depths_[index(parent)][0] + 1 : 0;
        keys[Key::PREFERENCE] = successor.is_preferred ? 0 : 1;
        if (needed_again_) keys[Key::LANDMARKS] = num_open_goals + needed_again_->count_after(successor.changes);
        const SearchStatistics& statistics = result_.statistics;
        if (estimate < statistics.best_estimate || num_open_goals < statistics.fewest_open_goals)
            open_.boost_preferred(boost_);
        return open(successor.id, keys, [&](Novelty::Class cls) {
            if (cls == Novelty::Class{estimates_[index(parent)][0], parent_goals})
                return novelty_->record_effects(successor.changes, cls);
            successor_values_ = values_;
            for (const Fact& fact : successor.changes)
                successor_values_[static_cast<std::size_t>(fact.variable)] = fact.value;
            return novelty_->record(successor_values_, cls);
        });
    }

    std::span<const Fact> changes_of(const Successors& successors, std::size_t i) const {
        return successors.changes ? (*successors.changes)[i] : transitions_->effects(successors.operators[i]);
    }

    // Puts a state into the open list, with all its keys but novelty.
    template <typename RecordNovelty>
    bool open(StateId id, Keys keys, RecordNovelty record) {
        if (uses_depth_) {
            if (!depths_.reserve(index(id))) return stop(SearchStatus::OUT_OF_MEMORY);
            depths_[index(id)][0] = keys[Key::DEPTH];
        }
        if (open_.num_queues() > 1 && !closed_.reserve(index(id) / 64)) return stop(SearchStatus::OUT_OF_MEMORY);
        if (novelty_) {
            if (!estimates_.reserve(index(id))) return stop(SearchStatus::OUT_OF_MEMORY);
            estimates_[index(id)][0] = keys[Key::ESTIMATE];
            const Novelty::Verdict verdict = record({keys[Key::ESTIMATE], keys[Key::OPEN_GOALS]});
            if (verdict == Novelty::Verdict::FULL) return stop(SearchStatus::OUT_OF_MEMORY);
            keys[Key::NOVELTY] = verdict == Novelty::Verdict::NOVEL ? 0 : 1;
        }
        SearchStatistics& statistics = result_.statistics;
        statistics.best_estimate = std::min(statistics.best_estimate, keys[Key::ESTIMATE]);
        statistics.fewest_open_goals = std::min(statistics.fewest_open_goals, keys[Key::OPEN_GOALS]);
        return open_.push(keys, id) || stop(SearchStatus::OUT_OF_MEMORY);
    }

    void update_statistics() {
        SearchStatistics& statistics = result_.statistics;
        statistics.time_s = deadline_->elapsed_s();
        statistics.num_registered = table_.size();
        statistics.memory_bytes = memory_.used_bytes();
    }

    // After so many states: false where the time is up or the caller wants to stop.
    bool may_go_on(std::size_t num_states) {
        return !deadline_->passed(num_states * work_per_state_) || stop_by_deadline();
    }

    bool stop_by_deadline() {
        const bool is_time_up = deadline_->end() == Deadline::End::TIME_UP;
        return stop(is_time_up ? SearchStatus::OUT_OF_TIME : SearchStatus::INTERRUPTED);
    }

    void trace_plan(StateId id) {
        for (; table_.origin(id).op != NO_OPERATOR; id = table_.origin(id).parent)
            result_.plan.push_back(table_.origin(id).op);
        std::ranges::reverse(result_.plan);
    }

    std::optional<Deadline> deadline_;  // of run()
    std::size_t work_per_state_;        // for the deadline
    std::uint64_t max_work_ = 0;
    std::uint64_t work_before_ = 0;  // that the heuristic had done before run()
    const Task& task_;
    Heuristic& heuristic_;
    std::int64_t boost_;
    bool has_goal_orders_;

    MemoryMeter memory_;
    StatePacker packer_;
    bool task_has_fixed_effects_;
    std::span<const Value> initial_state_ = task_.initial_state;
    std::vector<Value> other_state_;        // what start_from() was given
    std::optional<SearchParts> own_parts_;  // where none are shared
    const SearchParts* parts_ = nullptr;
    const Transitions* transitions_ = nullptr;  // of the parts
    const SuccessorGenerator* generator_ = nullptr;
    const OpenGoals* goals_ = nullptr;
    std::optional<Progression> progression_;
    std::optional<FactsNeededAgain> needed_again_;  // where a queue counts them
    StateTable table_;
    OpenList open_;
    std::optional<Novelty> novelty_;
    PagedArray<Estimate> estimates_;  // by state; kept for novelty, whose classes need the parent's
    bool uses_depth_ = open_.uses(Key::DEPTH);
    PagedArray<std::int32_t> depths_;   // by state; kept where a queue uses them
    PagedArray<std::uint64_t> closed_;  // 64 states a word; kept where several queues hold each state

    std::vector<Value> values_;  // of the state being expanded
    std::vector<Value> successor_values_;
    std::vector<OperatorId> operators_;
    SuccessorBlock successors_;
    std::vector<StateId> new_ids_;
    std::vector<OperatorId> new_operators_;
    std::vector<Estimate> batch_estimates_;
    std::optional<OrbitFilter> orbits_;  // where there are interchangeable objects
    const OrbitFilter::Rate rate_ = [this](auto operators, auto ratings) { rate(operators, ratings); };
    std::size_t max_links_;  // 0: no more
    const InterchangeableObjects* interchangeable_;
    std::vector<Link> links_;

    SearchResult result_;
};

SearchParts::SearchParts(const Task& task, bool goal_orders, const Guard& guard)
    : packer(task), transitions(task, packer, guard), generator(task, guard), goals(task, goal_orders, guard) {}

Search::Search(const Task& task, Heuristic& heuristic, const SearchConfig& config,
               const InterchangeableObjects* interchangeable)
    : impl_(std::make_unique<Impl>(task, heuristic, config, interchangeable)) {}

Search::~Search() = default;

void Search::start_from(std::vector<Value> state) { impl_->start_from(std::move(state)); }
std::size_t Search::num_states() const { return impl_->num_states(); }
std::size_t Search::num_variables() const { return impl_->num_variables(); }
void Search::unpack(StateId id, std::span<Value> values) const { impl_->unpack(id, values); }
Value Search::value(StateId id, std::int32_t variable) const { return impl_->value(id, variable); }
std::span<const Link> Search::links() const { return impl_->links(); }

SearchResult Search::run_from(std::span<const Value> state, const SearchParts& parts, const SearchLimits& limits,
                              const ProgressCallback& progress) {
    return impl_->run_from(state, parts, limits, progress);
}

SearchResult Search::run(const SearchLimits& limits, const ProgressCallback& progress) {
    return impl_->run(limits, progress);
}

}  // namespace sing
