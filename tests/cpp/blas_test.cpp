// The products that LAPACK's routines call: each beside the sum as it is defined, in double, for every way to lay out its matrices; and the loops of each
// instruction set, whose results have equal bits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/isa.h"
#include "kernels/lapack/blas_loops.h"

extern "C" {
#define DECLARE(x, T) \
  void x##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*, const T*, const int*, \
                const T*, T*, const int*); \
  void x##gemv_(const char*, const int*, const int*, const T*, const T*, const int*, const T*, const int*, const T*, T*, const int*); \
  void x##ger_(const int*, const int*, const T*, const T*, const int*, const T*, const int*, T*, const int*); \
  void x##symv_(const char*, const int*, const T*, const T*, const int*, const T*, const int*, const T*, T*, const int*); \
  void x##syr2_(const char*, const int*, const T*, const T*, const int*, const T*, const int*, T*, const int*); \
  void x##syrk_(const char*, const char*, const int*, const int*, const T*, const T*, const int*, const T*, T*, const int*); \
  void x##syr2k_(const char*, const char*, const int*, const int*, const T*, const T*, const int*, const T*, const int*, const T*, T*, \
                 const int*); \
  void x##trsm_(const char*, const char*, const char*, const char*, const int*, const int*, const T*, const T*, const int*, T*, \
                const int*); \
  void x##trmm_(const char*, const char*, const char*, const char*, const int*, const int*, const T*, const T*, const int*, T*, \
                const int*); \
  void x##axpy_(const int*, const T*, const T*, const int*, T*, const int*); \
  void x##scal_(const int*, const T*, T*, const int*); \
  T x##dot_(const int*, const T*, const int*, const T*, const int*);
DECLARE(s, float)
DECLARE(d, double)
#undef DECLARE
}

namespace monograph {
namespace {

constexpr int kSizes[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 65, 100, 130};

template <class T> struct Routines;
#define ROUTINES(x, T) \
  template <> struct Routines<T> { \
    static constexpr auto gemm = x##gemm_; \
    static constexpr auto gemv = x##gemv_; \
    static constexpr auto ger = x##ger_; \
    static constexpr auto symv = x##symv_; \
    static constexpr auto syr2 = x##syr2_; \
    static constexpr auto syrk = x##syrk_; \
    static constexpr auto syr2k = x##syr2k_; \
    static constexpr auto trsm = x##trsm_; \
    static constexpr auto trmm = x##trmm_; \
    static constexpr auto axpy = x##axpy_; \
    static constexpr auto scal = x##scal_; \
    static constexpr auto dot = x##dot_; \
  };
ROUTINES(s, float)
ROUTINES(d, double)
#undef ROUTINES

template <class T> class Blas : public testing::Test {
 protected:
  std::mt19937 random{1};
  int any(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }
  int size() { return kSizes[any(0, std::size(kSizes) - 1)]; }
  char letter(const char* letters) { return letters[any(0, static_cast<int>(std::strlen(letters)) - 1)]; }
  T number() { return any(0, 9) == 0 ? T(0) : any(0, 9) == 0 ? T(1) : std::uniform_real_distribution<T>(-2, 2)(random); }
  std::vector<T> numbers(size_t n) {
    std::vector<T> v(n);
    for (T& x : v) x = std::uniform_real_distribution<T>(-1, 1)(random);
    return v;
  }
  // A triangle whose diagonal keeps the solution as small as the right side.
  std::vector<T> triangle(int n, int lda) {
    std::vector<T> a = numbers(static_cast<size_t>(lda) * std::max(n, 1));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < lda; ++i) a[i + j * lda] = i == j ? T(1) + std::abs(a[i + j * lda]) : a[i + j * lda] / T(std::max(n, 1));
    return a;
  }
  void near(double expected, T got, double magnitude, const std::string& what) {
    ASSERT_NEAR(expected, got, 64 * std::numeric_limits<T>::epsilon() * (magnitude + 1)) << what;
  }
};
using Elements = testing::Types<float, double>;
TYPED_TEST_SUITE(Blas, Elements);

TYPED_TEST(Blas, ProductsOfMatrices) {
  using T = TypeParam;
  for (int round = 0; round < 300; ++round) {
    const int m = this->size(), n = this->size(), k = this->size();
    const char ta = this->letter("NTCntc"), tb = this->letter("NTC");
    const bool a_across = ta != 'N' && ta != 'n', b_across = tb != 'N';
    const int lda = std::max(1, a_across ? k : m) + this->any(0, 3), ldb = std::max(1, b_across ? n : k) + this->any(0, 3),
              ldc = std::max(1, m) + this->any(0, 3);
    const auto a = this->numbers(size_t(lda) * std::max(1, a_across ? m : k)),
               b = this->numbers(size_t(ldb) * std::max(1, b_across ? k : n));
    auto c = this->numbers(size_t(ldc) * std::max(1, n));
    const auto before = c;
    const T alpha = this->number(), beta = this->number();
    if (beta == T(0) && m > 0 && n > 0) c[0] = std::numeric_limits<T>::quiet_NaN();
    Routines<T>::gemm(&ta, &tb, &m, &n, &k, &alpha, a.data(), &lda, b.data(), &ldb, &beta, c.data(), &ldc);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < ldc; ++i) {
        double s = 0;
        for (int p = 0; p < k && i < m; ++p)
          s += double(a_across ? a[p + i * lda] : a[i + p * lda]) * double(b_across ? b[j + p * ldb] : b[p + j * ldb]);
        if (i >= m) ASSERT_EQ(before[i + j * ldc], c[i + j * ldc]);
        else this->near(alpha * s + beta * double(before[i + j * ldc]), c[i + j * ldc], std::sqrt(k), "gemm");
      }
  }
}

