// Replaces the reference BLAS under LAPACK's real routines: functions with the same names and arguments, whose loops use vectors. The rest of BLAS (norms,
// rotations, complex numbers) is the reference's. Vectors with a negative step are handled by plain loops here.
//
// A triangular matrix is halved until it has kTriangle rows. The square part between the halves is a matrix product. Threads share the columns, or the
// rows, of a result. The loops compute each of its elements alone, so the bits do not depend on the number of threads.
#include "kernels/grain.h"
#include "kernels/lapack/blas_loops.h"

namespace monograph::blas {
namespace {

template <class T> const BlasLoops<T>& loops() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return LoopTables<T>::v4;
  return __builtin_cpu_supports("avx2") ? LoopTables<T>::v3 : LoopTables<T>::v2;
}

bool is(const char* letter, char upper) { return *letter == upper || *letter == upper + 32; }
bool across(const char* letter) { return !is(letter, 'N'); }  // for real numbers the conjugate transpose is the transpose

// y *= beta; a beta of 0 overwrites NaNs, too.
template <class T> void scale(ptrdiff_t n, T beta, T* y, ptrdiff_t inc) {
  if (beta == T(1)) return;
  for (ptrdiff_t i = 0; i < n; ++i) y[i * inc] = beta == T(0) ? T(0) : y[i * inc] * beta;
}
template <class T> void scale(ptrdiff_t m, ptrdiff_t n, T beta, T* c, ptrdiff_t ldc) {
  for (ptrdiff_t j = 0; j < n; ++j) scale(m, beta, c + j * ldc, 1);
}
// The first element of a vector, which is the last one in memory if its step is negative.
template <class T> T* begin(T* x, ptrdiff_t n, ptrdiff_t inc) { return inc < 0 ? x - (n - 1) * inc : x; }

// Calls part(begin, end) for ranges of `count` rows or columns, each of which takes `work` multiplications; borders are multiples of `block`.
template <class F> void share(ptrdiff_t count, ptrdiff_t work, ptrdiff_t block, F&& part) {
  constexpr ptrdiff_t kTask = 1 << 18;  // multiplications for which a thread is worth waking
  if (count * work < 2 * kTask) return part(ptrdiff_t{0}, count);
  const ptrdiff_t grain = (kTask / (work > 0 ? work : 1) / block + 1) * block;
  parallel_for(0, count, grain, part);
}
constexpr ptrdiff_t kBlock = 16;  // rows or columns: whole vectors of float32

// C += alpha * op(A) * op(B)
template <class T>
void add_product(bool ta, bool tb, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, T alpha, const T* a, ptrdiff_t lda, const T* b, ptrdiff_t ldb,
                 T* c, ptrdiff_t ldc) {
  if (n >= m / 4)
    share(n, m * k, kBlock, [&](ptrdiff_t j, ptrdiff_t end) {
      loops<T>().gemm(ta, tb, m, end - j, k, alpha, a, lda, b + j * (tb ? 1 : ldb), ldb, c + j * ldc, ldc);
    });
  else
    share(m, n * k, 4 * kBlock, [&](ptrdiff_t i, ptrdiff_t end) {
      loops<T>().gemm(ta, tb, end - i, n, k, alpha, a + i * (ta ? lda : 1), lda, b, ldb, c + i, ldc);
    });
}

template <class T>
void gemm(const char* ta, const char* tb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc) {
  scale<T>(m, n, beta, c, ldc);
  if (m > 0 && n > 0 && k > 0 && alpha != T(0)) add_product<T>(across(ta), across(tb), m, n, k, alpha, a, lda, b, ldb, c, ldc);
}

template <class T> void gemv(const char* ta, int m, int n, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, int incy) {
  const ptrdiff_t in = across(ta) ? m : n, out = across(ta) ? n : m;
  x = begin(x, in, incx), y = begin(y, out, incy);
  scale<T>(out, beta, y, incy);
  if (m <= 0 || n <= 0 || alpha == T(0)) return;
  if (across(ta))
    share(n, m, kBlock,
          [&](ptrdiff_t j, ptrdiff_t end) { loops<T>().gemv_across(m, end - j, alpha, a + j * lda, lda, x, incx, y + j * incy, incy); });
  else
    share(m, n, 4 * kBlock,
          [&](ptrdiff_t i, ptrdiff_t end) { loops<T>().gemv(end - i, n, alpha, a + i, lda, x, incx, y + i * incy, incy); });
}

template <class T> void ger(int m, int n, T alpha, const T* x, int incx, const T* y, int incy, T* a, int lda) {
  if (m <= 0 || n <= 0 || alpha == T(0)) return;
  x = begin(x, m, incx), y = begin(y, n, incy);
  share(n, m, kBlock,
        [&](ptrdiff_t j, ptrdiff_t end) { loops<T>().ger(m, end - j, alpha, x, incx, y + j * incy, incy, a + j * lda, lda); });
}

template <class T> void symv(const char* uplo, int n, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, int incy) {
  x = begin(x, n, incx), y = begin(y, n, incy);
  scale<T>(n, beta, y, incy);
  if (n <= 0 || alpha == T(0)) return;
  const bool lower = is(uplo, 'L');
  if (incx == 1 && incy == 1) return loops<T>().symv(lower, n, alpha, a, lda, x, y);
  for (ptrdiff_t j = 0; j < n; ++j) {
    T s = 0;
    for (ptrdiff_t i = lower ? j + 1 : 0; i < (lower ? n : j); ++i) {
      y[i * incy] += alpha * x[j * incx] * a[i + j * lda];
      s += a[i + j * lda] * x[i * incx];
    }
    y[j * incy] += alpha * x[j * incx] * a[j + j * lda] + alpha * s;
  }
}

template <class T> void syr2(const char* uplo, int n, T alpha, const T* x, int incx, const T* y, int incy, T* a, int lda) {
  if (n <= 0 || alpha == T(0)) return;
  x = begin(x, n, incx), y = begin(y, n, incy);
  const bool lower = is(uplo, 'L');
  if (incx == 1 && incy == 1) return loops<T>().syr2(lower, n, alpha, x, y, a, lda);
  for (ptrdiff_t j = 0; j < n; ++j)
    for (ptrdiff_t i = lower ? j : 0; i < (lower ? n : j + 1); ++i)
      a[i + j * lda] += alpha * (x[i * incx] * y[j * incy] + y[i * incy] * x[j * incx]);
}

// One triangle of C += alpha * (op(A) op(B)ᵀ): squares along the diagonal, and the rectangles beside them.
template <class T>
void add_triangle(bool lower, bool trans, ptrdiff_t n, ptrdiff_t k, T alpha, const T* a, ptrdiff_t lda, const T* b, ptrdiff_t ldb, T* c,
                  ptrdiff_t ldc) {
  constexpr ptrdiff_t kSquare = 32;
  const ptrdiff_t row_a = trans ? lda : 1, row_b = trans ? ldb : 1;
  share((n + kSquare - 1) / kSquare, kSquare * n * k / 2, 1, [&](ptrdiff_t first, ptrdiff_t last) {
    for (ptrdiff_t j = first * kSquare; j < n && j < last * kSquare; j += kSquare) {
      const ptrdiff_t width = n - j < kSquare ? n - j : kSquare, from = lower ? j + width : 0, height = lower ? n - from : j;
      if (height > 0)
        loops<T>().gemm(trans, !trans, height, width, k, alpha, a + from * row_a, lda, b + j * row_b, ldb, c + from + j * ldc, ldc);
      T square[kSquare * kSquare] = {};
      loops<T>().gemm(trans, !trans, width, width, k, alpha, a + j * row_a, lda, b + j * row_b, ldb, square, kSquare);
      for (ptrdiff_t q = 0; q < width; ++q)
        for (ptrdiff_t p = lower ? q : 0; p < (lower ? width : q + 1); ++p) c[j + p + (j + q) * ldc] += square[p + q * kSquare];
    }
  });
}
template <class T> void scale_triangle(bool lower, ptrdiff_t n, T beta, T* c, ptrdiff_t ldc) {
  for (ptrdiff_t j = 0; j < n; ++j) scale<T>(lower ? n - j : j + 1, beta, c + j * ldc + (lower ? j : 0), 1);
}

template <class T> void syrk(const char* uplo, const char* trans, int n, int k, T alpha, const T* a, int lda, T beta, T* c, int ldc) {
  scale_triangle<T>(is(uplo, 'L'), n, beta, c, ldc);
  if (k > 0 && alpha != T(0)) add_triangle<T>(is(uplo, 'L'), across(trans), n, k, alpha, a, lda, a, lda, c, ldc);
}
template <class T>
void syr2k(const char* uplo, const char* trans, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc) {
  scale_triangle<T>(is(uplo, 'L'), n, beta, c, ldc);
  if (k <= 0 || alpha == T(0)) return;
  add_triangle<T>(is(uplo, 'L'), across(trans), n, k, alpha, a, lda, b, ldb, c, ldc);
  add_triangle<T>(is(uplo, 'L'), across(trans), n, k, alpha, b, ldb, a, lda, c, ldc);
}

// A triangular matrix A, with its flags: op(A) is on the left or right of B.
template <class T> struct Triangle {
  bool left, lower, across, unit;
  const T* a;
  ptrdiff_t lda;
  bool down() const { return lower != across; }
  Triangle from(ptrdiff_t k) const { return {left, lower, across, unit, a + k + k * lda, lda}; }
  // The rectangle of A that connects the halves [0, k) and [k, n).
  const T* between(ptrdiff_t k) const { return lower ? a + k : a + k * lda; }
};

// `between` times one half of B is added to the other half. Solving and multiplying take the halves in opposite orders.
template <class T> void add_between(const Triangle<T>& t, ptrdiff_t k, ptrdiff_t m, ptrdiff_t n, T alpha, T* b, ptrdiff_t ldb) {
  if (t.left) {
    T *first = b, *second = b + k;
    if (t.down()) loops<T>().gemm(t.across, false, m - k, n, k, alpha, t.between(k), t.lda, first, ldb, second, ldb);
    else loops<T>().gemm(t.across, false, k, n, m - k, alpha, t.between(k), t.lda, second, ldb, first, ldb);
  } else {
    T *first = b, *second = b + k * ldb;
    if (t.down()) loops<T>().gemm(false, t.across, m, k, n - k, alpha, second, ldb, t.between(k), t.lda, first, ldb);
    else loops<T>().gemm(false, t.across, m, n - k, k, alpha, first, ldb, t.between(k), t.lda, second, ldb);
  }
}

// op(A)⁻¹ B or op(A) B (or from the right). Solving subtracts the part of the other half; multiplying adds it, and takes the halves in the opposite order.
template <class T> void apply(bool solves, const Triangle<T>& t, ptrdiff_t m, ptrdiff_t n, T* b, ptrdiff_t ldb) {
  const ptrdiff_t size = t.left ? m : n;
  if (size <= kTriangle)
    return (solves ? loops<T>().solve : loops<T>().multiply)(t.left, t.lower, t.across, t.unit, m, n, t.a, t.lda, b, ldb);
  const ptrdiff_t k = (size / 2 + kTriangle - 1) / kTriangle * kTriangle;
  T* half = t.left ? b + k : b + k * ldb;
  auto first = [&] { apply(solves, t, t.left ? k : m, t.left ? n : k, b, ldb); };
  auto second = [&] { apply(solves, t.from(k), t.left ? m - k : m, t.left ? n : n - k, half, ldb); };
  const bool forward = (t.left == t.down()) == solves;
  forward ? first() : second();
  add_between<T>(t, k, m, n, solves ? -1 : 1, b, ldb);
  forward ? second() : first();
}

// The same to alpha * B, shared by threads.
template <class T> void apply_shared(bool solves, const Triangle<T>& t, ptrdiff_t m, ptrdiff_t n, T alpha, T* b, ptrdiff_t ldb) {
  auto part = [&](ptrdiff_t rows, ptrdiff_t columns, T* own) {
    scale<T>(rows, columns, alpha, own, ldb);
    if (alpha != T(0)) apply(solves, t, rows, columns, own, ldb);
  };
  if (t.left) share(n, m * m / 2, kBlock, [&](ptrdiff_t j, ptrdiff_t end) { part(m, end - j, b + j * ldb); });
  else share(m, n * n / 2, 4 * kBlock, [&](ptrdiff_t i, ptrdiff_t end) { part(end - i, n, b + i); });
}

template <class T>
void trsm(const char* side, const char* uplo, const char* trans, const char* diag, int m, int n, T alpha, const T* a, int lda, T* b,
          int ldb) {
  if (m > 0 && n > 0) apply_shared<T>(true, {is(side, 'L'), is(uplo, 'L'), across(trans), is(diag, 'U'), a, lda}, m, n, alpha, b, ldb);
}
template <class T>
void trmm(const char* side, const char* uplo, const char* trans, const char* diag, int m, int n, T alpha, const T* a, int lda, T* b,
          int ldb) {
  if (m > 0 && n > 0) apply_shared<T>(false, {is(side, 'L'), is(uplo, 'L'), across(trans), is(diag, 'U'), a, lda}, m, n, alpha, b, ldb);
}

template <class T> void axpy(int n, T alpha, const T* x, int incx, T* y, int incy) {
  if (n <= 0 || alpha == T(0)) return;
  if (incx == 1 && incy == 1) return loops<T>().axpy(n, alpha, x, y);
  x = begin(x, n, incx), y = begin(y, n, incy);
  for (ptrdiff_t i = 0; i < n; ++i) y[i * incy] += alpha * x[i * incx];
}
template <class T> void scal(int n, T alpha, T* x, int incx) {
  if (n <= 0 || incx <= 0) return;
  if (incx == 1) return loops<T>().scal(n, alpha, x);
  for (ptrdiff_t i = 0; i < n; ++i) x[i * incx] *= alpha;
}
template <class T> T dot(int n, const T* x, int incx, const T* y, int incy) {
  if (n <= 0) return 0;
  if (incx == 1 && incy == 1) return loops<T>().dot(n, x, y);
  x = begin(x, n, incx), y = begin(y, n, incy);
  T s = 0;
  for (ptrdiff_t i = 0; i < n; ++i) s += x[i * incx] * y[i * incy];
  return s;
}

}  // namespace
}  // namespace monograph::blas

