// The elementary functions against libm in higher precision: float32 against double, float64 against long double.
//
//   elementary_test                        2^22 inputs a float32 function, 2^20 a float64 one
//   MONOGRAPH_SLOW=1 elementary_test       all 2^32 inputs of every float32 function of one argument
//   elementary_test --table                writes the table of docs/design/elementary.md from what it measures, all inputs or not as above
#include "ops/elementary/elementary.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <thread>

#include "kernels/evaluator.h"

// libm's names, apart from those of Num.
namespace libm {
using namespace std;
template <class T>
T rsqrt(T x) {
  return 1 / std::sqrt(x);
}
}  // namespace libm

namespace monograph {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kFloatBound = 2, kDoubleBound = 4;  // ulp

bool slow() { return std::getenv("MONOGRAPH_SLOW") != nullptr; }

// libm's function of the same name, in type W.
template <class W>
W reference(Elem e, W x, W y) {
  switch (e) {
// clang-format off
#define MONOGRAPH_ONE(name) \
  case Elem::name: return libm::name(x);
  MONOGRAPH_ONE(exp) MONOGRAPH_ONE(exp2) MONOGRAPH_ONE(expm1) MONOGRAPH_ONE(log) MONOGRAPH_ONE(log2) MONOGRAPH_ONE(log10)
  MONOGRAPH_ONE(log1p) MONOGRAPH_ONE(sin) MONOGRAPH_ONE(cos) MONOGRAPH_ONE(tan) MONOGRAPH_ONE(asin) MONOGRAPH_ONE(acos)
  MONOGRAPH_ONE(atan) MONOGRAPH_ONE(sinh) MONOGRAPH_ONE(cosh) MONOGRAPH_ONE(tanh) MONOGRAPH_ONE(asinh) MONOGRAPH_ONE(acosh)
  MONOGRAPH_ONE(atanh) MONOGRAPH_ONE(erf) MONOGRAPH_ONE(erfc) MONOGRAPH_ONE(rsqrt)
#undef MONOGRAPH_ONE
// clang-format on
      case Elem::atan2:
    return libm::atan2(x, y);
  case Elem::pow: return libm::pow(x, y);
  }
  return 0;
}

// The distance of `got` from the value `want` in units of want's last place as a T. Special values must be met, zeros with their sign.
template <class T, class W>
double error_in_ulp(T got, W want) {
  if constexpr (sizeof(W) == 8) {  // the common case, fast enough for 2^32 inputs: got and want are normal floats
    const int64_t exponent = static_cast<int64_t>(std::bit_cast<uint64_t>(want) >> 52 & 2047) - 1023;
    if (exponent >= -126 && exponent < 127 && std::fabs(got) < 0x1p127f) {
      return std::fabs(got - want) * std::bit_cast<double>(static_cast<uint64_t>(1023 + 23 - exponent) << 52);
    }
  }
  const int digits = std::numeric_limits<T>::digits, least = std::numeric_limits<T>::min_exponent - digits;
  const T rounded = static_cast<T>(want);
  if (want != want || got != got) return want != want && got != got ? 0 : kInf;
  if (got == rounded && (got != 0 || std::signbit(got) == std::signbit(want)) && (std::isinf(got) || want == 0)) return 0;
  if (std::isinf(want) || want == 0) return kInf;  // an exact special value was missed
  if (got == 0 && std::signbit(got) != std::signbit(want)) return kInf;
  W value = got;
  if (std::isinf(got)) value = std::copysign(std::ldexp(W(1), std::numeric_limits<T>::max_exponent), W(got));  // the next float, had it one
  int exponent;
  std::frexp(want, &exponent);
  exponent = std::min(exponent, std::numeric_limits<T>::max_exponent);
  return static_cast<double>(std::ldexp(std::fabs(value - want), -std::max(exponent - digits, least)));
}

Body body_of(Elem e, DType t) {
  Recorder recorder;
  Num x = recorder.arg(t);
  Num y = elementary(e).arity == 2 ? recorder.arg(t) : x;
  recorder.out(call(e, x, y), t);
  return expand(recorder.finish());
}

template <class T>
void run(const Body& body, const T* x, const T* y, T* out, int64_t n) {
  auto* mutable_x = const_cast<char*>(reinterpret_cast<const char*>(x));
  auto* mutable_y = const_cast<char*>(reinterpret_cast<const char*>(y));
  char* operands[] = {reinterpret_cast<char*>(out), mutable_x, mutable_y};
  const int64_t inner[] = {sizeof(T), sizeof(T), sizeof(T)}, outer[] = {0, 0, 0};
  evaluate(body, KernelForm::Pointwise, operands, inner, n, outer, 1);
}

template <class T>
struct Worst {
  double ulp = -1;
  T x = 0, y = 0, got = 0;
  void take(double error, T at_x, T at_y, T result) {
    if (error > ulp) ulp = error, x = at_x, y = at_y, got = result;
  }
};

template <class T>
void measure(Elem e, const Body& body, const std::vector<T>& x, const std::vector<T>& y, Worst<T>& worst) {
  using W = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  std::vector<T> out(x.size());
  run(body, x.data(), y.data(), out.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) worst.take(error_in_ulp(out[i], reference<W>(e, x[i], y[i])), x[i], y[i], out[i]);
}

// Values at which something changes, with both signs and their neighbours.
template <class T>
std::vector<T> special_values() {
  std::vector<T> values;
  using Limits = std::numeric_limits<T>;
  for (double v : {0.0,
                   0.25,
                   0.4142135623730950488,
                   0.5,
                   0.55,
                   0.5625,
                   0.70710678118654752,
                   1.0,
                   1.41421356237309505,
                   1.5,
                   2.0,
                   2.4142135623730950488,
                   2.5,
                   3.0,
                   4.0,
                   5.0,
                   8.0,
                   17.0,
                   18.0,
                   38.0,
                   64.0,
                   88.0,
                   88.7228,
                   89.4159,
                   103.97,
                   104.0,
                   128.0,
                   149.0,
                   150.0,
                   709.78,
                   710.47,
                   745.2,
                   1024.0,
                   1075.0,
                   16384.0,
                   0x1p28,
                   0x1p30,
                   16777215.0,
                   16777216.0,
                   9007199254740991.0,
                   0.69314718055994531,
                   1.5707963267948966,
                   3.1415926535897931,
                   6.2831853071795862,
                   22.0,
                   355.0,
                   1e22,
                   1e30,
                   0x1p-25,
                   0x1p-54,
                   1e-30}) {
    values.push_back(static_cast<T>(v));
  }
  values.insert(values.end(), {Limits::infinity(), Limits::max(), Limits::min(), Limits::denorm_min(), Limits::epsilon()});
  std::vector<T> all{Limits::quiet_NaN()};
  for (T v : values) {
    for (T w : {v, std::nextafter(v, Limits::infinity()), std::nextafter(v, T(0))}) all.push_back(w), all.push_back(-w);
  }
  return all;
}

template <class T>
void measure_specials(Elem e, const Body& body, Worst<T>& worst) {
  const std::vector<T> special = special_values<T>();
  std::vector<T> x, y;
  for (T a : special) {
    for (T b : special) {
      x.push_back(a), y.push_back(b);
      if (elementary(e).arity == 1) break;
    }
  }
  measure(e, body, x, y, worst);
}

class XorShift64 {  // xorshift64, the same on every machine
 public:
  explicit XorShift64(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  uint64_t bits() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return state_;
  }
  double between(double low, double high) { return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53; }
  template <class T>
  T any() {
    const uint64_t b = bits() >> (64 - 8 * sizeof(T));
    T v;
    std::memcpy(&v, &b, sizeof(T));
    return v;
  }

