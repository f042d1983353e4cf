// The evaluator against plain C++: every operation, the layouts, the order of reductions as docs/numerics.md words it.
#include "kernels/evaluator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "ops/elementary/elementary.h"
#include "ops/registry.h"

namespace monograph {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Body record(DType out, std::vector<DType> args, const std::function<Num(const std::vector<Num>&)>& f) {
  Recorder recorder;
  std::vector<Num> values;
  for (DType t : args) values.push_back(recorder.arg(t));
  recorder.out(f(values), out);
  return expand(recorder.finish());
}

// Runs a body of contiguous arguments on one row.
template <class R, class... T>
std::vector<R> run(const Body& body, size_t n, const std::vector<T>&... args) {
  std::vector<R> out(n);
  char* operands[] = {reinterpret_cast<char*>(out.data()), const_cast<char*>(reinterpret_cast<const char*>(args.data()))...};
  const int64_t inner[] = {sizeof(R), static_cast<int64_t>(sizeof(T))...};
  const int64_t outer[1 + sizeof...(T)] = {};
  EXPECT_EQ(evaluate(body, KernelForm::Pointwise, operands, inner, static_cast<int64_t>(n), outer, 1), 0);
  return out;
}

template <class T>
bool same_bits(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a && b != b) return true;
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_TRUE(same_bits(got[i], want[i])) << "element " << i << ": " << +got[i] << ", want " << +want[i];
}

template <class T>
std::vector<T> floats() {
  return {T(0),
          T(-0.0),
          T(1),
          T(-1),
          T(0.5),
          T(-0.5),
          T(1.5),
          T(2.5),
          T(-2.5),
          T(1e30),
          T(-3.7),
          T(kInf),
          T(-kInf),
          T(kNaN),
          std::numeric_limits<T>::denorm_min(),
          std::numeric_limits<T>::max()};
}

// Every pair of values as two vectors.
template <class T>
std::pair<std::vector<T>, std::vector<T>> pairs(const std::vector<T>& v) {
  std::pair<std::vector<T>, std::vector<T>> out;
  for (T a : v) {
    for (T b : v) out.first.push_back(a), out.second.push_back(b);
  }
  return out;
}

template <class T>
void test_float_operations(DType t) {
  auto [a, b] = pairs(floats<T>());
  const size_t n = a.size();
  auto check = [&, &a = a, &b = b](auto body, auto direct) {
    std::vector<T> want;
    for (size_t i = 0; i < n; ++i) want.push_back(direct(a[i], b[i]));
    expect_same(run<T>(record(t, {t, t}, [&](auto& x) { return body(x[0], x[1]); }), n, a, b), want);
  };
  check([](Num x, Num y) { return x + y; }, [](T x, T y) { return x + y; });
  check([](Num x, Num y) { return x - y; }, [](T x, T y) { return x - y; });
  check([](Num x, Num y) { return x * y; }, [](T x, T y) { return x * y; });
  check([](Num x, Num y) { return x / y; }, [](T x, T y) { return x / y; });
  check([](Num x, Num y) { return fma(x, y, x); }, [](T x, T y) { return std::fma(x, y, x); });
  check([](Num x, Num) { return -x; }, [](T x, T) { return -x; });
  check([](Num x, Num) { return abs(x); }, [](T x, T) { return std::fabs(x); });
  check([](Num x, Num) { return sqrt(x); }, [](T x, T) { return std::sqrt(x); });
  check([](Num x, Num) { return floor(x); }, [](T x, T) { return std::floor(x); });
  check([](Num x, Num) { return ceil(x); }, [](T x, T) { return std::ceil(x); });
  check([](Num x, Num) { return trunc(x); }, [](T x, T) { return std::trunc(x); });
  check([](Num x, Num) { return rint(x); }, [](T x, T) { return std::nearbyint(x); });
  check([](Num x, Num y) { return where(x < y, x, y); }, [](T x, T y) { return x < y ? x : y; });
  check([](Num x, Num y) { return where(x <= y, x, y); }, [](T x, T y) { return x <= y ? x : y; });
  check([](Num x, Num y) { return where(x == y, x, y); }, [](T x, T y) { return x == y ? x : y; });
  check([](Num x, Num y) { return where_rare(x != y, x, y); }, [](T x, T y) { return x != y ? x : y; });
  check([](Num x, Num y) { return where(~((x < y) ^ ((x == y) & (y <= x))), x, y); },
        [](T x, T y) { return !((x < y) != (x == y && y <= x)) ? x : y; });
  check([](Num x, Num) { return from_bits(bits(x), x.t); }, [](T x, T) { return x; });
}

