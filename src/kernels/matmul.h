// Matrix products of our own: a generated register-blocked kernel below, a driver above it that packs, blocks and splits.
//
// The bits. Every output is one chain of fused multiply-adds over k in ascending order, beginning at zero:
//
//   acc = 0; for p in 0..k: acc = fma(a[i, p], b[p, j], acc)
//
// A block of k that is not the first one resumes the chain by loading what the previous block left. So blocking, batch size, thread count,
// tails, strides, packing and instruction set never change a result (docs/numerics.md). f16 and bf16 run the chain in float32 and round
// once; complex numbers run two links an element, re = fma(-a.im, b.im, fma(a.re, b.re, re)) and im = fma(a.im, b.re, fma(a.re, b.im, im));
// integers wrap. A bias is not the beginning of the chain but follows it: acc + bias, so that linear(x, w, b) == x @ w.T + b to the bit.
#pragma once

#include <cstdint>
#include <span>

#include "core/dtype.h"
#include "kernels/isa.h"

namespace monograph {

// ---- the generated kernel ----

// c[0:rows, 0:n] = a[0:rows, 0:k] * b[0:k, 0:n], or += where accumulate is not 0. The number of rows is the function's own. Elements of a
// row lie side by side in a, b and c; strides are in bytes. b is one panel of `columns` elements a row (MatmulKernels), or several, each
// b_panel bytes after the one before. n is the number of columns to write, at most the panels' width; b is read in full width.
// They fetch ahead: what lies b_ahead bytes after each line of b that they read. What is stored is the chain's end, or with a bias its sum
// with bias[0:n], which lie side by side.
using MatmulKernelFn = void (*)(int64_t k, const void* a, int64_t a_row, const void* b, int64_t b_row, int64_t b_panel, int64_t b_ahead,
                                void* c, int64_t c_row, int64_t n, int64_t accumulate, const void* bias);

// Packs one panel of a matrix whose columns lie in memory one after the other, as the weight of a linear layer: to[0:k, 0:columns] = the
// transpose of from[0:columns, 0:k]. k is a multiple of MatmulKernels::transposed; `to` has no gaps.
using MatmulTransposeFn = void (*)(int64_t k, const void* from, int64_t from_row, void* to);

inline constexpr int kMaxMatmulRows = 12, kMaxMatmulPanels = 8;

// The kernels of one element type and instruction set. kernelgen and the JIT emit it as a constant (codegen/matmul.h), so it is plain data.
struct MatmulKernels {
  int32_t type;  // DType: f32 or f64
  int32_t isa;  // Isa; none: plain C++
  int32_t rows;  // the largest number of rows
  int32_t columns;  // the width of a panel
  // [r - 1][p - 1]: r rows of p panels, or null. One panel may be partly filled, several are full. All rows have kernels of one panel; few
  // rows also have kernels of several, since one alone would leave the units idle.
  MatmulKernelFn blocks[kMaxMatmulRows][kMaxMatmulPanels];
  MatmulTransposeFn transpose;  // null in plain C++
  int64_t transposed;  // it takes so many rows of the panel at once
};

// What kernelgen made, each type's tables in ascending order of instruction sets.
struct MatmulTables {
  uint64_t count;
  const MatmulKernels* const* tables;
};

// The type of the kernels that compute in `type`: f32 or f64.
DType chain_type(DType type);
// The best kernels for type (f32 or f64) that this program has for `isa`.
const MatmulKernels& matmul_kernels(DType type, Isa isa = host_isa());
// The best of those that kernelgen made, or null (tables.cpp).
const MatmulKernels* generated_matmul_kernels(DType type, Isa isa);

// ---- the driver ----

// A k x n matrix in the kernels' order: panels of `columns`, in each all k rows, the last one filled up with zeros. A weight is packed
// once and used often. f16 and bf16 become f32, complex elements pairs of real rows and columns.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  // data[p * row + j * col], strides in elements. Empty where the memory for it is not to be had.
  static PackedMatrix try_pack(DType type, const void* data, int64_t k, int64_t n, int64_t row, int64_t col,
                               const MatmulKernels* kernels = nullptr);
  // The same; raises where there is no memory.
  static PackedMatrix pack(DType type, const void* data, int64_t k, int64_t n, int64_t row, int64_t col,
                           const MatmulKernels* kernels = nullptr);
  // One that lies in the caller's memory, `bytes_for` bytes, which outlives it: packed already, or to be packed there.
  static PackedMatrix over(DType type, const void* packed, int64_t k, int64_t n, const MatmulKernels& kernels);
  static int64_t bytes_for(DType type, int64_t k, int64_t n, const MatmulKernels& kernels);
  static void pack_into(void* memory, DType type, const void* data, int64_t k, int64_t n, int64_t row, int64_t col,
                        const MatmulKernels& kernels);
  PackedMatrix(PackedMatrix&& other) noexcept { swap(other); }
  PackedMatrix& operator=(PackedMatrix&& other) noexcept {
    swap(other);
    return *this;
  }
  ~PackedMatrix();
  explicit operator bool() const { return data_ != nullptr; }
  DType type() const { return type_; }  // of the matrix that was packed
  int64_t k() const { return k_; }
  int64_t n() const { return n_; }
  int64_t bytes() const { return bytes_; }
  const char* data() const { return data_; }
  const MatmulKernels* kernels() const { return kernels_; }

 private:
  void swap(PackedMatrix& other) noexcept;
  const char* data_ = nullptr;
  char* owned_ = nullptr;  // the same, or null where the memory is the caller's
  int64_t k_ = 0, n_ = 0, bytes_ = 0;
  DType type_ = DType::f32;
  const MatmulKernels* kernels_ = nullptr;
};

struct MatmulBatch {
  int64_t size;
  int64_t a, b, c;  // strides in elements; 0 is a broadcast
};

// Strides are in elements; any stride is right, c's must not overlap.
struct Matmul {
  DType type = DType::f32;
  int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;
  int64_t a_row = 0, a_col = 0;
  const void* b = nullptr;
  int64_t b_row = 0, b_col = 0;
  const PackedMatrix* packed = nullptr;  // instead of b; then the batch's b strides are 0
  void* c = nullptr;
  int64_t c_row = 0, c_col = 0;
  const void* bias = nullptr;  // f32 and f64: n elements that are added to each row of the product, side by side
  std::span<const MatmulBatch> batch;  // outermost first; empty: one product
  const MatmulKernels* kernels = nullptr;  // none: the best
};

// Runs on the pool (core/threads/pool.h); the work is split at borders that depend on the sizes alone.
void matmul(const Matmul& product);
// The same; false where there is no memory to work in. A bias is for f32 and f64, `packed` for floating and complex dtypes.
[[nodiscard]] bool try_matmul(const Matmul& product);

}  // namespace monograph
