// The kernels for one instruction set; the build compiles this file once for each, with SING_KERNELS
// and SING_KERNELS_NAME naming the table to define.
//
// Everything here but that table is local to the file, and no header with inline functions is
// included: the linker keeps one copy of an inline function, and that must never be one compiled for
// instructions that the machine lacks.

#include "networks/kernels.h"

namespace sing {
namespace {

using std::size_t;

// Vector types of the compiler (GCC, Clang): the code is the same for every instruction set.
typedef float Vector __attribute__((vector_size(LANE * sizeof(float)), aligned(4), may_alias));

// Sums that stay in registers while a matrix product runs: so many rows, and so many vectors of each.
#ifdef __AVX512F__
constexpr size_t ROWS = 4, VECTORS_OF_4 = 4, VECTORS_OF_2 = 4, OUTER_ROWS = 8;
#else
constexpr size_t ROWS = 4, VECTORS_OF_4 = 1, VECTORS_OF_2 = 2, OUTER_ROWS = 4;
#endif
constexpr size_t UNROLL = 4;  // vectors of one row handled together

inline const Vector& at(const float* x) { return *reinterpret_cast<const Vector*>(x); }
inline Vector& at(float* x) { return *reinterpret_cast<Vector*>(x); }

inline float total(const Vector& v) {
    float sums[LANE / 2];
    for (size_t i = 0; i < LANE / 2; ++i) sums[i] = v[i] + v[i + LANE / 2];
    for (size_t half = LANE / 4; half > 0; half /= 2)
        for (size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
    return sums[0];
}

inline Vector positive(const Vector& v) { return v > 0 ? v : Vector{}; }

// Calls body.operator()<vectors>(column) so that the columns of a row are covered.
template <size_t vectors = UNROLL, typename Body>
inline void for_columns(size_t width, Body body) {
    size_t column = 0;
    for (; column + vectors * LANE <= width; column += vectors * LANE) body.template operator()<vectors>(column);
    for (; column < width; column += LANE) body.template operator()<1>(column);
}

void sum_rows(const float* base, const float* rows, const uint32_t* ids, size_t count, size_t width, float* out) {
    for_columns(width, [&]<size_t n>(size_t column) {
        Vector sums[n];
        for (size_t j = 0; j < n; ++j) sums[j] = at(base + column + j * LANE);
        for (size_t k = 0; k < count; ++k) {
            const float* row = rows + ids[k] * width + column;
            for (size_t j = 0; j < n; ++j) sums[j] += at(row + j * LANE);
        }
        for (size_t j = 0; j < n; ++j) at(out + column + j * LANE) = sums[j];
    });
}

void sum_scaled_rows(const float* base, const float* rows, const uint32_t* ids, const float* coefficients, size_t count,
                     size_t width, float* out) {
    for_columns(width, [&]<size_t n>(size_t column) {
        Vector sums[n];
        for (size_t j = 0; j < n; ++j) sums[j] = at(base + column + j * LANE);
        for (size_t k = 0; k < count; ++k) {
            const float* row = rows + ids[k] * width + column;
            for (size_t j = 0; j < n; ++j) sums[j] += coefficients[k] * at(row + j * LANE);
        }
        for (size_t j = 0; j < n; ++j) at(out + column + j * LANE) = sums[j];
    });
}

void change_rows(const float* base, const float* rows, RowChanges changes, size_t count, size_t width, float* out) {
    for (size_t i = 0; i < count; ++i, out += width) {
        for_columns(width, [&]<size_t n>(size_t column) {
            Vector sums[n];
            for (size_t j = 0; j < n; ++j) sums[j] = at(base + column + j * LANE);
            for (uint32_t k = changes.offsets[i]; k < changes.offsets[i + 1]; ++k) {
                const float* added = rows + changes.added[k] * width + column;
                const float* removed = rows + changes.removed[k] * width + column;
                for (size_t j = 0; j < n; ++j) sums[j] += at(added + j * LANE) - at(removed + j * LANE);
            }
            for (size_t j = 0; j < n; ++j) at(out + column + j * LANE) = sums[j];
        });
    }
}

void scatter_row(const float* delta, const uint32_t* ids, size_t count, size_t width, float* rows) {
    for (size_t k = 0; k < count; ++k)
        for (size_t j = 0; j < width; j += LANE) at(rows + ids[k] * width + j) += at(delta + j);
}

void scatter_scaled_row(const float* delta, const uint32_t* ids, const float* coefficients, size_t count, size_t width,
                        float* rows) {
    for (size_t k = 0; k < count; ++k)
        for (size_t j = 0; j < width; j += LANE) at(rows + ids[k] * width + j) += coefficients[k] * at(delta + j);
}

void relu(float* x, size_t count) {
    for (size_t i = 0; i < count; ++i) x[i] = x[i] > 0 ? x[i] : 0;
}

void relu_backward(const float* x, float* dx, size_t count) {
    for (size_t i = 0; i < count; ++i) dx[i] = x[i] > 0 ? dx[i] : 0;
}

// `rows` rows of y = x · weights + biases, up to `max_vectors` vectors of columns at a time.
template <size_t rows, size_t max_vectors>
inline void multiply_rows(const float* x, const float* weights, const float* biases, size_t inputs, size_t outputs,
                          float* y) {
    for_columns<max_vectors>(outputs, [&]<size_t vectors>(size_t column) {
        Vector sums[rows][vectors];
        for (size_t r = 0; r < rows; ++r)
            for (size_t j = 0; j < vectors; ++j) sums[r][j] = at(biases + column + j * LANE);
        for (size_t i = 0; i < inputs; ++i) {
            const float* row = weights + i * outputs + column;
            for (size_t j = 0; j < vectors; ++j) {
                const Vector weight = at(row + j * LANE);
                for (size_t r = 0; r < rows; ++r) sums[r][j] += x[r * inputs + i] * weight;
            }
        }
        for (size_t r = 0; r < rows; ++r)
            for (size_t j = 0; j < vectors; ++j) at(y + r * outputs + column + j * LANE) = sums[r][j];
    });
}

void multiply(const float* x, const float* weights, const float* biases, size_t count, size_t inputs, size_t outputs,
              float* y) {
    for (; count >= ROWS; count -= ROWS, x += ROWS * inputs, y += ROWS * outputs)
        multiply_rows<ROWS, VECTORS_OF_4>(x, weights, biases, inputs, outputs, y);
    if (count >= 2) {
        multiply_rows<2, VECTORS_OF_2>(x, weights, biases, inputs, outputs, y);
        count -= 2;
        x += 2 * inputs;
        y += 2 * outputs;
    }
    if (count > 0) multiply_rows<1, UNROLL>(x, weights, biases, inputs, outputs, y);
}

void add_outer(const float* x, const float* y, size_t count, size_t inputs, size_t outputs, float* product) {
    static_assert(LANE % OUTER_ROWS == 0);
    for (size_t i = 0; i < inputs; i += OUTER_ROWS) {
        for (size_t column = 0; column < outputs; column += LANE) {
            Vector sums[OUTER_ROWS];
            for (size_t r = 0; r < OUTER_ROWS; ++r) sums[r] = at(product + (i + r) * outputs + column);
            for (size_t k = 0; k < count; ++k) {
                const Vector right = at(y + k * outputs + column);
                for (size_t r = 0; r < OUTER_ROWS; ++r) sums[r] += x[k * inputs + i + r] * right;
            }
            for (size_t r = 0; r < OUTER_ROWS; ++r) at(product + (i + r) * outputs + column) = sums[r];
        }
    }
}

void dots(const float* x, const float* weights, const float* biases, size_t count, size_t width, size_t outputs,
          float* y) {
    for (size_t i = 0; i < count; ++i) {
        for (size_t o = 0; o < outputs; ++o) {
            Vector sum = positive(at(x + i * width)) * at(weights + o * width);
            for (size_t j = LANE; j < width; j += LANE)
                sum += positive(at(x + i * width + j)) * at(weights + o * width + j);
            y[i * outputs + o] = biases[o] + total(sum);
        }
    }
}

void dots_backward(const float* x, const float* weights, const float* dy, size_t count, size_t width, size_t outputs,
                   float* dx, float* dweights) {
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = 0; j < width; j += LANE) {
            Vector sum = {};
            const Vector input = at(x + i * width + j);
            for (size_t o = 0; o < outputs; ++o) {
                const float slope = dy[i * outputs + o];
                sum += slope * at(weights + o * width + j);
                at(dweights + o * width + j) += slope * input;
            }
            at(dx + i * width + j) = sum;
        }
    }
}

void adam(const AdamStep& step, float* weights, float* gradients, float* means, float* squares, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const float gradient = gradients[i];
        const float mean = step.decay1 * means[i] + step.gain1 * gradient;
        const float square = step.decay2 * squares[i] + step.gain2 * gradient * gradient;
        means[i] = mean;
        squares[i] = square;
        gradients[i] = 0;
        weights[i] -= step.step_size * mean / (__builtin_sqrtf(square) + step.epsilon);
    }
}

}  // namespace

extern const Kernels SING_KERNELS;
const Kernels SING_KERNELS = {
    SING_KERNELS_NAME,
    sum_rows,
    sum_scaled_rows,
    change_rows,
    scatter_row,
    scatter_scaled_row,
    relu,
    relu_backward,
    multiply,
    add_outer,
    dots,
    dots_backward,
    adam,
};

}  // namespace sing