TEST(Evaluator, FloatOperations) {
  test_float_operations<float>(DType::f32);
  test_float_operations<double>(DType::f64);
}

template <class T>
void test_integer_operations(DType t) {
  using U = std::make_unsigned_t<T>;
  constexpr T kMin = std::numeric_limits<T>::min(), kMax = std::numeric_limits<T>::max();
  auto [a, b] = pairs(std::vector<T>{0, 1, 2, 3, 7, static_cast<T>(-1), static_cast<T>(-7), kMin, kMax, static_cast<T>(kMax - 1),
                                     static_cast<T>(kMin + 1)});
  const size_t n = a.size();
  auto check = [&, &a = a, &b = b](auto body, auto direct) {
    std::vector<T> want;
    for (size_t i = 0; i < n; ++i) want.push_back(static_cast<T>(direct(a[i], b[i])));
    expect_same(run<T>(record(t, {t, t}, [&](auto& x) { return body(x[0], x[1]); }), n, a, b), want);
  };
  constexpr int kWidth = sizeof(T) * 8;
  auto usable = [](Num y) { return where((y == lit_int(y.t, 0)) | (y == lit_int(y.t, -1)), lit_int(y.t, 3), y); };
  auto divisor = [](T y) { return y == 0 || y == static_cast<T>(-1) ? T(3) : y; };
  auto count = [](Num y) { return y & lit_int(y.t, kWidth - 1); };
  auto wide = [](T x) { return static_cast<__int128>(x); };
  check([](Num x, Num y) { return x + y; }, [&](T x, T y) { return wide(x) + y; });
  check([](Num x, Num y) { return x - y; }, [&](T x, T y) { return wide(x) - y; });
  check([](Num x, Num y) { return x * y; }, [&](T x, T y) { return wide(x) * y; });
  check([](Num x, Num) { return -x; }, [&](T x, T) { return -wide(x); });
  check([](Num x, Num) { return abs(x); }, [&](T x, T) { return x < 0 ? -wide(x) : wide(x); });
  check([&](Num x, Num y) { return x / usable(y); }, [&](T x, T y) { return x / divisor(y); });
  check([&](Num x, Num y) { return x % usable(y); }, [&](T x, T y) { return x % divisor(y); });
  check([](Num x, Num y) { return (x & y) | (~x ^ y); }, [](T x, T y) { return (x & y) | (~x ^ y); });
  check([&](Num x, Num y) { return x << count(y); }, [](T x, T y) { return static_cast<uint64_t>(x) << (y & (kWidth - 1)); });
  check([&](Num x, Num y) { return shr(x, count(y)); }, [](T x, T y) { return static_cast<U>(x) >> (y & (kWidth - 1)); });
  check([&](Num x, Num y) { return sar(x, count(y)); }, [](T x, T y) { return x >> (y & (kWidth - 1)); });
  check([](Num x, Num y) { return where(x < y, x, y); }, [](T x, T y) { return x < y ? x : y; });
  if (kWidth >= 32) check([](Num x, Num y) { return mul_hi(x, y); }, [&](T x, T y) { return (wide(x) * y) >> kWidth; });
}

TEST(Evaluator, IntegersWrap) {
  test_integer_operations<uint8_t>(DType::u8);
  test_integer_operations<int8_t>(DType::i8);
  test_integer_operations<int16_t>(DType::i16);
  test_integer_operations<int32_t>(DType::i32);
  test_integer_operations<int64_t>(DType::i64);
}