TYPED_TEST(Blas, VectorsWithGapsAndBackwards) {
  using T = TypeParam;
  const int steps[] = {1, 1, 2, 3, -1, -2};
  for (int round = 0; round < 300; ++round) {
    const int m = this->size(), n = this->size(), incx = steps[this->any(0, 5)], incy = steps[this->any(0, 5)],
              lda = std::max(1, m) + this->any(0, 2);
    const char trans = this->letter("NT");
    const int in = trans == 'N' ? n : m, out = trans == 'N' ? m : n;
    auto place = [](int i, int count, int inc) { return inc > 0 ? i * inc : (i - count + 1) * inc; };
    const auto a = this->numbers(size_t(lda) * std::max(1, n)), x = this->numbers(400), y = this->numbers(400);
    const T alpha = this->number(), beta = this->number();
    auto got = y;
    Routines<T>::gemv(&trans, &m, &n, &alpha, a.data(), &lda, x.data(), &incx, &beta, got.data(), &incy);
    for (int i = 0; i < out; ++i) {
      double s = 0;
      for (int p = 0; p < in; ++p) s += double(trans == 'N' ? a[i + p * lda] : a[p + i * lda]) * double(x[place(p, in, incx)]);
      if (m && n) this->near(alpha * s + beta * double(y[place(i, out, incy)]), got[place(i, out, incy)], std::sqrt(in), "gemv");
    }
    auto outer = a;
    Routines<T>::ger(&m, &n, &alpha, x.data(), &incx, y.data(), &incy, outer.data(), &lda);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i)
        this->near(a[i + j * lda] + alpha * double(x[place(i, m, incx)]) * double(y[place(j, n, incy)]), outer[i + j * lda], 4, "ger");
    auto sum = y;
    Routines<T>::axpy(&n, &alpha, x.data(), &incx, sum.data(), &incy);
    double dot = 0;
    for (int i = 0; i < n; ++i) {
      this->near(y[place(i, n, incy)] + alpha * double(x[place(i, n, incx)]), sum[place(i, n, incy)], 2, "axpy");
      dot += double(x[place(i, n, incx)]) * double(y[place(i, n, incy)]);
    }
    this->near(dot, Routines<T>::dot(&n, x.data(), &incx, y.data(), &incy), std::sqrt(n), "dot");
    auto scaled = x;
    const int step = std::abs(incx);
    Routines<T>::scal(&n, &alpha, scaled.data(), &step);
    for (int i = 0; i < n; ++i) this->near(alpha * double(x[i * step]), scaled[i * step], 1, "scal");
  }
}