// The names are Fortran's. Each CHARACTER argument has its length after all arguments; it is not read here.
namespace blas = monograph::blas;
extern "C" {
#define MONOGRAPH_BLAS(x, T) \
  void x##gemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const T* alpha, const T* a, const int* lda, \
                const T* b, const int* ldb, const T* beta, T* c, const int* ldc) { \
    blas::gemm<T>(ta, tb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc); \
  } \
  void x##gemv_(const char* ta, const int* m, const int* n, const T* alpha, const T* a, const int* lda, const T* v, const int* incv, \
                const T* beta, T* y, const int* incy) { \
    blas::gemv<T>(ta, *m, *n, *alpha, a, *lda, v, *incv, *beta, y, *incy); \
  } \
  void x##ger_(const int* m, const int* n, const T* alpha, const T* v, const int* incv, const T* y, const int* incy, T* a, \
               const int* lda) { \
    blas::ger<T>(*m, *n, *alpha, v, *incv, y, *incy, a, *lda); \
  } \
  void x##symv_(const char* uplo, const int* n, const T* alpha, const T* a, const int* lda, const T* v, const int* incv, const T* beta, \
                T* y, const int* incy) { \
    blas::symv<T>(uplo, *n, *alpha, a, *lda, v, *incv, *beta, y, *incy); \
  } \
  void x##syr2_(const char* uplo, const int* n, const T* alpha, const T* v, const int* incv, const T* y, const int* incy, T* a, \
                const int* lda) { \
    blas::syr2<T>(uplo, *n, *alpha, v, *incv, y, *incy, a, *lda); \
  } \
  void x##syrk_(const char* uplo, const char* trans, const int* n, const int* k, const T* alpha, const T* a, const int* lda, \
                const T* beta, T* c, const int* ldc) { \
    blas::syrk<T>(uplo, trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc); \
  } \
  void x##syr2k_(const char* uplo, const char* trans, const int* n, const int* k, const T* alpha, const T* a, const int* lda, const T* b, \
                 const int* ldb, const T* beta, T* c, const int* ldc) { \
    blas::syr2k<T>(uplo, trans, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc); \
  } \
  void x##trsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n, const T* alpha, \
                const T* a, const int* lda, T* b, const int* ldb) { \
    blas::trsm<T>(side, uplo, trans, diag, *m, *n, *alpha, a, *lda, b, *ldb); \
  } \
  void x##trmm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n, const T* alpha, \
                const T* a, const int* lda, T* b, const int* ldb) { \
    blas::trmm<T>(side, uplo, trans, diag, *m, *n, *alpha, a, *lda, b, *ldb); \
  } \
  void x##axpy_(const int* n, const T* alpha, const T* v, const int* incv, T* y, const int* incy) { \
    blas::axpy<T>(*n, *alpha, v, *incv, y, *incy); \
  } \
  void x##scal_(const int* n, const T* alpha, T* v, const int* incv) { blas::scal<T>(*n, *alpha, v, *incv); } \
  T x##dot_(const int* n, const T* v, const int* incv, const T* y, const int* incy) { return blas::dot<T>(*n, v, *incv, y, *incy); }
MONOGRAPH_BLAS(s, float)
MONOGRAPH_BLAS(d, double)
#undef MONOGRAPH_BLAS
}