TEST(Evaluator, Conversions) {
  auto convert_body = [](DType from, DType to) { return record(to, {from}, [&](auto& x) { return convert(x[0], to); }); };
  const std::vector<float> f{0.f,
                             -0.9f,
                             127.5f,
                             128.f,
                             255.9f,
                             256.f,
                             -128.9f,
                             2147483520.f,
                             2147483648.f,
                             -2147483648.f,
                             1e30f,
                             static_cast<float>(kInf),
                             static_cast<float>(kNaN)};
  constexpr int32_t kI = INT32_MIN;
  expect_same(run<int32_t>(convert_body(DType::f32, DType::i32), f.size(), f),
              std::vector<int32_t>{0, 0, 127, 128, 255, 256, -128, 2147483520, kI, kI, kI, kI, kI});
  expect_same(run<int8_t>(convert_body(DType::f32, DType::i8), f.size(), f),
              std::vector<int8_t>{0, 0, 127, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128});
  expect_same(run<uint8_t>(convert_body(DType::f32, DType::u8), f.size(), f),
              std::vector<uint8_t>{0, 0, 127, 128, 255, 0, 0, 0, 0, 0, 0, 0, 0});
  const std::vector<double> d{9223372036854774784.0, 9223372036854775808.0, -9223372036854775808.0, -1e19, kNaN, -2147483648.9};
  expect_same(run<int64_t>(convert_body(DType::f64, DType::i64), d.size(), d),
              std::vector<int64_t>{9223372036854774784, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, -2147483648});
  const std::vector<int64_t> i{0x1ff, -1, 16777217, 9007199254740993, INT64_MAX};
  expect_same(run<int8_t>(convert_body(DType::i64, DType::i8), i.size(), i), std::vector<int8_t>{-1, -1, 1, 1, -1});
  expect_same(run<float>(convert_body(DType::i64, DType::f32), i.size(), i),
              std::vector<float>{511.f, -1.f, 16777216.f, 9007199254740992.f, 9223372036854775808.f});
  const std::vector<float> truth{0.f, -0.f, 1e-45f, static_cast<float>(kNaN)};
  const Body to_bool = convert_body(DType::f32, DType::b1);
  const auto booleans = run<uint8_t>(to_bool, truth.size(), truth);
  EXPECT_EQ(booleans, (std::vector<uint8_t>{0, 0, 1, 1}));
  const std::vector<uint8_t> bytes{0, 1, 2, 255};  // any byte but 0 is true
  EXPECT_EQ(run<float>(convert_body(DType::b1, DType::f32), bytes.size(), bytes), (std::vector<float>{0, 1, 1, 1}));
}

// The 16-bit floats round at the edge of the operator and compute in float32 between.
TEST(Evaluator, HalfPrecisionRoundsAtTheEdge) {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  for (DType t : {DType::f16, DType::bf16}) {
    const auto got = run<uint16_t>(record(t, {t}, [](auto& x) { return x[0] * 1.1 + 0.3; }), all.size(), all);
    for (size_t i = 0; i < all.size(); ++i) {
      const float x = t == DType::f16 ? float_from_half(all[i]) : float_from_bfloat(all[i]);
      const float y = x * 1.1f + 0.3f;
      const uint16_t want = t == DType::f16 ? half_from_float(y) : bfloat_from_float(y);
      if (y == y) ASSERT_EQ(got[i], want) << i;
      else ASSERT_TRUE(t == DType::f16 ? std::isnan(float_from_half(got[i])) : std::isnan(float_from_bfloat(got[i])));
    }
  }
}

