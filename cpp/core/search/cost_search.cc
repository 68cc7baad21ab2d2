#include "search/cost_search.h"

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/guard.h"
#include "goals/goals.h"
#include "search/cost_nodes.h"
#include "search/cost_open_list.h"
#include "states/progression.h"
#include "states/state_packer.h"
#include "states/state_table.h"
#include "states/successor_block.h"
#include "states/successor_generator.h"
#include "states/transitions.h"
#include "symmetries/orbit_hash.h"

namespace sing {

class CostSearch::Impl {
public:
    Impl(const Task& task, LowerBound& bound, Heuristic* estimate, const CostSearchConfig& config,
         const InterchangeableObjects* interchangeable)
        : work_per_state_(1 + task.variables.size() / VARIABLES_PER_UNIT),
          task_(task),
          lower_bound_of_(bound),
          estimate_(estimate),
          config_(config),
          interchangeable_(interchangeable),
          costs_(operator_costs(task, CostKind::REAL)),
          order_costs_(operator_costs(task, config.order)),
          bound_is_f_(estimate == nullptr && config.weight == 1 && costs_ == order_costs_),
          packer_(task),
          table_(packer_.num_words(), memory_),
          open_(memory_),
          open_preferred_(memory_),
          nodes_(estimate != nullptr, costs_ != order_costs_, config.weight, memory_),
          representatives_(&memory_),
          successors_(&memory_) {}

    CostSearchResult run(const CostSearchLimits& limits, const ProgressCallback& progress) {
        const double time_before_s = result_.statistics.time_s;
        deadline_.emplace(limits.time_s, [this, &progress, time_before_s] {
            update_statistics(time_before_s);
            return progress(result_.statistics);
        });
        max_work_ = std::min(limits.work, std::numeric_limits<std::uint64_t>::max() - work()) + work();
        memory_.set_limit(limits.memory_bytes);
        bound_ = std::min(bound_, limits.bound);
        result_.plan.clear();
        result_.cost = INFINITE_COST;
        if (final_status_)
            stop(*final_status_);
        else
            run_guarded();
        update_statistics(time_before_s);
        return result_;
    }

private:
    static constexpr std::size_t VARIABLES_PER_UNIT = 32;

    void run_guarded() {
        try {
            if (!generator_) prepare();
            run_to_status();
        } catch (const WorkStopped&) {
            const bool is_time_up = deadline_->end() == Deadline::End::TIME_UP;
            stop(is_time_up ? SearchStatus::OUT_OF_TIME : SearchStatus::INTERRUPTED);
            restore_expansion();
        } catch (const std::bad_alloc&) {
            end(SearchStatus::OUT_OF_MEMORY);  // what was being done is lost
        }
        if (goal_ != NO_STATE) return_plan();
    }

    // What takes time and memory by the size of the task.
    void prepare() {
        transitions_.emplace(task_, packer_, guard());
        progression_.emplace(task_, *transitions_, guard());
        goals_.emplace(task_, guard());
        if (interchangeable_ && interchangeable_->num_objects() > 0 && task_.has_fixed_effects())
            orbit_hash_.emplace(*interchangeable_, task_, guard());
        generator_.emplace(task_, guard());
        deadline_->begin_other_work();
    }

    void run_to_status() {
        if (table_.size() == 0) register_initial_state();
        if (nodes_.mark(StateId{0}) == Mark::PENDING && !open_initial_state()) return;
        while (const std::optional<CostOpenList::Entry> entry = pop()) {
            if (may_expand(*entry)) {
                expand(entry->id);
                if (goal_ != NO_STATE) return;
                if (work() >= max_work_) return stop(SearchStatus::OUT_OF_WORK);
            }
            guard().poll(work_per_state_);
        }
        result_.statistics.lower_bound = std::max(result_.statistics.lower_bound, bound_);
        end(SearchStatus::EXHAUSTED);
    }

    void stop(SearchStatus status) { result_.status = status; }
    // Further calls change nothing.
    void end(SearchStatus status) {
        final_status_ = status;
        stop(status);
    }

    void register_initial_state() {
        values_ = task_.initial_state;
        std::vector<StatePacker::Word> words(packer_.num_words());
        packer_.pack(values_, words);
        insert(words, table_.hash()(words), {NO_STATE, NO_OPERATOR});
        if (orbit_hash_) representatives_[(*orbit_hash_)(values_)] = StateId{0};
        nodes_.mark(StateId{0}) = Mark::PENDING;
    }

