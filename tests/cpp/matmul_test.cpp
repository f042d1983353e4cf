// The products' contract: one ascending chain of fused multiply-adds an output, whatever the kernel, blocking, layout and split.
#include "kernels/matmul.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "codegen/matmul.h"
#include "core/threads/pool.h"
#include "kernel_harness.h"

namespace monograph {
namespace {

std::mt19937_64 generator(20);

int64_t below(int64_t n) { return static_cast<int64_t>(generator() % static_cast<uint64_t>(n)); }

template <class T> T random_value() { return static_cast<T>(std::normal_distribution<double>()(generator)); }
template <> half random_value<half>() { return half(random_value<float>()); }
template <> bfloat16 random_value<bfloat16>() { return bfloat16(random_value<float>()); }
template <> std::complex<float> random_value() { return {random_value<float>(), random_value<float>()}; }
template <> std::complex<double> random_value() { return {random_value<double>(), random_value<double>()}; }
template <> int8_t random_value() { return static_cast<int8_t>(generator()); }
template <> int32_t random_value() { return static_cast<int32_t>(generator()); }
template <> int64_t random_value() { return static_cast<int64_t>(generator()); }
template <> uint8_t random_value() { return static_cast<uint8_t>(generator()); }

// A rows x cols matrix somewhere in memory: transposed, with gaps, or contiguous.
template <class T>
struct Matrix {
  int64_t rows, cols, row, col;
  std::vector<T> data;
  Matrix(int64_t rows, int64_t cols, bool transposed = false, int64_t gap = 0, int64_t step = 1) : rows(rows), cols(cols) {
    row = transposed ? step : cols * step + gap, col = transposed ? rows * step + gap : step;
    data.resize(static_cast<size_t>(std::max<int64_t>(1, (rows ? rows - 1 : 0) * row + (cols ? cols - 1 : 0) * col + 1)));
    for (T& x : data) x = random_value<T>();
  }
  static Matrix random(int64_t rows, int64_t cols) { return Matrix(rows, cols, below(2), below(3) * 5, 1 + (below(4) == 0)); }
  T& at(int64_t i, int64_t j) { return data[static_cast<size_t>(i * row + j * col)]; }
  const T& at(int64_t i, int64_t j) const { return data[static_cast<size_t>(i * row + j * col)]; }
};

// One link of the definition's chain.
float link(float a, float b, float acc) { return std::fma(a, b, acc); }
double link(double a, double b, double acc) { return std::fma(a, b, acc); }
template <class T>
std::complex<T> link(std::complex<T> a, std::complex<T> b, std::complex<T> acc) {
  return {std::fma(-a.imag(), b.imag(), std::fma(a.real(), b.real(), acc.real())),
          std::fma(a.imag(), b.real(), std::fma(a.real(), b.imag(), acc.imag()))};
}
float link(half a, half b, float acc) { return std::fma(static_cast<float>(a), static_cast<float>(b), acc); }
float link(bfloat16 a, bfloat16 b, float acc) { return std::fma(static_cast<float>(a), static_cast<float>(b), acc); }
template <class T>
  requires std::is_integral_v<T>
uint64_t link(T a, T b, uint64_t acc) {
  return acc + static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
}

template <class T>
T defined(const Matrix<T>& a, const Matrix<T>& b, int64_t i, int64_t j) {
  decltype(link(T(), T(), {})) acc = {};
  for (int64_t p = 0; p < a.cols; ++p) acc = link(a.at(i, p), b.at(p, j), acc);
  return static_cast<T>(acc);
}

template <class T> constexpr DType dtype_of = DType::f32;
template <> constexpr DType dtype_of<double> = DType::f64;
template <> constexpr DType dtype_of<half> = DType::f16;
template <> constexpr DType dtype_of<bfloat16> = DType::bf16;
template <> constexpr DType dtype_of<std::complex<float>> = DType::c64;
template <> constexpr DType dtype_of<std::complex<double>> = DType::c128;
template <> constexpr DType dtype_of<int8_t> = DType::i8;
template <> constexpr DType dtype_of<uint8_t> = DType::u8;
template <> constexpr DType dtype_of<int32_t> = DType::i32;
template <> constexpr DType dtype_of<int64_t> = DType::i64;

template <class T>
Matmul describe(const Matrix<T>& a, const Matrix<T>& b, Matrix<T>& c, const MatmulKernels* kernels) {
  Matmul x;
  x.type = dtype_of<T>, x.m = a.rows, x.n = b.cols, x.k = a.cols, x.kernels = kernels;
  x.a = a.data.data(), x.a_row = a.row, x.a_col = a.col;
  x.b = b.data.data(), x.b_row = b.row, x.b_col = b.col;
  x.c = c.data.data(), x.c_row = c.row, x.c_col = c.col;
  return x;
}

// c holds the product, and what lies between its elements is as it was. With `samples`, only so many elements are compared.
template <class T>
void expect_product(const Matrix<T>& a, const Matrix<T>& b, const Matrix<T>& before, const Matrix<T>& c, int64_t samples = 0) {
  Matrix<T> expected = before;
  std::vector<char> skip(c.data.size(), 0);
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.cols; ++j) {
      if (samples && below(c.rows * c.cols) >= samples) skip[static_cast<size_t>(i * c.row + j * c.col)] = 1;
      else expected.at(i, j) = defined(a, b, i, j);
    }
  int64_t different = 0;
  for (size_t e = 0; e < c.data.size(); ++e) different += !skip[e] && std::memcmp(&c.data[e], &expected.data[e], sizeof(T)) != 0;
  EXPECT_EQ(different, 0) << a.rows << "x" << a.cols << "x" << b.cols << " strides " << a.row << "," << a.col << " " << b.row << ","
                          << b.col << " " << c.row << "," << c.col;
}

// What this machine runs: plain C++, and the generated kernels up to its instruction set.
std::vector<Isa> isas() {
  std::vector<Isa> isas = {Isa::none};
  for (Isa isa : {Isa::v3, Isa::v4})
    if (isa <= host_isa()) isas.push_back(isa);
  return isas;
}

const MatmulKernels* kernels_of(DType t, Isa isa) {
  const DType chain = t == DType::f64 || t == DType::c128 ? DType::f64 : DType::f32;
  return isa == Isa::none ? &matmul_kernels(chain, isa) : &jit_matmul_kernels(chain, isa);
}

// Runs the product on one thread or on several.
void run(const Matmul& x, bool threads) {
  set_num_threads(threads ? 3 : 1);
  matmul(x);
}

template <class T>
class MatmulOf : public ::testing::Test {};
using FloatingTypes = ::testing::Types<float, double, half, bfloat16, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MatmulOf, FloatingTypes);

