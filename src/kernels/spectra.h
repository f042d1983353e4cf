// Eigenvalues, singular values and least squares by LAPACK, and the matrix exponential. As in kernels/factorizations.h, each kernel copies one matrix of
// the batch after another into the scratch memory; the function before a kernel returns the bytes that it needs.
#pragma once

#include "kernels/call.h"

namespace monograph {

// `vectors`: whether eigenvectors or singular vectors are computed. `columns`: the right-hand sides.
int64_t eigh_scratch(DType t, int64_t n, bool vectors);
KernelStatus eigh_kernel(KernelCall& call);  // (A, UPLO, compute_v) -> (eigenvalues, eigenvectors)
int64_t eig_scratch(DType t, int64_t n, bool vectors);
KernelStatus eig_kernel(KernelCall& call);  // (self) -> (eigenvalues, eigenvectors), both complex
KernelStatus eigvals_kernel(KernelCall& call);  // (self)

int64_t svd_scratch(DType t, int64_t m, int64_t n, bool full, bool vectors);
KernelStatus svd_kernel(KernelCall& call);  // (A, full_matrices, compute_uv, ..) -> (U, S, Vh)

int64_t lstsq_scratch(DType t, int64_t m, int64_t n, int64_t columns);
KernelStatus lstsq_kernel(KernelCall& call);  // (self, b, rcond, driver) -> (solution, residuals, rank, singular_values)

int64_t matrix_exp_scratch(DType t, int64_t n);
KernelStatus matrix_exp_kernel(KernelCall& call);  // (self)

}  // namespace monograph