    // False where that is all there is to do.
    bool open_initial_state() {
        const StateId id{0};
        const std::int32_t num_open_goals = goals_->num_open(task_.initial_state);
        result_.statistics.fewest_open_goals = num_open_goals;
        if (num_open_goals == 0) {
            nodes_.mark(id) = Mark::GOAL;
            if (bound_ == 0) return true;
            goal_ = id;
            return false;
        }
        const Cost bound = lower_bound_of_.evaluate(task_.initial_state, INFINITE_COST, guard());
        const Estimate estimate = estimate_ ? estimate_->evaluate(task_.initial_state) : 0;
        ++result_.statistics.num_evaluated;
        result_.initial_bound = bound;
        if (bound != INFINITE_COST) result_.statistics.lower_bound = std::min(bound, bound_);
        open(id, bound, estimate, false);
        return true;
    }

    // The next entry, which may be out of date; nothing where none is left.
    std::optional<CostOpenList::Entry> pop() {
        const bool takes_preferred =
            !open_preferred_.empty() && (open_.empty() || turns_of_preferred_ <= turns_of_others_);
        CostOpenList& list = takes_preferred ? open_preferred_ : open_;
        if (list.empty()) return std::nullopt;
        ++(takes_preferred ? turns_of_preferred_ : turns_of_others_);
        return list.pop();
    }

    // Whether an entry that was popped is worth it. The state may have been expanded or pushed again since.
    bool may_expand(const CostOpenList::Entry& entry) {
        Mark& mark = nodes_.mark(entry.id);
        if (mark != Mark::OPEN || entry.rank != nodes_.rank(entry.id)) return false;
        const Cost least_cost = nodes_.least_cost(entry.id);
        Cost& lower_bound = result_.statistics.lower_bound;
        if (bound_is_f_) lower_bound = std::max(lower_bound, std::min(least_cost, bound_));
        mark = Mark::CLOSED;
        return least_cost < bound_;
    }

    void expand(StateId id) {
        expanded_ = id;
        const StateTable::Words parent = table_.state(id);
        values_.resize(packer_.num_variables());
        packer_.unpack(parent, values_);
        progression_->enter(values_);
        operators_.clear();
        generator_->applicable(values_, operators_);
        pending_.clear();
        if (!is_worth_expanding(id)) return;
        const std::uint64_t parent_hash = table_.hash()(parent);
        if (orbit_hash_) orbit_hash_->set_parent(values_);
        pending_operators_.clear();
        std::size_t size = 0;
        for (std::size_t begin = 0; begin < operators_.size(); begin += size) {
            size = std::min(SuccessorBlock::MAX_SIZE, operators_.size() - begin);
            register_successors(id, parent_hash, std::span(operators_).subspan(begin, size));
            guard().poll(size * work_per_state_);
        }
        evaluate_pending();
        ++result_.statistics.num_expanded;
        result_.statistics.num_generated += operators_.size();
        expanded_ = NO_STATE;
    }

    // The lower bound that is made for the sake of successors may say more about the state than the one that it was
    // pushed with. Then it waits for its turn again, or is dropped.
    bool is_worth_expanding(StateId id) {
        const SearchStatistics& statistics = result_.statistics;
        const std::size_t num_new = operators_.size() * statistics.num_evaluated / (1 + statistics.num_generated);
        const Cost bound = lower_bound_of_.enter(values_, num_new, guard());
        if (bound <= nodes_.bound(id)) return true;
        nodes_.set_bound(id, bound);
        if (!bound_is_f_ && nodes_.least_cost(id) < bound_) return true;
        expanded_ = NO_STATE;
        if (bound == INFINITE_COST)
            nodes_.mark(id) = Mark::DEAD;
        else
            push(id, false);
        return false;
    }

    void register_successors(StateId id, std::uint64_t parent_hash, std::span<const OperatorId> operators) {
        successors_.generate(table_.state(id), parent_hash, values_, operators, *transitions_, table_);
        for (std::size_t i = 0; i < operators.size(); ++i) {
            const Cost path_cost = finite_sum(nodes_.path_cost(id), costs_[index(operators[i])]);
            if (path_cost >= bound_) continue;
            const Origin origin{id, operators[i]};
            StateId* like_it = orbit_hash_ ? &representative(operators[i]) : nullptr;
            if (like_it && stands_for(*like_it, successors_.words(i), path_cost)) continue;
            const StateId successor = insert(successors_.words(i), successors_.hash(i), origin);
            reach(successor, origin, path_cost);
            if (like_it) *like_it = successor;
        }
    }

    // The state, reached most cheaply so far, that differs from a successor at most in which of interchangeable objects
    // is which; NO_STATE where there is none yet.
    StateId& representative(OperatorId op) {
        return representatives_.try_emplace(orbit_hash_->after(transitions_->effects(op)), NO_STATE).first->second;
    }