TYPED_TEST(MatmulOf, IsTheChainForRandomSizesAndLayouts) {
  using T = TypeParam;
  for (Isa isa : isas()) {
    for (int round = 0; round < (isa == Isa::none ? 30 : 150); ++round) {
      const int64_t m = 1 + below(70), n = 1 + below(70), k = 1 + below(70);
      auto a = Matrix<T>::random(m, k), b = Matrix<T>::random(k, n), c = Matrix<T>::random(m, n);
      const Matrix<T> before = c;
      Matmul x = describe(a, b, c, kernels_of(dtype_of<T>, isa));
      PackedMatrix packed;
      if (below(2)) {
        packed = PackedMatrix::pack(x.type, x.b, k, n, x.b_row, x.b_col, x.kernels);
        x.packed = &packed, x.b = nullptr;
      }
      run(x, below(2));
      expect_product(a, b, before, c);
      if (this->HasFailure()) return;
    }
  }
}

TYPED_TEST(MatmulOf, OfFewRowsIsTheChain) {
  using T = TypeParam;
  for (Isa isa : isas())
    for (int64_t m = 1; m <= 4; ++m)
      for (int64_t n : {1, 15, 16, 64, 129, 300})
        for (bool transposed : {false, true}) {
          Matrix<T> a(m, 90), b(90, n, transposed), c(m, n);
          const Matrix<T> before = c;
          matmul(describe(a, b, c, kernels_of(dtype_of<T>, isa)));
          expect_product(a, b, before, c);
        }
}

