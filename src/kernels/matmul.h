// Matrix products: generated kernels that compute a small block in registers, and a driver that packs operands, blocks for the caches and splits work
// over the thread pool.
//
// The bits. Every output is one chain of fused multiply-adds over k in ascending order, beginning at zero:
//
//   acc = 0; for p in 0..k: acc = fma(a[i, p], b[p, j], acc)
//
// A later block of k loads the result of the block before and continues the chain. So blocking, batch size, thread count, tails, strides, packing and
// instruction set never change a result (docs/numerics.md). f16 and bf16 run the chain in float32 and round once. A complex element has two links:
// re = fma(-a.im, b.im, fma(a.re, b.re, re)) and im = fma(a.im, b.re, fma(a.re, b.im, im)). Integers wrap. A bias is added after the chain,
// acc + bias, so that linear(x, w, b) == x @ w.T + b to the bit.
#pragma once

#include <cstdint>
#include <span>

#include "core/dtype.h"
#include "kernels/isa.h"

namespace monograph {

// ---- the generated kernel ----

// c[0:rows, 0:n] = a[0:rows, 0:k] * b[0:k, 0:n], or += if accumulate is not 0; then bias[0:n] is added to each row, unless bias is null. Each function
// has a fixed number of rows. Rows of a, b and c, and bias, are contiguous; strides are in bytes. b is one panel with rows of `columns` elements
// (MatmulKernels), or several panels, each b_panel bytes after the one before. n is the number of columns to write, at most the panels' width; b is
// read in full width. For each line of b that it reads, a kernel prefetches the address b_ahead bytes after it.
using MatmulKernelFn = void (*)(int64_t k, const void* a, int64_t a_row, const void* b, int64_t b_row, int64_t b_panel, int64_t b_ahead,
                                void* c, int64_t c_row, int64_t n, int64_t accumulate, const void* bias);

// Packs one panel of a matrix whose columns are contiguous, such as the weight of a linear layer: to[0:k, 0:columns] = the transpose of
// from[0:columns, 0:k]. k is a multiple of MatmulKernels::transposed; `to` is contiguous.
using MatmulTransposeFn = void (*)(int64_t k, const void* from, int64_t from_row, void* to);

inline constexpr int kMaxMatmulRows = 12, kMaxMatmulPanels = 8;

// The kernels of one element type and instruction set. kernelgen and the JIT emit it as a constant (codegen/matmul.h), so it is plain data.
struct MatmulKernels {
  int32_t type;  // DType: f32 or f64
  int32_t isa;  // Isa; none: plain C++
  int32_t rows;  // the largest number of rows
  int32_t columns;  // the width of a panel
  // [r - 1][p - 1]: the kernel for r rows and p panels, or null. A kernel of one panel may write fewer columns; those of several write all. There is a
  // kernel of one panel for every number of rows up to `rows`, and kernels of several panels for few rows, where one panel would not fill the units.
  MatmulKernelFn blocks[kMaxMatmulRows][kMaxMatmulPanels];
  MatmulTransposeFn transpose;  // null in plain C++
  int64_t transposed;  // the number of the panel's rows that `transpose` takes at once
};

// The tables that kernelgen made; those of one type are in ascending order of instruction sets.
struct MatmulTables {
  uint64_t count;
  const MatmulKernels* const* tables;
};

// The type of the kernels that compute in `type`: f32 or f64.
DType chain_type(DType type);
// The fastest kernels for type (f32 or f64) in this program that run on `isa`.
const MatmulKernels& matmul_kernels(DType type, Isa isa = host_isa());
// The same among the kernels that kernelgen made, or null (tables.cpp).
const MatmulKernels* generated_matmul_kernels(DType type, Isa isa);

// ---- the driver ----

// A k x n matrix in the order in which the kernels read it: panels of `columns` columns, each with all k rows; the last panel is padded with zeros.
// A weight is packed once and used often. f16 and bf16 become f32; a complex element becomes real elements in pairs of rows and columns.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  // Packs the elements data[p * row + j * col]; strides are in elements. Empty if there is not enough memory.
  static PackedMatrix try_pack(DType type, const void* data, int64_t k, int64_t n, int64_t row, int64_t col,
                               const MatmulKernels* kernels = nullptr);
  // The same, but raises Error if there is not enough memory.
  static PackedMatrix pack(DType type, const void* data, int64_t k, int64_t n, int64_t row, int64_t col,
                           const MatmulKernels* kernels = nullptr);
  // A packed matrix in the caller's memory of bytes_for() bytes, which must outlive it. pack_into() fills that memory, before or after.
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
  DType type() const { return type_; }  // the dtype of the matrix that was packed
  int64_t k() const { return k_; }
  int64_t n() const { return n_; }
  int64_t bytes() const { return bytes_; }
  const char* data() const { return data_; }
  const MatmulKernels* kernels() const { return kernels_; }

 private:
  void swap(PackedMatrix& other) noexcept;
  const char* data_ = nullptr;
  char* owned_ = nullptr;  // equal to data_, or null if the memory is the caller's
  int64_t k_ = 0, n_ = 0, bytes_ = 0;
  DType type_ = DType::f32;
  const MatmulKernels* kernels_ = nullptr;
};

struct MatmulBatch {
  int64_t size;
  int64_t a, b, c;  // strides in elements; 0 broadcasts
};

// The product c [m, n] = a [m, k] @ b [k, n], plus an optional bias. Strides are in elements. a and b may have any strides; the elements of c must not
// overlap.
struct Matmul {
  DType type = DType::f32;
  int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;
  int64_t a_row = 0, a_col = 0;
  const void* b = nullptr;
  int64_t b_row = 0, b_col = 0;
  const PackedMatrix* packed = nullptr;  // used in place of b; then the batch's b strides are 0
  void* c = nullptr;
  int64_t c_row = 0, c_col = 0;
  const void* bias = nullptr;  // f32 and f64 only: n contiguous elements that are added to each row of the product
  std::span<const MatmulBatch> batch;  // batch dims, outermost first; empty: one product
  const MatmulKernels* kernels = nullptr;  // null: the fastest for this machine
};

// Computes the product on the thread pool (core/threads/pool.h). Raises Error if there is not enough memory for its scratch space.
void matmul(const Matmul& product);
// The same, but returns false if there is not enough memory. `packed` is supported for floating and complex dtypes.
[[nodiscard]] bool try_matmul(const Matmul& product);

}  // namespace monograph