TYPED_TEST(Blas, SymmetricMatrices) {
  using T = TypeParam;
  for (int round = 0; round < 200; ++round) {
    const int n = this->size(), k = this->size(), lda = std::max(1, n) + this->any(0, 2), one = 1, inc = this->any(1, 2);
    const char uplo = this->letter("LU"), trans = this->letter("NT");
    const T alpha = this->number(), beta = this->number();
    const auto a = this->numbers(size_t(lda) * std::max(1, n)), x = this->numbers(300), y = this->numbers(300);
    auto in_triangle = [&](int i, int j) { return uplo == 'L' ? i >= j : i <= j; };
    auto product = y;
    Routines<T>::symv(&uplo, &n, &alpha, a.data(), &lda, x.data(), &inc, &beta, product.data(), &one);
    for (int i = 0; i < n; ++i) {
      double s = 0;
      for (int j = 0; j < n; ++j) s += double(in_triangle(i, j) ? a[i + j * lda] : a[j + i * lda]) * double(x[j * inc]);
      this->near(alpha * s + beta * double(y[i]), product[i], std::sqrt(n), "symv");
    }
    auto outer = a;
    Routines<T>::syr2(&uplo, &n, &alpha, x.data(), &inc, y.data(), &one, outer.data(), &lda);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const double more = alpha * (double(x[i * inc]) * double(y[j]) + double(y[i]) * double(x[j * inc]));
        this->near(a[i + j * lda] + (in_triangle(i, j) ? more : 0), outer[i + j * lda], 4, "syr2");
      }
    const int rows = std::max(1, trans == 'N' ? n : k), columns = std::max(1, trans == 'N' ? k : n), ld = rows + this->any(0, 2);
    const auto f = this->numbers(size_t(ld) * columns), g = this->numbers(size_t(ld) * columns);
    auto at = [&](const std::vector<T>& v, int i, int p) { return double(trans == 'N' ? v[i + p * ld] : v[p + i * ld]); };
    auto one_sided = a, two_sided = a;
    Routines<T>::syrk(&uplo, &trans, &n, &k, &alpha, f.data(), &ld, &beta, one_sided.data(), &lda);
    Routines<T>::syr2k(&uplo, &trans, &n, &k, &alpha, f.data(), &ld, g.data(), &ld, &beta, two_sided.data(), &lda);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        if (!in_triangle(i, j)) {
          ASSERT_EQ(a[i + j * lda], one_sided[i + j * lda]);
          continue;
        }
        double s = 0, both = 0;
        for (int p = 0; p < k; ++p) s += at(f, i, p) * at(f, j, p), both += at(f, i, p) * at(g, j, p) + at(g, i, p) * at(f, j, p);
        this->near(alpha * s + beta * double(a[i + j * lda]), one_sided[i + j * lda], std::sqrt(k), "syrk");
        this->near(alpha * both + beta * double(a[i + j * lda]), two_sided[i + j * lda], 2 * std::sqrt(k), "syr2k");
      }
  }
}

