// Datasets from samples: states as input vectors, with their labels.
#pragma once

#include <cstdint>
#include <span>

#include "base/guard.h"
#include "networks/state_features.h"
#include "samples/goal_samples.h"
#include "samples/samples.h"
#include "training/dataset.h"

namespace sing {

// The chosen samples, packed by `packer`, labelled as they are. Throws std::invalid_argument where the features
// are those of another task or add something that does not depend on the state, std::out_of_range where a sample does
// not exist.
Dataset make_dataset(const Samples& samples, const StatePacker& packer, std::span<const std::uint32_t> chosen,
                     const Features& features, const Guard& guard);

// All samples, with an output for each goal. Throws std::invalid_argument where the features are those of another task.
Dataset make_dataset(const GoalSamples& samples, const Features& features, const Guard& guard);

}  // namespace sing