TEST(Evaluator, StridesBroadcastAndAliases) {
  const Body body = record(DType::f32, {DType::f32, DType::f32}, [](auto& x) { return x[0] - x[1] * 2.0; });
  constexpr int64_t kRows = 3, kN = 700;
  std::vector<float> a(kRows * kN * 3), b(kN);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * i);
  // Every third element of a, backwards along the row; b broadcast over rows; the result transposed.
  std::vector<float> out(kRows * kN, -1.f);
  char* operands[] = {reinterpret_cast<char*>(out.data()), reinterpret_cast<char*>(a.data() + 3 * (kN - 1)),
                      reinterpret_cast<char*>(b.data())};
  const int64_t inner[] = {4 * kRows, -12, 4}, outer[] = {4, 12 * kN, 0};
  evaluate(body, KernelForm::Pointwise, operands, inner, kN, outer, kRows);
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t i = 0; i < kN; ++i) ASSERT_EQ(out[i * kRows + r], a[(r * kN + kN - 1 - i) * 3] - b[i] * 2.f);
  }
  // In place, and a scalar operand.
  std::vector<float> x(kN, 5.f);
  float two = 2.f;
  char* in_place[] = {reinterpret_cast<char*>(x.data()), reinterpret_cast<char*>(x.data()), reinterpret_cast<char*>(&two)};
  const int64_t inner2[] = {4, 4, 0}, outer2[] = {0, 0, 0};
  evaluate(body, KernelForm::Pointwise, in_place, inner2, kN, outer2, 1);
  EXPECT_EQ(x, std::vector<float>(kN, 1.f));
  evaluate(body, KernelForm::Pointwise, in_place, inner2, 0, outer2, 1);  // nothing to do
  EXPECT_EQ(x, std::vector<float>(kN, 1.f));
}

TEST(Evaluator, ComplexOperandsAreSplit) {
  Recorder recorder;
  recorder.arg(DType::c64);
  Num re = recorder.put({Fn::Arg, DType::f32, 0, 0, 0, 0});
  Num im = recorder.put({Fn::Arg, DType::f32, 0, 1, 0, 0});
  recorder.out(re * im, DType::f32);
  Body body = recorder.finish();
  Body::Out conjugate{{DType::c64}, 0, 0};
  for (uint32_t i = 0; i < body.ins.size(); ++i) {
    if (body.ins[i].fn == Fn::Arg) (body.ins[i].b ? conjugate.re : conjugate.im) = i;  // parts swapped
  }
  body.outs.push_back(conjugate);
  std::vector<std::complex<float>> x{{1, 2}, {3, 4}, {-5, 6}}, y(3);
  std::vector<float> product(3);
  char* operands[] = {reinterpret_cast<char*>(product.data()), reinterpret_cast<char*>(y.data()), reinterpret_cast<char*>(x.data())};
  const int64_t inner[] = {4, 8, 8}, outer[] = {0, 0, 0};
  evaluate(body, KernelForm::Pointwise, operands, inner, 3, outer, 1);
  EXPECT_EQ(product, (std::vector<float>{2, 12, -30}));
  EXPECT_EQ(y, (std::vector<std::complex<float>>{{2, 1}, {4, 3}, {6, -5}}));
}

TEST(Evaluator, RaiseIfLooksAtLiveElementsOnly) {
  const Body body = record(DType::i32, {DType::i32, DType::i32}, [](auto& x) {
    Num zero = x[1] == lit_int(DType::i32, 0);
    return raise_if(zero, x[0] / where(zero, lit_int(DType::i32, 1), x[1]));
  });
  std::vector<int32_t> a(300, 12), b(300, 3), out(300);
  char* operands[] = {reinterpret_cast<char*>(out.data()), reinterpret_cast<char*>(a.data()), reinterpret_cast<char*>(b.data())};
  const int64_t inner[] = {4, 4, 4}, outer[] = {0, 0, 0};
  EXPECT_EQ(evaluate(body, KernelForm::Pointwise, operands, inner, 299, outer, 1), 0);
  EXPECT_EQ(out[298], 4);
  b[298] = 0;
  EXPECT_NE(evaluate(body, KernelForm::Pointwise, operands, inner, 299, outer, 1), 0);
  EXPECT_EQ(evaluate(body, KernelForm::Pointwise, operands, inner, 298, outer, 1), 0);
}

// The contract's words again, by recursion instead of a counter: the sum of `count` blocks from block `first` on, a power of two of them.
float pair_up(const std::vector<float>& blocks, size_t first, size_t count) {
  if (count == 1) return blocks[first];
  return pair_up(blocks, first, count / 2) + pair_up(blocks, first + count / 2, count / 2);
}

