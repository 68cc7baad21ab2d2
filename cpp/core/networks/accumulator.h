// The first layer of a network, updated by what operators change.
#pragma once

#include <span>
#include <vector>

#include "base/csr.h"
#include "base/guard.h"
#include "heuristics/heuristic.h"
#include "networks/aligned.h"
#include "networks/mlp.h"
#include "networks/state_features.h"

namespace sing {

// The first layer is a sum of one row of weights per fact. For a state it is summed once; for a
// successor only the rows of the facts that the operator changes are added and taken away.
class Accumulator {
public:
    Accumulator(const Task& task, const Features& features, const DenseLayer& layer, const Guard& guard);

    std::size_t width() const { return width_; }
    // Sums the rows of a state from scratch.
    void refresh(std::span<const Value> state);
    // The layer's output for that state, before ReLU, [width].
    const float* row() const { return row_.data(); }
    // The same for its successors, [successors, width].
    void successor_rows(const Successors& successors, float* rows);

private:
    using RowId = std::uint32_t;
    static constexpr RowId ZERO_ROW = 0;  // of facts that contribute nothing
    struct RowEffect {
        std::int32_t variable;
        RowId row;
    };

    void list_effects(std::span<const OperatorId> operators);
    void list_changes(const Csr<Fact>& changes);
    void make_room(std::size_t num_changes, std::size_t num_successors);

    FactIndex fact_id_;
    std::size_t width_;
    AlignedFloats biases_;
    AlignedFloats rows_;
    std::vector<RowId> row_of_fact_;
    Csr<RowEffect> effects_;  // by operator; empty where they depend on the state

    AlignedFloats row_;
    std::vector<RowId> rows_of_state_;  // by variable
    std::vector<RowId> summands_, added_, removed_;
    std::vector<std::uint32_t> offsets_;
};

}  // namespace sing