 private:
  uint64_t state_;
};

// Arguments of every exponent, around 1, and where the function is neither 0 nor infinite.
template <class T>
void random_arguments(Elem e, XorShift64& random, T& x, T& y) {
  const double width = sizeof(T) == 4 ? 60 : 500;
  const int way = static_cast<int>(random.bits() >> 62);
  x = random.any<T>();
  y = random.any<T>();
  if (way == 1) x = static_cast<T>(random.between(-40, 40));
  if (way == 2) x = static_cast<T>(random.between(-1.5, 1.5));
  if (way == 3) x = static_cast<T>(std::copysign(std::exp2(random.between(-30, 30)), random.between(-1, 1)));
  if (way == 0 || elementary(e).arity == 1) return;
  y = static_cast<T>(std::ldexp(random.between(-1, 1), static_cast<int>(random.bits() % 40) - 20));
  if (e != Elem::pow) return;
  if (way == 1) y = static_cast<T>(std::floor(random.between(-1000, 1000)) / 2);
  if (way == 2) x = static_cast<T>(1 + random.between(-1e-3, 1e-3)), y = static_cast<T>(random.between(-1e6, 1e6));
  if (way == 3) {
    x = static_cast<T>(std::exp2(random.between(-width, width)));
    y = static_cast<T>(random.between(-1.1, 1.1) * (sizeof(T) == 4 ? 104 : 745) / (std::fabs(std::log(static_cast<double>(x))) + 1e-3));
  }
}

// Shares `chunks` calls of f(chunk, worst) among the machine's threads.
template <class T, class F>
Worst<T> in_parallel(uint64_t chunks, F f) {
  Worst<T> all;
  std::mutex mutex;
  std::atomic<uint64_t> next{0};
  auto work = [&] {
    Worst<T> mine;
    for (uint64_t chunk; (chunk = next++) < chunks;) f(chunk, mine);
    std::lock_guard lock(mutex);
    if (mine.ulp >= 0) all.take(mine.ulp, mine.x, mine.y, mine.got);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
  work();
  for (auto& t : threads) t.join();
  return all;
}

constexpr uint64_t kChunk = 1 << 16;

// One argument: every input, or every 1021st, which is prime and so meets all exponents and low bits.
Worst<float> measure_floats(Elem e, const Body& body) {
  const uint64_t step = slow() ? 1 : 1021;
  const uint64_t inputs = ((uint64_t{1} << 32) + step - 1) / step;
  return in_parallel<float>((inputs + kChunk - 1) / kChunk, [&](uint64_t chunk, Worst<float>& worst) {
    std::vector<float> x;
    for (uint64_t i = chunk * kChunk; i < std::min((chunk + 1) * kChunk, inputs); ++i) {
      const uint32_t bits = static_cast<uint32_t>(i * step);
      x.emplace_back();
      std::memcpy(&x.back(), &bits, sizeof bits);
    }
    measure(e, body, x, x, worst);
  });
}

template <class T>
Worst<T> measure_random(Elem e, const Body& body, uint64_t count) {
  return in_parallel<T>(count / kChunk, [&](uint64_t chunk, Worst<T>& worst) {
    XorShift64 random(chunk + 1);
    std::vector<T> x(kChunk), y(kChunk);
    for (uint64_t i = 0; i < kChunk; ++i) random_arguments(e, random, x[i], y[i]);
    measure(e, body, x, y, worst);
  });
}

template <class T>
Worst<T> measure_all(Elem e) {
  const Body body = body_of(e, sizeof(T) == 4 ? DType::f32 : DType::f64);
  const uint64_t count = uint64_t{1} << (slow() ? 26 : sizeof(T) == 4 ? 22 : 20);
  Worst<T> worst;
  if constexpr (sizeof(T) == 4) {
    worst = elementary(e).arity == 1 ? measure_floats(e, body) : measure_random<T>(e, body, count);
  } else {
    worst = measure_random<T>(e, body, count);
  }
  measure_specials(e, body, worst);
  return worst;
}

class Elementary : public testing::TestWithParam<int> {};

TEST_P(Elementary, Float32IsWithinTwoUlp) {
  const Elem e = static_cast<Elem>(GetParam());
  const Worst<float> worst = measure_all<float>(e);
  std::printf("%s float32: %.4f ulp at %a, %a\n", elementary(e).name, worst.ulp, worst.x, worst.y);
  EXPECT_LE(worst.ulp, kFloatBound) << "at " << worst.x << ", " << worst.y << ": " << worst.got << ", want "
                                    << reference<double>(e, worst.x, worst.y);
}

TEST_P(Elementary, Float64IsWithinFourUlp) {
  const Elem e = static_cast<Elem>(GetParam());
  const Worst<double> worst = measure_all<double>(e);
  std::printf("%s float64: %.4f ulp at %a, %a\n", elementary(e).name, worst.ulp, worst.x, worst.y);
  EXPECT_LE(worst.ulp, kDoubleBound) << "at " << worst.x << ", " << worst.y << ": " << worst.got << ", want "
                                     << static_cast<double>(reference<long double>(e, worst.x, worst.y));
}

// The derivative by the stated slope against a central difference of libm's long double.
TEST_P(Elementary, SlopeIsTheDerivative) {
  const Elem e = static_cast<Elem>(GetParam());
  const ElementaryDef& def = elementary(e);
  for (int k = 0; k < def.arity; ++k) {
    Recorder recorder;
    Num x = recorder.arg(DType::f64);
    Num y = recorder.arg(DType::f64);
    recorder.out(def.slope(k, x, y, def.arity == 2 ? call(e, x, y) : call(e, x)), DType::f64);
    const Body body = expand(recorder.finish());
    for (double v : {-3.0, -0.7, -0.3, 0.2, 0.8, 1.6, 4.0}) {
      const double second = 1.25;
      double slope;
      run(body, &v, &second, &slope, 1);
      const long double h = 0x1p-23L;
      const long double dx = k == 0 ? h : 0, dy = k == 1 ? h : 0;
      const long double want = (reference<long double>(e, v + dx, second + dy) - reference<long double>(e, v - dx, second - dy)) / (2 * h);
      if (want != want) continue;  // outside the domain
      EXPECT_NEAR(slope, static_cast<double>(want), 1e-9 * (1 + std::fabs(static_cast<double>(want))))
          << def.name << " " << k << " at " << v;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Elementary, testing::Range(0, kElementaryCount),
                         [](const auto& info) { return elementary(static_cast<Elem>(info.param)).name; });

// C's Annex F, written out: what the comparison with libm would let through if libm were wrong too.
struct SpecialCase {
  Elem e;
  double x, y, want;
};

template <class T>
void test_cases(const std::vector<SpecialCase>& cases, DType t) {
  for (const SpecialCase& c : cases) {
    const T x = static_cast<T>(c.x), y = static_cast<T>(c.y), want = static_cast<T>(c.want);
    T got;
    run(body_of(c.e, t), &x, &y, &got, 1);
    EXPECT_TRUE(want != want ? got != got : got == want && std::signbit(got) == std::signbit(want))
        << elementary(c.e).name << "(" << x << ", " << y << ") is " << got << ", want " << want;
  }
}

TEST(ElementaryEdges, AnnexF) {
  const double pi = 3.14159265358979323846;
  const std::vector<SpecialCase> cases{{Elem::exp, -kInf, 0, 0},
                                       {Elem::exp, 0, 0, 1},
                                       {Elem::exp2, 10, 0, 1024},
                                       {Elem::exp2, -149, 0, 0x1p-149},
                                       {Elem::expm1, -0.0, 0, -0.0},
                                       {Elem::expm1, -kInf, 0, -1},
                                       {Elem::log, 0, 0, -kInf},
                                       {Elem::log, -0.0, 0, -kInf},
                                       {Elem::log, -1, 0, kNaN},
                                       {Elem::log, 1, 0, 0.0},
                                       {Elem::log2, 0x1p-140, 0, -140},
                                       {Elem::log10, 1000, 0, 3},
                                       {Elem::log1p, -0.0, 0, -0.0},
                                       {Elem::log1p, -1, 0, -kInf},
                                       {Elem::log1p, -1.5, 0, kNaN},
                                       {Elem::sin, -0.0, 0, -0.0},
                                       {Elem::sin, kInf, 0, kNaN},
                                       {Elem::cos, -kInf, 0, kNaN},
                                       {Elem::cos, 0, 0, 1},
                                       {Elem::tan, -0.0, 0, -0.0},
                                       {Elem::asin, -0.0, 0, -0.0},
                                       {Elem::asin, 1.5, 0, kNaN},
                                       {Elem::acos, 1, 0, 0.0},
                                       {Elem::acos, -1, 0, pi},
                                       {Elem::atan, -kInf, 0, -pi / 2},
                                       {Elem::atan, -0.0, 0, -0.0},
                                       {Elem::sinh, -0.0, 0, -0.0},
                                       {Elem::cosh, -kInf, 0, kInf},
                                       {Elem::tanh, -0.0, 0, -0.0},
                                       {Elem::tanh, -kInf, 0, -1},
                                       {Elem::asinh, -kInf, 0, -kInf},
                                       {Elem::acosh, 1, 0, 0.0},
                                       {Elem::acosh, 0.5, 0, kNaN},
                                       {Elem::acosh, -1e9, 0, kNaN},
                                       {Elem::atanh, -1, 0, -kInf},
                                       {Elem::atanh, 2, 0, kNaN},
                                       {Elem::erf, -0.0, 0, -0.0},
                                       {Elem::erf, -kInf, 0, -1},
                                       {Elem::erfc, kInf, 0, 0.0},
                                       {Elem::erfc, -kInf, 0, 2},
                                       {Elem::rsqrt, 0, 0, kInf},
                                       {Elem::rsqrt, -0.0, 0, -kInf},
                                       {Elem::rsqrt, kInf, 0, 0.0},
                                       {Elem::rsqrt, -1, 0, kNaN},
                                       {Elem::atan2, 0.0, -0.0, pi},
                                       {Elem::atan2, -0.0, -0.0, -pi},
                                       {Elem::atan2, -0.0, 0.0, -0.0},
                                       {Elem::atan2, -0.0, -1, -pi},
                                       {Elem::atan2, 1, -0.0, pi / 2},
                                       {Elem::atan2, 1, -kInf, pi},
                                       {Elem::atan2, -1, kInf, -0.0},
                                       {Elem::atan2, kInf, -kInf, 3 * pi / 4},
                                       {Elem::atan2, -kInf, 5, -pi / 2},
                                       {Elem::atan2, kNaN, 1, kNaN},
                                       {Elem::pow, kNaN, 0, 1},
                                       {Elem::pow, 1, kNaN, 1},
                                       {Elem::pow, 1, kInf, 1},
                                       {Elem::pow, -1, kInf, 1},
                                       {Elem::pow, -1, -kInf, 1},
                                       {Elem::pow, 0.0, -3, kInf},
                                       {Elem::pow, -0.0, -3, -kInf},
                                       {Elem::pow, -0.0, -2, kInf},
                                       {Elem::pow, -0.0, -kInf, kInf},
                                       {Elem::pow, -0.0, 3, -0.0},
                                       {Elem::pow, -0.0, 0.5, 0.0},
                                       {Elem::pow, 0.5, -kInf, kInf},
                                       {Elem::pow, 2, -kInf, 0.0},
                                       {Elem::pow, 0.5, kInf, 0.0},
                                       {Elem::pow, -2, kInf, kInf},
                                       {Elem::pow, -kInf, -3, -0.0},
                                       {Elem::pow, -kInf, 3, -kInf},
                                       {Elem::pow, -kInf, 2.5, kInf},
                                       {Elem::pow, -kInf, -0.5, 0.0},
                                       {Elem::pow, kInf, -1, 0.0},
                                       {Elem::pow, -8, 1.0 / 3, kNaN},
                                       {Elem::pow, -2, 3, -8},
                                       {Elem::pow, -2, -2, 0.25},
                                       {Elem::pow, kNaN, 1, kNaN},
                                       {Elem::pow, 3, 4, 81}};
  test_cases<float>(cases, DType::f32);
  test_cases<double>(cases, DType::f64);
}

// PyTorch's derivatives where a formula alone gives NaN.
TEST(ElementaryEdges, SlopesOfPow) {
  auto slope = [](int k, double x, double y) {
    Recorder recorder;
    Num a = recorder.arg(DType::f64);
    Num b = recorder.arg(DType::f64);
    recorder.out(elementary(Elem::pow).slope(k, a, b, call(Elem::pow, a, b)), DType::f64);
    double out;
    run(expand(recorder.finish()), &x, &y, &out, 1);
    return out;
  };
  EXPECT_EQ(slope(0, 0.0, 0.0), 0.0);
  EXPECT_EQ(slope(0, 0.0, 1.0), 1.0);
  EXPECT_EQ(slope(1, 0.0, 2.0), 0.0);
  EXPECT_EQ(slope(1, 0.0, 0.0), 0.0);
  EXPECT_TRUE(std::isnan(slope(1, -2.0, 3.0)));
}

void print_table() {
  std::printf("float32: %s of functions of one argument, 2^%d random ones of two. float64: 2^%d random inputs. Special values besides.\n\n",
              slow() ? "all 2^32 inputs" : "every 1021st of the 2^32 inputs", slow() ? 26 : 22, slow() ? 26 : 20);
  std::printf("| function | float32, ulp | worst at | float64, ulp | worst at |\n|---|---|---|---|---|\n");
  for (int i = 0; i < kElementaryCount; ++i) {
    const Elem e = static_cast<Elem>(i);
    const Worst<float> f = measure_all<float>(e);
    const Worst<double> d = measure_all<double>(e);
    if (elementary(e).arity == 1) {
      std::printf("| `%s` | %.2f | %a | %.2f | %a |\n", elementary(e).name, f.ulp, f.x, d.ulp, d.x);
    } else {
      std::printf("| `%s` | %.2f | %a, %a | %.2f | %a, %a |\n", elementary(e).name, f.ulp, f.x, f.y, d.ulp, d.x, d.y);
    }
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace monograph

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--table") == 0) {
    monograph::print_table();
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
