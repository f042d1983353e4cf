// LAPACK and BLAS as overloads: getrf(m, n, a, lda, pivots, info) for float, double and complex elements. Matrices are column-major.
//
// src/kernels/lapack/routines.txt lists the routines; cmake/Lapack.cmake renames them to the names used here. For each CHARACTER argument, Fortran
// expects its length after all other arguments. Some routines have other names or arguments for real numbers than for complex ones. Their overloads
// have the complex names and arguments; the real versions ignore `real_work`.
#pragma once

#include <complex>
#include <cstddef>

namespace monograph::lapack {

// The type of the absolute value of a T.
template <class T> struct RealOf {
  using type = T;
};
template <class T> struct RealOf<std::complex<T>> {
  using type = T;
};
template <class T> using RealOfType = typename RealOf<T>::type;

#define MONOGRAPH_LAPACK_BOTH(x, T) \
  extern "C" void monograph_##x##potrf_(const char*, const int*, T*, const int*, int*, size_t); \
  extern "C" void monograph_##x##potrs_(const char*, const int*, const int*, const T*, const int*, T*, const int*, int*, size_t); \
  extern "C" void monograph_##x##getrf_(const int*, const int*, T*, const int*, int*, int*); \
  extern "C" void monograph_##x##getrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*, int*, \
                                        size_t); \
  extern "C" void monograph_##x##trsm_(const char*, const char*, const char*, const char*, const int*, const int*, const T*, const T*, \
                                       const int*, T*, const int*, size_t, size_t, size_t, size_t); \
  extern "C" void monograph_##x##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*, \
                                       const T*, const int*, const T*, T*, const int*, size_t, size_t); \
  extern "C" void monograph_##x##geqrf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*); \
  extern "C" void monograph_##x##gels_(const char*, const int*, const int*, const int*, T*, const int*, T*, const int*, T*, const int*, \
                                       int*, size_t); \
  extern "C" void monograph_##x##sytrf_(const char*, const int*, T*, const int*, int*, T*, const int*, int*, size_t); \
  extern "C" void monograph_##x##sytrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*, int*, \
                                        size_t); \
  inline void potrf(char uplo, int n, T* a, int lda, int& info) { monograph_##x##potrf_(&uplo, &n, a, &lda, &info, 1); } \
  inline void potrs(char uplo, int n, int columns, const T* a, int lda, T* b, int ldb, int& info) { \
    monograph_##x##potrs_(&uplo, &n, &columns, a, &lda, b, &ldb, &info, 1); \
  } \
  inline void getrf(int m, int n, T* a, int lda, int* pivots, int& info) { monograph_##x##getrf_(&m, &n, a, &lda, pivots, &info); } \
  inline void getrs(char trans, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb, int& info) { \
    monograph_##x##getrs_(&trans, &n, &columns, a, &lda, pivots, b, &ldb, &info, 1); \
  } \
  inline void trsm(char side, char uplo, char trans, char diag, int m, int n, const T* a, int lda, T* b, int ldb) { \
    const T one(1); \
    monograph_##x##trsm_(&side, &uplo, &trans, &diag, &m, &n, &one, a, &lda, b, &ldb, 1, 1, 1, 1); \
  } \
  inline void gemm(int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc) { \
    const char plain = 'N'; \
    monograph_##x##gemm_(&plain, &plain, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1); \
  } \
  inline void geqrf(int m, int n, T* a, int lda, T* tau, T* work, int work_size, int& info) { \
    monograph_##x##geqrf_(&m, &n, a, &lda, tau, work, &work_size, &info); \
  } \
  inline void gels(int m, int n, int columns, T* a, int lda, T* b, int ldb, T* work, int work_size, int& info) { \
    const char plain = 'N'; \
    monograph_##x##gels_(&plain, &m, &n, &columns, a, &lda, b, &ldb, work, &work_size, &info, 1); \
  } \
  inline void sytrf(char uplo, int n, T* a, int lda, int* pivots, T* work, int work_size, int& info) { \
    monograph_##x##sytrf_(&uplo, &n, a, &lda, pivots, work, &work_size, &info, 1); \
  } \
  inline void sytrs(char uplo, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb, int& info) { \
    monograph_##x##sytrs_(&uplo, &n, &columns, a, &lda, pivots, b, &ldb, &info, 1); \
  }

#define MONOGRAPH_LAPACK_REAL(x, T) \
  MONOGRAPH_LAPACK_BOTH(x, T) \
  extern "C" void monograph_##x##orgqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*); \
  extern "C" void monograph_##x##ormqr_(const char*, const char*, const int*, const int*, const int*, const T*, const int*, const T*, T*, \
                                        const int*, T*, const int*, int*, size_t, size_t); \
  extern "C" void monograph_##x##syevd_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*, const int*, int*, \
                                        size_t, size_t); \
  extern "C" void monograph_##x##gesdd_(const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*, \
                                        const int*, int*, int*, size_t); \
  extern "C" void monograph_##x##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, T*, const int*, T*, const int*, T*, \
                                       const int*, int*, size_t, size_t); \
  extern "C" void monograph_##x##gelsy_(const int*, const int*, const int*, T*, const int*, T*, const int*, int*, const T*, int*, T*, \
                                        const int*, int*); \
  extern "C" void monograph_##x##gelsd_(const int*, const int*, const int*, T*, const int*, T*, const int*, T*, const T*, int*, T*, \
                                        const int*, int*, int*); \
  extern "C" void monograph_##x##gelss_(const int*, const int*, const int*, T*, const int*, T*, const int*, T*, const T*, int*, T*, \
                                        const int*, int*); \
  inline void ungqr(int m, int n, int k, T* a, int lda, const T* tau, T* work, int work_size, int& info) { \
    monograph_##x##orgqr_(&m, &n, &k, a, &lda, tau, work, &work_size, &info); \
  } \
  inline void unmqr(char side, bool adjoint, int m, int n, int k, const T* a, int lda, const T* tau, T* c, int ldc, T* work, \
                    int work_size, int& info) { \
    const char trans = adjoint ? 'T' : 'N'; \
    monograph_##x##ormqr_(&side, &trans, &m, &n, &k, a, &lda, tau, c, &ldc, work, &work_size, &info, 1, 1); \
  } \
  inline void heevd(char job, char uplo, int n, T* a, int lda, T* values, T* work, int work_size, T*, int, int* int_work, \
                    int int_work_size, int& info) { \
    monograph_##x##syevd_(&job, &uplo, &n, a, &lda, values, work, &work_size, int_work, &int_work_size, &info, 1, 1); \
  } \
  inline void gesdd(char job, int m, int n, T* a, int lda, T* s, T* u, int ldu, T* vh, int ldvh, T* work, int work_size, T*, \
                    int* int_work, int& info) { \
    monograph_##x##gesdd_(&job, &m, &n, a, &lda, s, u, &ldu, vh, &ldvh, work, &work_size, int_work, &info, 1); \
  } \
  /* `values` has 2 * n elements: the real parts of the eigenvalues, then their imaginary parts. */ \
  inline void geev(char job, int n, T* a, int lda, T* values, T* vectors, int ldv, T* work, int work_size, T*, int& info) { \
    const char none = 'N'; \
    monograph_##x##geev_(&none, &job, &n, a, &lda, values, values + n, vectors, &ldv, vectors, &ldv, work, &work_size, &info, 1, 1); \
  } \
  inline void gelsy(int m, int n, int columns, T* a, int lda, T* b, int ldb, int* order, T rcond, int& rank, T* work, int work_size, T*, \
                    int& info) { \
    monograph_##x##gelsy_(&m, &n, &columns, a, &lda, b, &ldb, order, &rcond, &rank, work, &work_size, &info); \
  } \
  inline void gelsd(int m, int n, int columns, T* a, int lda, T* b, int ldb, T* s, T rcond, int& rank, T* work, int work_size, T*, \
                    int* int_work, int& info) { \
    monograph_##x##gelsd_(&m, &n, &columns, a, &lda, b, &ldb, s, &rcond, &rank, work, &work_size, int_work, &info); \
  } \
  inline void gelss(int m, int n, int columns, T* a, int lda, T* b, int ldb, T* s, T rcond, int& rank, T* work, int work_size, T*, \
                    int& info) { \
    monograph_##x##gelss_(&m, &n, &columns, a, &lda, b, &ldb, s, &rcond, &rank, work, &work_size, &info); \
  } \
  inline void hetrf(char uplo, int n, T* a, int lda, int* pivots, T* work, int work_size, int& info) { \
    sytrf(uplo, n, a, lda, pivots, work, work_size, info); \
  } \
  inline void hetrs(char uplo, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb, int& info) { \
    sytrs(uplo, n, columns, a, lda, pivots, b, ldb, info); \
  }

