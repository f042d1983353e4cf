// Factorizations of matrices, and what is solved with them, by LAPACK (kernels/lapack.h). Each works on the matrices of a batch one after another, on copies
// in the scratch memory, so that arguments and results may have any strides.
//
// A kernel's scratch memory is what the function before it says. Where a record asks for a check (`check_errors`), a matrix that cannot be factored is a bad
// value, or a bad second one if it is one of a batch.
#pragma once

#include "kernels/call.h"

namespace monograph {

int64_t square_scratch(DType t, int64_t n);  // of one n × n matrix
KernelStatus cholesky_kernel(KernelCall& call);  // (self, upper, check_errors) -> (L, info)
int64_t lu_scratch(DType t, int64_t m, int64_t n);
KernelStatus lu_factor_kernel(KernelCall& call);  // (A, pivot, check_errors) -> (LU, pivots, info)
KernelStatus lu_unpack_kernel(KernelCall& call);  // (LU, pivots, unpack_data, unpack_pivots) -> (P, L, U); lu_scratch(i32, m, 1)
KernelStatus ldl_factor_kernel(KernelCall& call);  // (self, hermitian, check_errors) -> (LD, pivots, info)
int64_t ldl_scratch(DType t, int64_t n);

// Of a system of n equations with `columns` right sides.
int64_t solve_scratch(DType t, int64_t n, int64_t columns);
KernelStatus solve_kernel(KernelCall& call);  // (A, B, left, check_errors) -> (result, LU, pivots, info)
KernelStatus inverse_kernel(KernelCall& call);  // (A, check_errors) -> (inverse, info); n right sides
KernelStatus lu_solve_kernel(KernelCall& call);  // (LU, pivots, B, left, adjoint)
KernelStatus triangular_kernel(KernelCall& call);  // (A, B, upper, left, unitriangular)
KernelStatus ldl_solve_kernel(KernelCall& call);  // (LD, pivots, B, hermitian)

// Of an m × n matrix; `columns` is how many Q has.
int64_t qr_scratch(DType t, int64_t m, int64_t n, int64_t columns);
KernelStatus qr_kernel(KernelCall& call);  // (A, mode) -> (Q, R)
KernelStatus geqrf_kernel(KernelCall& call);  // (self) -> (a, tau); n columns
KernelStatus householder_product_kernel(KernelCall& call);  // (input, tau); n columns
int64_t ormqr_scratch(DType t, int64_t rows, int64_t count, int64_t m, int64_t n);  // `count` reflections of `rows` elements on m × n
KernelStatus ormqr_kernel(KernelCall& call);  // (self, tau, other, left, transpose)

}  // namespace monograph