TYPED_TEST(Blas, Triangles) {
  using T = TypeParam;
  for (int round = 0; round < 400; ++round) {
    const int m = this->size(), n = this->size(), ldb = std::max(1, m) + this->any(0, 2);
    const char side = this->letter("LR"), uplo = this->letter("LU"), trans = this->letter("NTC"), diag = this->letter("NU");
    const int size = side == 'L' ? m : n, lda = std::max(1, size) + this->any(0, 2);
    const auto a = this->triangle(size, lda), b = this->numbers(size_t(ldb) * std::max(1, n));
    const T alpha = this->number();
    auto element = [&](int i, int j) {
      if (trans != 'N') std::swap(i, j);
      if (i == j && diag == 'U') return 1.0;
      return (uplo == 'L' ? i >= j : i <= j) ? double(a[i + j * lda]) : 0.0;
    };
    auto times = [&](const std::vector<T>& x, int i, int j) {
      double s = 0;
      for (int p = 0; p < size; ++p) s += side == 'L' ? element(i, p) * double(x[p + j * ldb]) : double(x[i + p * ldb]) * element(p, j);
      return s;
    };
    const std::string what = std::string() + side + uplo + trans + diag + " " + std::to_string(m) + "x" + std::to_string(n);
    auto product = b, solution = b;
    Routines<T>::trmm(&side, &uplo, &trans, &diag, &m, &n, &alpha, a.data(), &lda, product.data(), &ldb);
    Routines<T>::trsm(&side, &uplo, &trans, &diag, &m, &n, &alpha, a.data(), &lda, solution.data(), &ldb);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        this->near(alpha * times(b, i, j), product[i + j * ldb], 4, "trmm " + what);
        this->near(alpha * double(b[i + j * ldb]), static_cast<T>(times(solution, i, j)), 8, "trsm " + what);
      }
  }
}

// The loops that this processor runs, beside those of x86-64-v2.
TYPED_TEST(Blas, EveryInstructionSetHasTheSameBits) {
  using T = TypeParam;
  using Tables = blas::LoopTables<T>;
  std::vector<const blas::BlasLoops<T>*> levels = {&Tables::v2};
  if (host_isa() >= Isa::v3) levels.push_back(&Tables::v3);
  if (host_isa() >= Isa::v4) levels.push_back(&Tables::v4);
  for (int round = 0; round < 100; ++round) {
    const int m = this->size(), n = this->size(), k = this->size(), rows = std::min(m, 16), ld = 160;
    const bool left = this->any(0, 1), lower = this->any(0, 1), across = this->any(0, 1), unit = this->any(0, 1);
    const T alpha = this->number();
    const auto a = this->triangle(150, ld), b = this->numbers(size_t(ld) * 160), x = this->numbers(400), y = this->numbers(400);
    std::vector<T> first;
    for (const blas::BlasLoops<T>* loops : levels) {
      std::vector<T> all;
      auto keep = [&](const std::vector<T>& v) { all.insert(all.end(), v.begin(), v.end()); };
      auto c = b, v = y;
      loops->gemm(across, lower, m, n, k, alpha, a.data(), ld, b.data(), ld, c.data(), ld), keep(c);
      loops->gemv(m, n, alpha, a.data(), ld, x.data(), 2, v.data(), 1), keep(v);
      loops->gemv_across(m, n, alpha, a.data(), ld, x.data(), 1, v.data(), 2), keep(v);
      loops->ger(m, n, alpha, x.data(), 1, y.data(), 2, c.data(), ld), keep(c);
      loops->symv(lower, n, alpha, a.data(), ld, x.data(), v.data()), keep(v);
      loops->syr2(lower, n, alpha, x.data(), y.data(), c.data(), ld), keep(c);
      loops->axpy(n, alpha, x.data(), v.data()), loops->scal(m, alpha, v.data()), keep(v);
      all.push_back(loops->dot(n, x.data(), y.data()));
      c = b;
      const int high = left ? rows : m, wide = left ? n : std::min(n, 16);
      loops->solve(left, lower, across, unit, high, wide, a.data(), ld, c.data(), ld), keep(c);
      loops->multiply(left, lower, across, unit, high, wide, a.data(), ld, c.data(), ld), keep(c);
      if (first.empty()) first = all;
      ASSERT_EQ(0, std::memcmp(first.data(), all.data(), all.size() * sizeof(T)));
    }
  }
}

}  // namespace
}  // namespace monograph