#define MONOGRAPH_LAPACK_COMPLEX(x, T, R) \
  MONOGRAPH_LAPACK_BOTH(x, T) \
  extern "C" void monograph_##x##ungqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*); \
  extern "C" void monograph_##x##unmqr_(const char*, const char*, const int*, const int*, const int*, const T*, const int*, const T*, T*, \
                                        const int*, T*, const int*, int*, size_t, size_t); \
  extern "C" void monograph_##x##heevd_(const char*, const char*, const int*, T*, const int*, R*, T*, const int*, R*, const int*, int*, \
                                        const int*, int*, size_t, size_t); \
  extern "C" void monograph_##x##gesdd_(const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*, const int*, T*, \
                                        const int*, R*, int*, int*, size_t); \
  extern "C" void monograph_##x##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*, \
                                       const int*, R*, int*, size_t, size_t); \
  extern "C" void monograph_##x##gelsy_(const int*, const int*, const int*, T*, const int*, T*, const int*, int*, const R*, int*, T*, \
                                        const int*, R*, int*); \
  extern "C" void monograph_##x##gelsd_(const int*, const int*, const int*, T*, const int*, T*, const int*, R*, const R*, int*, T*, \
                                        const int*, R*, int*, int*); \
  extern "C" void monograph_##x##gelss_(const int*, const int*, const int*, T*, const int*, T*, const int*, R*, const R*, int*, T*, \
                                        const int*, R*, int*); \
  extern "C" void monograph_##x##hetrf_(const char*, const int*, T*, const int*, int*, T*, const int*, int*, size_t); \
  extern "C" void monograph_##x##hetrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*, int*, \
                                        size_t); \
  inline void ungqr(int m, int n, int k, T* a, int lda, const T* tau, T* work, int work_size, int& info) { \
    monograph_##x##ungqr_(&m, &n, &k, a, &lda, tau, work, &work_size, &info); \
  } \
  inline void unmqr(char side, bool adjoint, int m, int n, int k, const T* a, int lda, const T* tau, T* c, int ldc, T* work, \
                    int work_size, int& info) { \
    const char trans = adjoint ? 'C' : 'N'; \
    monograph_##x##unmqr_(&side, &trans, &m, &n, &k, a, &lda, tau, c, &ldc, work, &work_size, &info, 1, 1); \
  } \
  inline void heevd(char job, char uplo, int n, T* a, int lda, R* values, T* work, int work_size, R* real_work, int real_work_size, \
                    int* int_work, int int_work_size, int& info) { \
    monograph_##x##heevd_(&job, &uplo, &n, a, &lda, values, work, &work_size, real_work, &real_work_size, int_work, &int_work_size, &info, \
                          1, 1); \
  } \
  inline void gesdd(char job, int m, int n, T* a, int lda, R* s, T* u, int ldu, T* vh, int ldvh, T* work, int work_size, R* real_work, \
                    int* int_work, int& info) { \
    monograph_##x##gesdd_(&job, &m, &n, a, &lda, s, u, &ldu, vh, &ldvh, work, &work_size, real_work, int_work, &info, 1); \
  } \
  inline void geev(char job, int n, T* a, int lda, T* values, T* vectors, int ldv, T* work, int work_size, R* real_work, int& info) { \
    const char none = 'N'; \
    monograph_##x##geev_(&none, &job, &n, a, &lda, values, vectors, &ldv, vectors, &ldv, work, &work_size, real_work, &info, 1, 1); \
  } \
  inline void gelsy(int m, int n, int columns, T* a, int lda, T* b, int ldb, int* order, R rcond, int& rank, T* work, int work_size, \
                    R* real_work, int& info) { \
    monograph_##x##gelsy_(&m, &n, &columns, a, &lda, b, &ldb, order, &rcond, &rank, work, &work_size, real_work, &info); \
  } \
  inline void gelsd(int m, int n, int columns, T* a, int lda, T* b, int ldb, R* s, R rcond, int& rank, T* work, int work_size, \
                    R* real_work, int* int_work, int& info) { \
    monograph_##x##gelsd_(&m, &n, &columns, a, &lda, b, &ldb, s, &rcond, &rank, work, &work_size, real_work, int_work, &info); \
  } \
  inline void gelss(int m, int n, int columns, T* a, int lda, T* b, int ldb, R* s, R rcond, int& rank, T* work, int work_size, \
                    R* real_work, int& info) { \
    monograph_##x##gelss_(&m, &n, &columns, a, &lda, b, &ldb, s, &rcond, &rank, work, &work_size, real_work, &info); \
  } \
  inline void hetrf(char uplo, int n, T* a, int lda, int* pivots, T* work, int work_size, int& info) { \
    monograph_##x##hetrf_(&uplo, &n, a, &lda, pivots, work, &work_size, &info, 1); \
  } \
  inline void hetrs(char uplo, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb, int& info) { \
    monograph_##x##hetrs_(&uplo, &n, &columns, a, &lda, pivots, b, &ldb, &info, 1); \
  }

MONOGRAPH_LAPACK_REAL(s, float)
MONOGRAPH_LAPACK_REAL(d, double)
MONOGRAPH_LAPACK_COMPLEX(c, std::complex<float>, float)
MONOGRAPH_LAPACK_COMPLEX(z, std::complex<double>, double)

#undef MONOGRAPH_LAPACK_BOTH
#undef MONOGRAPH_LAPACK_REAL
#undef MONOGRAPH_LAPACK_COMPLEX

}  // namespace monograph::lapack