float sum_by_contract(const std::vector<float>& x, KernelForm form) {
  const size_t block = form == KernelForm::Inner ? 8192 : 256, lanes = form == KernelForm::Inner ? 64 : 1;
  std::vector<float> blocks;
  for (size_t start = 0; start == 0 || start < x.size(); start += block) {
    std::vector<float> lane(lanes, 0.f);
    for (size_t i = start; i < std::min(start + block, x.size()); ++i) lane[(i - start) % lanes] += x[i];
    while (lane.size() > 1) {
      for (size_t i = 0; i < lane.size() / 2; ++i) lane[i] += lane[i + lane.size() / 2];
      lane.resize(lane.size() / 2);
    }
    blocks.push_back(lane[0]);
  }
  // Perfect trees from the left, greatest first; the newest joins the one before it, and so on.
  std::vector<float> trees;
  for (size_t done = 0, bit = size_t{1} << 40; bit > 0; bit /= 2) {
    if (blocks.size() & bit) trees.push_back(pair_up(blocks, done, bit)), done += bit;
  }
  while (trees.size() > 1) {
    const float newest = trees.back();
    trees.pop_back();
    trees.back() += newest;
  }
  return trees[0];
}

TEST(Evaluator, SumFollowsTheContractsOrder) {
  Recorder recorder;
  Num x = recorder.arg(DType::f32);
  recorder.out(row_sum(x), DType::f32, true);
  const Body body = recorder.finish();
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0.f, 100.f);
  for (KernelForm form : {KernelForm::Inner, KernelForm::Outer}) {
    for (size_t n : {0, 1, 2, 63, 64, 65, 255, 256, 257, 700, 5 * 256 + 1, 8191, 8192, 8193, 3 * 8192, 7 * 8192 + 5, 100000}) {
      for (int64_t stride : {1, 3}) {
        std::vector<float> dense(n), spread(n * stride + 1);
        for (size_t i = 0; i < n; ++i) spread[i * stride] = dense[i] = normal(random);
        std::vector<float> out(2, -1.f);
        char* operands[] = {reinterpret_cast<char*>(out.data()), reinterpret_cast<char*>(spread.data())};
        const int64_t inner[] = {0, 4 * stride}, outer[] = {4, 0};
        evaluate(body, form, operands, inner, static_cast<int64_t>(n), outer, 2);
        const float want = sum_by_contract(dense, form);
        EXPECT_TRUE(same_bits(out[0], want)) << n << ": " << out[0] << ", want " << want;
        EXPECT_TRUE(same_bits(out[1], want));
      }
    }
  }
}

TEST(Evaluator, MaximumKeepsNaNAndTheLaterZero) {
  Recorder recorder;
  Num x = recorder.arg(DType::f32);
  recorder.out(row_max(x), DType::f32, true);
  recorder.out(row_min(x), DType::f32, true);
  const Body body = recorder.finish();
  auto extremes = [&](std::vector<float> v) {
    std::array<float, 2> out{};
    char* operands[] = {reinterpret_cast<char*>(&out[0]), reinterpret_cast<char*>(&out[1]), reinterpret_cast<char*>(v.data())};
    const int64_t inner[] = {0, 0, 4}, outer[] = {0, 0, 0};
    evaluate(body, KernelForm::Outer, operands, inner, static_cast<int64_t>(v.size()), outer, 1);
    return out;
  };
  EXPECT_EQ(extremes({3, -1, 7, 2}), (std::array<float, 2>{7, -1}));
  for (size_t at : {0, 1, 2}) {
    std::vector<float> v{1, 2, 3};
    v[at] = static_cast<float>(kNaN);
    EXPECT_TRUE(std::isnan(extremes(v)[0]) && std::isnan(extremes(v)[1])) << at;
  }
  EXPECT_TRUE(std::signbit(extremes({0.f, -0.f})[0]));
  EXPECT_FALSE(std::signbit(extremes({-0.f, 0.f})[1]));
}