    // Whether there is no need of a state with these words beside its representative. With the same words it is the
    // same state, and is told so as any other.
    bool stands_for(StateId representative, StateTable::Words words, Cost path_cost) const {
        if (representative == NO_STATE || nodes_.path_cost(representative) > path_cost) return false;
        return !std::ranges::equal(table_.state(representative), words);
    }

    StateId insert(StateTable::Words words, std::uint64_t hash, Origin origin) {
        const auto [outcome, id] = table_.insert(words, hash, origin);
        if (outcome == StateTable::Outcome::FULL) throw std::bad_alloc();
        nodes_.reserve(id);
        return id;
    }

    // By a way that costs less than the bound.
    void reach(StateId id, Origin origin, Cost path_cost) {
        Mark& mark = nodes_.mark(id);
        const bool is_new = mark == Mark::NEW;
        if (!is_new && (mark == Mark::DEAD || path_cost >= nodes_.path_cost(id))) return;
        const Cost order_cost = finite_sum(nodes_.order_cost(origin.parent), order_costs_[index(origin.op)]);
        nodes_.set_costs(id, path_cost, order_cost);
        table_.set_origin(id, origin);
        if (is_new) {
            mark = Mark::PENDING;
            pending_.push_back(id);
            pending_operators_.push_back(origin.op);
        } else if (mark == Mark::GOAL) {
            note_goal(id);
        } else if (mark != Mark::PENDING) {
            push(id, false);
        }
    }

    // In small batches, so that the clock is looked at even where a state has thousands of successors.
    void evaluate_pending() {
        constexpr std::size_t max_batch_size = 64;
        const std::int32_t parent_goals = goals_->num_open(values_);
        std::size_t size = 0;
        for (std::size_t begin = 0; begin < pending_.size(); begin += size) {
            size = std::min({max_batch_size, std::max<std::size_t>(1, deadline_->interval() / work_per_state_),
                             pending_.size() - begin});
            const auto operators = std::span<const OperatorId>(pending_operators_).subspan(begin, size);
            const Successors successors{values_, operators, progression_->changes(values_, operators)};
            batch_estimates_.assign(size, 0);
            if (estimate_) estimate_->evaluate_successors(successors, batch_estimates_);
            const std::span<const std::uint8_t> preferred =
                estimate_ ? estimate_->preferred() : std::span<const std::uint8_t>();
            for (std::size_t i = 0; i < size; ++i) {
                const StateId id = pending_[begin + i];
                const std::span<const Fact> changes =
                    successors.changes ? (*successors.changes)[i] : transitions_->effects(operators[i]);
                const std::int32_t num_open_goals = parent_goals + goals_->change(values_, changes);
                result_.statistics.fewest_open_goals = std::min(result_.statistics.fewest_open_goals, num_open_goals);
                if (num_open_goals == 0) {
                    nodes_.mark(id) = Mark::GOAL;
                    note_goal(id);
                } else if (batch_estimates_[i] == DEAD_END) {
                    nodes_.mark(id) = Mark::DEAD;
                } else {
                    const Cost bound = bound_of_successor(id, operators[i], changes);
                    open(id, bound, batch_estimates_[i], !preferred.empty() && preferred[i]);
                }
                ++result_.statistics.num_evaluated;
            }
            guard().poll(size * work_per_state_);
        }
    }

    Cost bound_of_successor(StateId id, OperatorId op, std::span<const Fact> changes) {
        successor_values_ = values_;
        for (const Fact& fact : changes) successor_values_[static_cast<std::size_t>(fact.variable)] = fact.value;
        const Cost path_cost = nodes_.path_cost(id);
        Cost enough = INFINITE_COST;
        if (bound_ != INFINITE_COST) enough = bound_ > path_cost ? bound_ - path_cost : 0;
        return lower_bound_of_.evaluate_successor(successor_values_, op, enough, guard());
    }

    // Takes what was found about a pending state.
    void open(StateId id, Cost bound, Estimate estimate, bool is_preferred) {
        if (bound == INFINITE_COST || estimate == DEAD_END) {
            nodes_.mark(id) = Mark::DEAD;
            return;
        }
        nodes_.set_bound(id, bound);
        nodes_.set_estimate(id, estimate);
        const Cost h = estimate_ ? static_cast<Cost>(estimate) : bound;
        if (h < least_h_) {
            if (least_h_ != INFINITE_COST) turns_of_preferred_ -= config_.boost;
            least_h_ = h;
            result_.statistics.best_estimate = static_cast<Estimate>(std::min<Cost>(h, DEAD_END - 1));
        }
        push(id, is_preferred);
    }

