// Factorizations of matrices, and linear systems solved with them, by LAPACK (kernels/lapack.h). Each kernel copies one matrix of the batch after
// another into the scratch memory and factors it there, so that arguments and results may have any strides.
//
// The function before a kernel returns the bytes of scratch memory for one call. With check_errors, a matrix that cannot be factored is a BadValue,
// or, within a batch, a BadSecond.
#pragma once

#include "kernels/call.h"

namespace monograph {

int64_t square_scratch(DType t, int64_t n);  // one n × n matrix
KernelStatus cholesky_kernel(KernelCall& call);  // (self, upper, check_errors) -> (L, info)
int64_t lu_scratch(DType t, int64_t m, int64_t n);
KernelStatus lu_factor_kernel(KernelCall& call);  // (A, pivot, check_errors) -> (LU, pivots, info)
KernelStatus lu_unpack_kernel(KernelCall& call);  // (LU, pivots, unpack_data, unpack_pivots) -> (P, L, U); needs lu_scratch(i32, m, 1)
KernelStatus ldl_factor_kernel(KernelCall& call);  // (self, hermitian, check_errors) -> (LD, pivots, info)
int64_t ldl_scratch(DType t, int64_t n);

// For a system of n equations with `columns` right-hand sides.
int64_t solve_scratch(DType t, int64_t n, int64_t columns);
KernelStatus solve_kernel(KernelCall& call);  // (A, B, left, check_errors) -> (result, LU, pivots, info)
KernelStatus inverse_kernel(KernelCall& call);  // (A, check_errors) -> (inverse, info); columns = n
KernelStatus lu_solve_kernel(KernelCall& call);  // (LU, pivots, B, left, adjoint)
KernelStatus triangular_kernel(KernelCall& call);  // (A, B, upper, left, unitriangular)
KernelStatus ldl_solve_kernel(KernelCall& call);  // (LD, pivots, B, hermitian)

// For an m × n matrix; `columns` is the number of columns of Q.
int64_t qr_scratch(DType t, int64_t m, int64_t n, int64_t columns);
KernelStatus qr_kernel(KernelCall& call);  // (A, mode) -> (Q, R)
KernelStatus geqrf_kernel(KernelCall& call);  // (self) -> (a, tau); columns = n
KernelStatus householder_product_kernel(KernelCall& call);  // (input, tau); columns = n
// `count` reflections, each of a vector with `rows` elements, are applied to an m × n matrix.
int64_t ormqr_scratch(DType t, int64_t rows, int64_t count, int64_t m, int64_t n);
KernelStatus ormqr_kernel(KernelCall& call);  // (self, tau, other, left, transpose)

}  // namespace monograph