TYPED_TEST(MatmulOf, ResumesTheChainAcrossBlocksOfK) {
  using T = TypeParam;
  for (Isa isa : isas())
    for (int64_t k : {383, 385, 1000}) {
      Matrix<T> a(13, k), b(k, 37, true), c(13, 37);
      const Matrix<T> before = c;
      matmul(describe(a, b, c, kernels_of(dtype_of<T>, isa)));
      expect_product(a, b, before, c);
    }
}

TYPED_TEST(MatmulOf, WithoutLinksIsZero) {
  using T = TypeParam;
  Matrix<T> a(5, 0), b(0, 9), c(5, 9);
  const Matrix<T> before = c;
  matmul(describe(a, b, c, kernels_of(dtype_of<T>, isas().back())));
  expect_product(a, b, before, c);
  EXPECT_EQ(std::abs(std::complex<double>(c.at(4, 8))), 0);
}

// The four products of MiniLM and one of many rows: every blocking, packing and split gives the definition's bits.
TEST(Matmul, OfModelSizesIsTheChain) {
  const int64_t sizes[][3] = {{128, 384, 1152}, {128, 384, 384}, {128, 384, 1536}, {128, 1536, 384}, {1300, 70, 530}, {67, 1024, 96}};
  for (Isa isa : isas()) {
    if (isa == Isa::none) continue;  // seconds a product
    for (auto [m, k, n] : sizes)
      for (bool transposed : {false, true})
        for (bool pack : {false, true}) {
          Matrix<float> a(m, k), b(k, n, transposed), c(m, n);
          const Matrix<float> before = c;
          Matmul x = describe(a, b, c, kernels_of(DType::f32, isa));
          PackedMatrix packed;
          if (pack) packed = PackedMatrix::pack(x.type, x.b, k, n, x.b_row, x.b_col, x.kernels), x.packed = &packed, x.b = nullptr;
          run(x, transposed);
          expect_product(a, b, before, c, 4000);
        }
  }
}

TEST(Matmul, OfABatchIsEachProduct) {
  for (Isa isa : isas()) {
    const int64_t outer = 3, inner = 2, m = 9, k = 21, n = 18;
    Matrix<float> a(outer * inner * m, k), b(inner * k, n), c(outer * inner * m, n);  // b is broadcast over the outer dim
    Matmul x = describe(a, b, c, kernels_of(DType::f32, isa));
    const MatmulBatch batch[] = {{outer, inner * m * k, 0, inner * m * n}, {inner, m * k, k * n, m * n}};
    x.m = m, x.k = k, x.batch = batch;
    run(x, true);
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i)
        for (int64_t r = 0; r < m; ++r)
          for (int64_t j = 0; j < n; ++j) {
            float acc = 0;
            for (int64_t p = 0; p < k; ++p) acc = std::fma(a.at((o * inner + i) * m + r, p), b.at(i * k + p, j), acc);
            ASSERT_EQ(acc, c.at((o * inner + i) * m + r, j));
          }
  }
}

// Whatever the sizes, layouts, packing and blocks of k: the end of the chain plus the bias, rounded once more.
template <class T>
void check_bias(Isa isa) {
  for (int round = 0; round < (isa == Isa::none ? 10 : 100); ++round) {
    const int64_t m = 1 + below(round % 2 ? 40 : 4), n = 1 + below(150), k = round % 10 == 0 ? 700 : below(90);
    auto a = Matrix<T>::random(m, k), b = Matrix<T>::random(k, n), c = Matrix<T>::random(m, n);
    const Matrix<T> bias(1, n);
    Matmul x = describe(a, b, c, kernels_of(dtype_of<T>, isa));
    PackedMatrix packed;
    if (below(2)) packed = PackedMatrix::pack(x.type, x.b, k, n, x.b_row, x.b_col, x.kernels), x.packed = &packed, x.b = nullptr;
    x.bias = bias.data.data();
    run(x, below(2));
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) ASSERT_EQ(c.at(i, j), defined(a, b, i, j) + bias.at(0, j)) << m << "x" << k << "x" << n;
  }
}