// Two levels of Reduce, recomputed elements, uniform and full results in one body.
TEST(Evaluator, RowProgramsTakeOnePassALevel) {
  Recorder recorder;
  Num x = recorder.arg(DType::f32);
  Num offset = recorder.arg(DType::f32, true);
  Num mean = row_sum(x) / convert(row_count(), DType::f32);
  Num centred = x - mean;
  Num square_sum = row_sum(centred * centred);
  recorder.out(centred * square_sum + offset, DType::f32);
  recorder.out(mean, DType::f64, true);
  recorder.out(convert(row_index(), DType::f32) * 2.0, DType::f32);
  const Body body = recorder.finish();
  constexpr int64_t kRows = 2, kN = 600;
  std::vector<float> in(kRows * kN), out(kRows * kN), index(kN), offsets{10.f, 20.f};
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>((i * 37) % 11);
  std::vector<double> means(kRows);
  char* operands[] = {reinterpret_cast<char*>(out.data()), reinterpret_cast<char*>(means.data()), reinterpret_cast<char*>(index.data()),
                      reinterpret_cast<char*>(in.data()), reinterpret_cast<char*>(offsets.data())};
  const int64_t inner[] = {4, 0, 4, 4, 0}, outer[] = {4 * kN, 8, 0, 4 * kN, 4};
  evaluate(body, KernelForm::Inner, operands, inner, kN, outer, kRows);
  for (int64_t r = 0; r < kRows; ++r) {
    const std::vector<float> row(in.begin() + r * kN, in.begin() + (r + 1) * kN);
    const float want_mean = sum_by_contract(row, KernelForm::Inner) / static_cast<float>(kN);
    std::vector<float> squares;
    for (float v : row) squares.push_back((v - want_mean) * (v - want_mean));
    const float want_sum = sum_by_contract(squares, KernelForm::Inner);
    EXPECT_EQ(means[r], static_cast<double>(want_mean));
    for (int64_t i = 0; i < kN; ++i) ASSERT_TRUE(same_bits(out[r * kN + i], (row[i] - want_mean) * want_sum + offsets[r])) << r << " " << i;
  }
  EXPECT_EQ(index[599], 1198.f);
}

TEST(Expand, ReplacesCallsAndSharesInstructions) {
  auto calls = [](const Body& b) { return std::count_if(b.ins.begin(), b.ins.end(), [](const Ins& i) { return i.fn == Fn::Call; }); };
  Recorder recorder;
  Num x = recorder.arg(DType::f32);
  recorder.out(exp(x), DType::f32);
  recorder.out(exp(x) + log(exp(x)), DType::f32);
  recorder.out(pow(x, x), DType::f32);
  const Body body = recorder.finish();
  const Body flat = expand(body);
  EXPECT_EQ(calls(body), 3);
  EXPECT_EQ(calls(flat), 0);
  EXPECT_EQ(flat.outs.size(), 3u);
  EXPECT_EQ(std::count_if(flat.ins.begin(), flat.ins.end(), [](const Ins& i) { return i.fn == Fn::Arg; }), 1);
  EXPECT_EQ(to_string(expand(flat)), to_string(flat));
  for (size_t i = 0; i < flat.ins.size(); ++i) {
    for (size_t j = 0; j < i; ++j) ASSERT_FALSE(flat.ins[i] == flat.ins[j]) << i << " " << j;
  }
}

// A kernel is found by its body's key, in every build: neither the order in which operands were evaluated nor the compiler that chose it counts.
TEST(Keys, DependOnTheBodyAlone) {
  auto key = [](bool first) {
    Recorder recorder;
    Num x = recorder.arg(DType::f32), y = recorder.arg(DType::f32);
    Num a = first ? sin(x) : x, b = exp(y), unused = x * y;
    if (!first) a = sin(x);
    recorder.out(a / (b + lit(unused.t, 2.0)), DType::f32);
    return hash(expand(recorder.finish()));
  };
  EXPECT_EQ(key(true), key(false));
  auto of = [](const char* name) { return hash(expand(Registry::global().find(name)->pointwise->record(DType::f32))); };
  EXPECT_EQ(of("aten::add.Tensor"), 0x2da361905c265884ull);
  EXPECT_EQ(of("aten::silu"), 0xae85fa0a82a04cd3ull);
  EXPECT_EQ(of("aten::tanh"), 0x03bb7c304c375664ull);
  EXPECT_EQ(of("aten::atan2"), 0x72dd6c2f08322275ull);
}

}  // namespace
}  // namespace monograph