    void push(StateId id, bool is_preferred) {
        const bool is_cheap_enough = nodes_.least_cost(id) < bound_;
        nodes_.mark(id) = is_cheap_enough ? Mark::OPEN : Mark::CLOSED;
        if (!is_cheap_enough) return;
        open_.push({nodes_.rank(id), id});
        if (is_preferred && config_.preferred) open_preferred_.push({nodes_.rank(id), id});
    }

    void note_goal(StateId id) {
        const Cost path_cost = nodes_.path_cost(id);
        if (path_cost >= bound_) return;
        goal_ = id;
        bound_ = path_cost;
    }

    // An expansion that was cut short is done again.
    void restore_expansion() {
        if (expanded_ == NO_STATE) return;
        for (StateId id : pending_)
            if (Mark& mark = nodes_.mark(id); mark == Mark::PENDING) mark = Mark::NEW;
        try {
            push(std::exchange(expanded_, NO_STATE), false);
        } catch (const std::bad_alloc&) {
            end(SearchStatus::OUT_OF_MEMORY);
        }
    }

    // To a goal state that was reached more cheaply than the bound.
    void return_plan() {
        for (StateId id = std::exchange(goal_, NO_STATE); table_.origin(id).op != NO_OPERATOR;
             id = table_.origin(id).parent)
            result_.plan.push_back(table_.origin(id).op);
        std::ranges::reverse(result_.plan);
        Cost cost = 0;  // states on the way may have become cheaper since the goal was reached
        for (OperatorId op : result_.plan) cost = finite_sum(cost, costs_[index(op)]);
        bound_ = result_.cost = cost;
        result_.statistics.lower_bound = std::min(result_.statistics.lower_bound, cost);
        stop(SearchStatus::SOLVED);
    }

    std::uint64_t work() const {
        return result_.statistics.num_generated + lower_bound_of_.work() + (estimate_ ? estimate_->work() : 0);
    }

    void update_statistics(double time_before_s) {
        SearchStatistics& statistics = result_.statistics;
        statistics.time_s = time_before_s + deadline_->elapsed_s();
        statistics.num_registered = table_.size();
        statistics.memory_bytes = memory_.used_bytes();
    }

    Guard guard() { return {*deadline_, memory_}; }

    std::optional<Deadline> deadline_;  // of run()
    std::size_t work_per_state_;        // for the deadline
    std::uint64_t max_work_ = 0;
    std::optional<SearchStatus> final_status_;  // of all further calls

    const Task& task_;
    LowerBound& lower_bound_of_;
    Heuristic* estimate_;
    CostSearchConfig config_;
    const InterchangeableObjects* interchangeable_;
    std::vector<Cost> costs_, order_costs_;  // by operator
    bool bound_is_f_;
    Cost bound_ = INFINITE_COST;
    StateId goal_ = NO_STATE;  // that the current expansion has reached

    MemoryMeter memory_;
    StatePacker packer_;
    std::optional<Transitions> transitions_;  // made by prepare(), as the next three
    std::optional<Progression> progression_;
    std::optional<Goals> goals_;
    std::optional<SuccessorGenerator> generator_;
    StateTable table_;
    CostOpenList open_, open_preferred_;
    std::int64_t turns_of_preferred_ = 0, turns_of_others_ = 0;
    Cost least_h_ = INFINITE_COST;
    CostNodes nodes_;
    std::optional<OrbitHash> orbit_hash_;  // where there are interchangeable objects; made by prepare()
    std::pmr::unordered_map<std::uint64_t, StateId> representatives_;  // by such a hash

    StateId expanded_ = NO_STATE;  // whose expansion goes on
    std::vector<Value> values_;    // of the state being expanded
    std::vector<Value> successor_values_;
    std::vector<OperatorId> operators_;
    SuccessorBlock successors_;
    std::vector<StateId> pending_;
    std::vector<OperatorId> pending_operators_;
    std::vector<Estimate> batch_estimates_;

    CostSearchResult result_;
};

CostSearch::CostSearch(const Task& task, LowerBound& bound, Heuristic* estimate, const CostSearchConfig& config,
                       const InterchangeableObjects* interchangeable)
    : impl_(std::make_unique<Impl>(task, bound, estimate, config, interchangeable)) {}

CostSearch::~CostSearch() = default;

CostSearchResult CostSearch::run(const CostSearchLimits& limits, const ProgressCallback& progress) {
    return impl_->run(limits, progress);
}

}  // namespace sing
