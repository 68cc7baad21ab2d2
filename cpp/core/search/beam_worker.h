// What one thread of a beam search does: it generates successors, and estimates states.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/cost.h"
#include "base/deadline.h"
#include "goals/goals.h"
#include "heuristics/heuristic.h"
#include "search/beam_history.h"
#include "search/beam_layer.h"
#include "search/beam_novelty.h"
#include "states/progression.h"
#include "states/state_packer.h"
#include "states/successor_generator.h"
#include "states/transitions.h"

namespace sing {

// Successors of some states of a layer that no earlier layer has, in order.
struct BeamBlock {
    static constexpr std::uint32_t NO_GOAL_STATE = std::numeric_limits<std::uint32_t>::max();

    std::vector<StatePacker::Word> words;
    std::vector<BeamNode> nodes;
    std::uint64_t num_expanded = 0, num_generated = 0;  // up to the goal state, where there is one
    std::int32_t fewest_open_goals = std::numeric_limits<std::int32_t>::max();
    bool has_goal_state = false;  // then it is the last
    bool left_out_known = false;  // states that an earlier layer has
};

// The task as all workers see it, and what they tell each other.
struct BeamTask {
    BeamTask(const Task& task, const StatePacker& packer, const Guard& guard)
        : task(task),
          packer(packer),
          transitions(task, packer, guard),
          progression(task, transitions, guard),
          generator(task, guard),
          goals(task, guard),
          work_per_state(1 + task.variables.size() / VARIABLES_PER_UNIT) {}

    static constexpr std::size_t VARIABLES_PER_UNIT = 32;
    const Task& task;
    const StatePacker& packer;
    Transitions transitions;
    Progression progression;  // to be copied: it keeps scratch memory
    SuccessorGenerator generator;
    Goals goals;
    std::size_t work_per_state;                    // for the deadline
    std::atomic<std::size_t> states_at_a_time{1};  // that may be estimated before the deadline is looked at
    std::atomic<std::size_t> bytes_in_blocks{0};   // of the successors that are being generated
};

// It serves one thread. The first worker owns the deadline.
class BeamWorker {
public:
    BeamWorker(BeamTask& shared, Heuristic& heuristic, Deadline& deadline, bool owns_deadline)
        : shared_(shared),
          progression_(shared.progression),
          heuristic_(heuristic),
          deadline_(deadline),
          owns_deadline_(owns_deadline),
          values_(shared.packer.num_variables()) {}

    // The successors of states [begin, end) of the layer that cost less than `max_cost` and that the history does not
    // have. It ends early with the first goal state, where all blocks together have more than `max_bytes`, and with the
    // deadline.
    void generate(const BeamLayer& layer, std::size_t begin, std::size_t end, const BeamHistory& history, Cost max_cost,
                  std::size_t max_bytes, BeamBlock& block);

    // Ranks states [begin, end) of `next`, where `end` may cut siblings apart: these belong to where the first of them
    // is. Whoever ranks all states from `first` on, piece by piece, ranks each once. Not all where the deadline passes.
    void rank(const BeamLayer& layer, BeamLayer& next, std::size_t first, std::size_t begin, std::size_t end,
              const BeamNovelty* novelty, std::uint64_t seed);

    Estimate best_estimate() const { return best_estimate_; }
    std::uint64_t num_evaluated() const { return num_evaluated_; }

private:
    bool must_stop(std::size_t num_states);
    void enter(BeamLayer::Words words);
    bool append_successors(const BeamLayer& layer, std::size_t parent, const BeamHistory& history, Cost max_cost,
                           BeamBlock& block);
    void add_siblings(const BeamLayer& next, std::size_t begin, std::size_t end, const BeamNovelty* novelty);

    BeamTask& shared_;
    Progression progression_;
    Heuristic& heuristic_;
    Deadline& deadline_;
    bool owns_deadline_;
    Estimate best_estimate_ = DEAD_END;
    std::uint64_t num_evaluated_ = 0;

    std::vector<Value> values_;
    std::vector<Value> successor_;
    std::vector<OperatorId> operators_;
    std::vector<std::uint8_t> is_novel_;  // of the states being ranked; kept where that matters
};

}  // namespace sing
