// Better labels from the estimates of a network: no state is further than one step more than its nearest successor.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/guard.h"
#include "goals/goals.h"
#include "networks/network.h"
#include "samples/samples.h"
#include "states/progression.h"
#include "states/successor_generator.h"

namespace sing {

// A Bellman update: label ← min(label, 1 + min over successors of the network's estimate), where goal
// states count 0 and all others at least 1. Labels only fall, and where the network does not underestimate they stay
// at or above the distance.
//
// The least of many noisy estimates is too low, so that labels sink from one update to the next. With a judge, a second
// network, the first one only says which successor is the nearest, and the judge says how far that one is.
class Relabeller {
public:
    // What all threads share; it must outlive the relabeller.
    struct Shared {
        Shared(const Task& task, const Guard& guard)
            : generator(task, guard),
              goals(task, guard),
              transitions(task, StatePacker(task), guard),
              progression(task, transitions, guard) {}
        SuccessorGenerator generator;
        Goals goals;
        Transitions transitions;
        Progression progression;  // to be copied: it keeps scratch memory
    };

    Relabeller(const Shared& shared, Network network, std::optional<Network> judge);

    // The label of a state that had `label`. A state with an undefined value keeps it: its successors are not known.
    float operator()(std::span<const Value> state, float label);

private:
    float nearest_successor(const Csr<Fact>* changes);

    const Shared& shared_;
    Progression progression_;
    Network network_;
    std::optional<Network> judge_;
    std::vector<Value> state_;
    std::vector<OperatorId> operators_;
};

struct RelabelLimits {
    double time_s;
    std::size_t memory_bytes;  // of all threads together
};

// Updates the labels of these samples, until the time is up or `progress(number done)`, called about ten times a
// second, returns false; the rest keep theirs. Unless it is ended so, the labels are the same with any number of
// threads.
void relabel(const Task& task, const Features& features, const Mlp& mlp, const Mlp* judge, const Samples& samples,
             const StatePacker& packer, std::span<const std::uint32_t> chosen, std::span<float> labels,
             std::size_t num_threads, const RelabelLimits& limits, const std::function<bool(std::size_t)>& progress);

}  // namespace sing
