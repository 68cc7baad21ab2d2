// The kernels for one instruction set; the build compiles this file once for each, with SING_KERNELS
// and SING_KERNELS_NAME naming the table to define.
//
// Everything here but that table is local to the file, and no header with inline functions is
// included: the linker keeps one copy of an inline function, and that must never be one compiled for
// instructions that the machine lacks.

#include "kernels.h"

namespace sing {
namespace {

using std::size_t;

// Vector types of the compiler (GCC, Clang): the code is the same for every instruction set.
typedef float Vector __attribute__((vector_size(LANE * sizeof(float)), aligned(4), may_alias));

#ifdef __AVX512F__
constexpr size_t BLOCK = 8;  // rows whose sums stay in registers
#else
constexpr size_t BLOCK = 4;
#endif
constexpr size_t UNROLL = 4;  // vectors of a row handled together

inline const Vector& at(const float* x) { return *reinterpret_cast<const Vector*>(x); }
inline Vector& at(float* x) { return *reinterpret_cast<Vector*>(x); }

inline float total(const Vector& v) {
    float sums[LANE / 2];
    for (size_t i = 0; i < LANE / 2; ++i) sums[i] = v[i] + v[i + LANE / 2];
    for (size_t half = LANE / 4; half > 0; half /= 2)
        for (size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
    return sums[0];
}

// Calls body.operator()<vectors>(column) so that the columns of a row are covered.
template <typename Body>
inline void for_columns(size_t width, Body body) {
    size_t column = 0;
    for (; column + UNROLL * LANE <= width; column += UNROLL * LANE) body.template operator()<UNROLL>(column);
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

// `rows` rows of y = x · weights + biases, one vector of columns at a time; the sums stay in registers.
template <size_t rows>
inline void multiply_block(const float* x, const float* weights, const float* biases, size_t inputs, size_t outputs,
                           float* y) {
    for (size_t column = 0; column < outputs; column += LANE) {
        Vector sums[rows];
        for (size_t r = 0; r < rows; ++r) sums[r] = at(biases + column);
        for (size_t i = 0; i < inputs; ++i) {
            const Vector weight = at(weights + i * outputs + column);
            for (size_t r = 0; r < rows; ++r) sums[r] += x[r * inputs + i] * weight;
        }
        for (size_t r = 0; r < rows; ++r) at(y + r * outputs + column) = sums[r];
    }
}

void multiply(const float* x, const float* weights, const float* biases, size_t count, size_t inputs, size_t outputs,
              float* y) {
    size_t row = 0;
    for (; row + BLOCK <= count; row += BLOCK)
        multiply_block<BLOCK>(x + row * inputs, weights, biases, inputs, outputs, y + row * outputs);
    for (; row < count; ++row)
        multiply_block<1>(x + row * inputs, weights, biases, inputs, outputs, y + row * outputs);
}

void add_outer(const float* x, const float* y, size_t count, size_t inputs, size_t outputs, float* product) {
    static_assert(LANE % BLOCK == 0);
    for (size_t i = 0; i < inputs; i += BLOCK) {
        for (size_t column = 0; column < outputs; column += LANE) {
            Vector sums[BLOCK];
            for (size_t r = 0; r < BLOCK; ++r) sums[r] = at(product + (i + r) * outputs + column);
            for (size_t k = 0; k < count; ++k) {
                const Vector right = at(y + k * outputs + column);
                for (size_t r = 0; r < BLOCK; ++r) sums[r] += x[k * inputs + i + r] * right;
            }
            for (size_t r = 0; r < BLOCK; ++r) at(product + (i + r) * outputs + column) = sums[r];
        }
    }
}

void dots(const float* x, const float* weights, const float* biases, size_t count, size_t width, size_t outputs,
          float* y) {
    for (size_t i = 0; i < count; ++i) {
        for (size_t o = 0; o < outputs; ++o) {
            Vector sum = at(x + i * width) * at(weights + o * width);
            for (size_t j = LANE; j < width; j += LANE) sum += at(x + i * width + j) * at(weights + o * width + j);
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
    SING_KERNELS_NAME, sum_rows, sum_scaled_rows, change_rows, scatter_row, scatter_scaled_row, relu, relu_backward,
    multiply,          add_outer, dots,           dots_backward, adam,
};

}  // namespace sing