TEST(Matmul, AddsTheBiasAfterTheChain) {
  for (Isa isa : isas()) check_bias<float>(isa), check_bias<double>(isa);
}

template <class T>
void check_integers() {
  for (int round = 0; round < 20; ++round) {
    const int64_t m = 1 + below(12), n = 1 + below(12), k = below(30);
    auto a = Matrix<T>::random(m, k), b = Matrix<T>::random(k, n), c = Matrix<T>::random(m, n);
    const Matrix<T> before = c;
    matmul(describe(a, b, c, nullptr));
    expect_product(a, b, before, c);
  }
}

TEST(Matmul, OfIntegersWraps) { check_integers<int8_t>(), check_integers<uint8_t>(), check_integers<int32_t>(), check_integers<int64_t>(); }

// Code for a machine with more than this one's instructions can be made here, though not run.
TEST(Matmul, EmitsEveryInstructionSetAnywhere) {
  for (Isa isa : {Isa::v3, Isa::v4})
    for (DType type : {DType::f32, DType::f64}) {
      const MatmulKernels& kernels = jit_matmul_kernels(type, isa);
      EXPECT_EQ(kernels.columns * element_size(type), isa == Isa::v4 ? 128 : 64);
      EXPECT_EQ(kernels.type, static_cast<int32_t>(type));
      EXPECT_EQ(kernels.isa, static_cast<int32_t>(isa));
      for (int r = 0; r < kernels.rows; ++r) EXPECT_NE(kernels.blocks[r][0], nullptr);
    }
}

// Operands between pages without access: a touch outside is a crash. Generated code is invisible to sanitizers.
TEST(Matmul, TouchesNothingOutsideItsOperands) {
  using test::Guarded;
  for (Isa isa : isas())
    for (bool at_end : {true, false})
      for (int round = 0; round < 60; ++round) {
        const int64_t m = 1 + below(round % 2 ? 20 : 4), n = 1 + below(150), k = 1 + below(40);
        Matrix<float> a(m, k), b(k, n, round % 3 == 0), c(m, n);
        auto guarded = [&](const Matrix<float>& x) {
          auto memory = std::make_unique<Guarded>(x.data.size() * sizeof(float), at_end);
          std::memcpy(memory->data(), x.data.data(), memory->size());
          return memory;
        };
        const auto in = guarded(a), weight = guarded(b), out = guarded(c);
        const Matrix<float> before = c;
        Matmul x = describe(a, b, c, kernels_of(DType::f32, isa));
        x.a = in->data(), x.b = weight->data(), x.c = out->data();
        run(x, false);
        std::memcpy(c.data.data(), out->data(), out->size());
        expect_product(a, b, before, c);
      }
}

// v4's register blocks, in v3's instructions where the machine has no others: wider panels, more rows, the same bits.
TEST(Matmul, WithTheBlocksOfV4IsTheChain) {
  if (host_isa() < Isa::v3) GTEST_SKIP() << "generated kernels need x86-64-v3";
  const MatmulKernels& kernels = jit_matmul_kernels(DType::f32, Isa::v4, host_isa());
  for (int round = 0; round < 200; ++round) {
    const int64_t m = 1 + below(round % 2 ? 70 : 4), n = 1 + below(300), k = 1 + below(70);
    auto a = Matrix<float>::random(m, k), b = Matrix<float>::random(k, n), c = Matrix<float>::random(m, n);
    const Matrix<float> before = c;
    run(describe(a, b, c, &kernels), below(2));
    expect_product(a, b, before, c);
    if (HasFailure()) return;
  }
}

TEST(Matmul, RunsWithoutGeneratedKernels) { EXPECT_EQ(matmul_kernels(DType::f64, Isa::none).isa, static_cast<int32_t>(Isa::none)); }

}  // namespace
}  // namespace monograph
