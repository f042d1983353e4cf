// Shared by the kernels that call LAPACK: access to the matrices of a batch, copies between them and column-major memory, and the layout of the
// scratch memory.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "kernels/call.h"
#include "kernels/elements.h"
#include "kernels/workspace.h"

namespace monograph {

// Calls f with a zero of the element type, which is one of LAPACK's four.
template <class F>
void with_lapack_type(DType t, F&& f) {
  switch (t) {
    case DType::f32: return f(float{});
    case DType::f64: return f(double{});
    case DType::c64: return f(std::complex<float>{});
    default: return f(std::complex<double>{});
  }
}

// The bytes that `make` takes from a workspace for elements of this dtype.
template <class F>
int64_t scratch_of(DType t, F&& make) {
  Workspace w;
  with_lapack_type(t, [&](auto zero) { make(w, zero); });
  return w.bytes();
}

// The size of a routine's workspace, in elements, from the answer to its workspace query. An answer in float32 may have been rounded down.
template <class T>
int work_size(T answer) {
  return static_cast<int>(std::real(answer) * (1 + 0x1p-22)) + 1;
}

// A matrix with any strides.
template <class T>
struct MatrixAt {
  T* data;
  int64_t rows, columns, row, column;  // the two sizes; the strides between rows and between columns, in elements
  MatrixAt transposed() const { return {data, columns, rows, column, row}; }
};

// The batch dims of a tensor: all but the last `own` dims. own is 2 for a batch of matrices, 1 for a batch of vectors.
struct Batch {
  const int64_t* sizes;
  int32_t dims;
  int64_t count = 1;
  Batch(const KernelTensor& t, int32_t own) : sizes(t.sizes), dims(t.dim - own) {
    for (int32_t d = 0; d < dims; ++d) count *= sizes[d];
  }
  // The offset, in elements, of item `index` in t. The dims of t before its last `own` broadcast to those of the batch.
  int64_t offset(const KernelTensor& t, int32_t own, int64_t index) const {
    const int32_t missing = dims - (t.dim - own);
    int64_t at = 0;
    for (int32_t d = dims; d-- > 0; index /= sizes[d])
      if (d >= missing && t.sizes[d - missing] != 1) at += index % sizes[d] * t.strides[d - missing];
    return at;
  }
  template <class T>
  MatrixAt<T> matrix(const KernelTensor& t, int64_t index) const {
    return {t.as<T>() + offset(t, 2, index), t.sizes[t.dim - 2], t.sizes[t.dim - 1], t.strides[t.dim - 2], t.strides[t.dim - 1]};
  }
  // A vector as a matrix of one column.
  template <class T>
  MatrixAt<T> column(const KernelTensor& t, int64_t index) const {
    return {t.as<T>() + offset(t, 1, index), t.sizes[t.dim - 1], 1, t.strides[t.dim - 1], 0};
  }
};

inline float conjugate(float x) { return x; }
inline double conjugate(double x) { return x; }
template <class T>
std::complex<T> conjugate(std::complex<T> x) {
  return {x.real(), -x.imag()};
}

// Copies a matrix of elements of `bytes` bytes in blocks that fit in the cache, on the thread pool.
[[gnu::noinline]] inline void copy_matrix(const MatrixAt<const char>& from, const MatrixAt<char>& to, size_t bytes) {
  const DType moved = bytes == 4 ? DType::f32 : bytes == 8 ? DType::f64 : DType::c128;  // any dtype of this size
  const int64_t sizes[] = {to.rows, to.columns}, to_strides[] = {to.row, to.column}, from_strides[] = {from.row, from.column};
  copy_elements({to.data, sizes, to_strides, 2, moved}, {const_cast<char*>(from.data), sizes, from_strides, 2, moved});
}
template <class To, class T>
MatrixAt<To> as_bytes(const MatrixAt<T>& m) {
  return {reinterpret_cast<To*>(m.data), m.rows, m.columns, m.row, m.column};
}

// Copy a matrix into column-major memory with columns `ld` elements apart, and back; kConjugate conjugates it.
inline constexpr int64_t kBlocked = 1024;  // elements for which blocks are worth while
template <bool kConjugate = false, class T>
void load(const MatrixAt<T>& from, T* to, int64_t ld) {
  if (!kConjugate && from.rows * from.columns >= kBlocked)
    return copy_matrix(as_bytes<const char>(from), as_bytes<char>(MatrixAt<T>{to, from.rows, from.columns, 1, ld}), sizeof(T));
  for (int64_t j = 0; j < from.columns; ++j)
    for (int64_t i = 0; i < from.rows; ++i) {
      const T x = from.data[i * from.row + j * from.column];
      if constexpr (kConjugate) to[j * ld + i] = conjugate(x);
      else to[j * ld + i] = x;
    }
}
template <bool kConjugate = false, class T>
void store(const T* from, int64_t ld, const MatrixAt<T>& to) {
  if (!kConjugate && to.rows * to.columns >= kBlocked)
    return copy_matrix(as_bytes<const char>(MatrixAt<const T>{from, to.rows, to.columns, 1, ld}), as_bytes<char>(to), sizeof(T));
  for (int64_t j = 0; j < to.columns; ++j)
    for (int64_t i = 0; i < to.rows; ++i) {
      const T x = from[j * ld + i];
      if constexpr (kConjugate) to.data[i * to.row + j * to.column] = conjugate(x);
      else to.data[i * to.row + j * to.column] = x;
    }
}

// Writes zeros above the diagonal of a column-major matrix, or below it.
template <class T>
void clear_triangle(T* a, int64_t rows, int64_t columns, bool above) {
  for (int64_t j = 0; j < columns; ++j) {
    const int64_t begin = above ? 0 : std::min(j + 1, rows), end = above ? std::min(j, rows) : rows;
    for (int64_t i = begin; i < end; ++i) a[j * rows + i] = T(0);
  }
}

template <class T>
void fill_identity(T* a, int64_t n) {
  std::fill_n(a, n * n, T(0));
  for (int64_t i = 0; i < n; ++i) a[i * n + i] = T(1);
}

// Whether b, the right-hand side of the systems a, is one vector for each matrix of a, not a matrix.
inline bool vectors_beside(const KernelTensor& a, const KernelTensor& b) {
  return b.dim == 1 || (b.dim == a.dim - 1 && std::equal(b.sizes, b.sizes + b.dim, a.sizes));
}

inline int at_least_one(int64_t n) { return static_cast<int>(std::max<int64_t>(n, 1)); }

// The status for a matrix that LAPACK cannot factor: BadValue for a single matrix, BadSecond for matrix `index` of a batch. `info` is LAPACK's.
inline KernelStatus refuse(KernelCall& call, const Batch& batch, int64_t index, int info) {
  return call.fail(info, 0, index, batch.dims ? KernelStatus::BadSecond : KernelStatus::BadValue);
}

}  // namespace monograph
