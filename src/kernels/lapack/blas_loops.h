// The loops of BLAS in which LAPACK's real routines spend most of their time. blas_loops.cpp is compiled once for each instruction set.
//
// Matrices are column-major: element (i, j) is a[i + j * lda]. The bits are the same for every instruction set, since a sum has a fixed number of lanes
// and no product and sum are contracted to an fma.
#pragma once

#include <cstddef>

namespace monograph::blas {

template <class T> struct BlasLoops {
  // C += alpha * op(A) * op(B), where C is m × n and sums have k terms. `across_a`, `across_b`: whether the matrix is transposed.
  void (*gemm)(bool across_a, bool across_b, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, T alpha, const T* a, ptrdiff_t lda, const T* b,
               ptrdiff_t ldb, T* c, ptrdiff_t ldc);
  // y += alpha * A * x, and y += alpha * Aᵀ * x, where A is m × n.
  void (*gemv)(ptrdiff_t m, ptrdiff_t n, T alpha, const T* a, ptrdiff_t lda, const T* x, ptrdiff_t incx, T* y, ptrdiff_t incy);
  void (*gemv_across)(ptrdiff_t m, ptrdiff_t n, T alpha, const T* a, ptrdiff_t lda, const T* x, ptrdiff_t incx, T* y, ptrdiff_t incy);
  // A += alpha * x * yᵀ
  void (*ger)(ptrdiff_t m, ptrdiff_t n, T alpha, const T* x, ptrdiff_t incx, const T* y, ptrdiff_t incy, T* a, ptrdiff_t lda);
  // y += alpha * A * x for a symmetric A, of which one triangle is read; x and y are contiguous.
  void (*symv)(bool lower, ptrdiff_t n, T alpha, const T* a, ptrdiff_t lda, const T* x, T* y);
  // One triangle of A += alpha * (x * yᵀ + y * xᵀ); x and y are contiguous.
  void (*syr2)(bool lower, ptrdiff_t n, T alpha, const T* x, const T* y, T* a, ptrdiff_t lda);
  // y += alpha * x, x *= alpha, and the sum of x * y, for contiguous vectors.
  void (*axpy)(ptrdiff_t n, T alpha, const T* x, T* y);
  void (*scal)(ptrdiff_t n, T alpha, T* x);
  T (*dot)(ptrdiff_t n, const T* x, const T* y);
  // solve: B = op(A)⁻¹ B (left) or B op(A)⁻¹ (right). multiply: the same with op(A). A is triangular with at most kTriangle rows; `unit`: its diagonal is 1.
  void (*solve)(bool left, bool lower, bool across, bool unit, ptrdiff_t m, ptrdiff_t n, const T* a, ptrdiff_t lda, T* b, ptrdiff_t ldb);
  void (*multiply)(bool left, bool lower, bool across, bool unit, ptrdiff_t m, ptrdiff_t n, const T* a, ptrdiff_t lda, T* b, ptrdiff_t ldb);
};
constexpr ptrdiff_t kTriangle = 16;

// One table for each instruction set: x86-64-v2, v3 and v4.
template <class T> struct LoopTables {
  static const BlasLoops<T> v2, v3, v4;
};

template <> const BlasLoops<float> LoopTables<float>::v2;
template <> const BlasLoops<float> LoopTables<float>::v3;
template <> const BlasLoops<float> LoopTables<float>::v4;
template <> const BlasLoops<double> LoopTables<double>::v2;
template <> const BlasLoops<double> LoopTables<double>::v3;
template <> const BlasLoops<double> LoopTables<double>::v4;

}  // namespace monograph::blas
