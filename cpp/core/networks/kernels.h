// The inner loops of networks, compiled once per instruction set and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sing {

// Widths of rows are multiples of this many floats, one vector register of the widest machines.
inline constexpr std::size_t LANE = 16;

// Rows that are added to and taken from a sum: for row i those at [offsets[i], offsets[i + 1]).
struct RowChanges {
    const std::uint32_t* added;
    const std::uint32_t* removed;
    const std::uint32_t* offsets;
};

// One step of Adam (Kingma & Ba 2015) with its bias correction already in the step size.
struct AdamStep {
    float step_size;
    float decay1;  // of the mean of gradients, for all the steps since the last one
    float decay2;  // of the mean of squared gradients
    float gain1;   // 1 - beta1
    float gain2;   // 1 - beta2
    float epsilon;
};

// Matrices are row by row without gaps; every width, `inputs` and `outputs` below is a multiple of
// LANE unless it says otherwise.
struct Kernels {
    const char* name;

    // out = base + Σ rows[ids[k]]
    void (*sum_rows)(const float* base, const float* rows, const std::uint32_t* ids, std::size_t count,
                     std::size_t width, float* out);
    // out = base + Σ coefficients[k] rows[ids[k]]
    void (*sum_scaled_rows)(const float* base, const float* rows, const std::uint32_t* ids, const float* coefficients,
                            std::size_t count, std::size_t width, float* out);
    // out[i] = base + Σ rows[added] - Σ rows[removed], for `count` rows
    void (*change_rows)(const float* base, const float* rows, RowChanges changes, std::size_t count, std::size_t width,
                        float* out);
    // rows[ids[k]] += delta
    void (*scatter_row)(const float* delta, const std::uint32_t* ids, std::size_t count, std::size_t width,
                        float* rows);
    // rows[ids[k]] += coefficients[k] delta
    void (*scatter_scaled_row)(const float* delta, const std::uint32_t* ids, const float* coefficients,
                               std::size_t count, std::size_t width, float* rows);
    // x = max(x, 0)
    void (*relu)(float* x, std::size_t count);
    // dx = 0 where x = 0: the derivative of relu, from what it returned
    void (*relu_backward)(const float* x, float* dx, std::size_t count);
    // y [count, outputs] = x [count, inputs] · weights [inputs, outputs] + biases
    void (*multiply)(const float* x, const float* weights, const float* biases, std::size_t count, std::size_t inputs,
                     std::size_t outputs, float* y);
    // product [inputs, outputs] += xᵀ · y
    void (*add_outer)(const float* x, const float* y, std::size_t count, std::size_t inputs, std::size_t outputs,
                      float* product);
    // y[i, o] = biases[o] + max(x[i], 0) · weights[o]; any number of outputs
    void (*dots)(const float* x, const float* weights, const float* biases, std::size_t count, std::size_t width,
                 std::size_t outputs, float* y);
    // The derivative of dots where x ≥ 0: dx[i] = Σ dy[i, o] weights[o], dweights[o] += Σ dy[i, o] x[i]
    void (*dots_backward)(const float* x, const float* weights, const float* dy, std::size_t count, std::size_t width,
                          std::size_t outputs, float* dx, float* dweights);
    // Moves the weights against their gradients, which become 0.
    void (*adam)(const AdamStep& step, float* weights, float* gradients, float* means, float* squares,
                 std::size_t count);
};

// The fastest this machine can run, unless others were selected.
const Kernels& kernels();
// Those this machine can run, from the slowest, number 0, to the fastest; null beyond it.
const Kernels* available_kernels(std::size_t number);
// From now on kernels() are these: to test each of them, or to have the same sums on different machines.
void select_kernels(const Kernels& kernels);

}  // namespace sing
