// Each function is compiled with and without the fused multiply-add instruction; the processor picks one at run time.
#include "kernels/random_math.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace monograph::random_math {
namespace {

// Code below that is marked MONOGRAPH_EVERYWHERE is compiled twice, with the fused multiply-add instruction and with the library's exact
// function, and the processor picks: the same bits, the first 20 times faster. The loops over 8 lanes become vector code, for which
// CMakeLists.txt tells the compiler that a square root sets no errno and a select may compute both sides; neither changes a value.
#define MONOGRAPH_EVERYWHERE [[gnu::always_inline]] inline
#if defined(__x86_64__)
#define MONOGRAPH_WITH_FMA __attribute__((target("avx2,fma")))
const bool kHasFma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
#define MONOGRAPH_WITH_FMA
const bool kHasFma = false;
#endif

constexpr double kTwoPi = 6.28318530717958647692;

// --- float: Cephes ---

MONOGRAPH_EVERYWHERE float cephes_log(float x) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  float e = static_cast<float>(static_cast<int32_t>(bits >> 23) - 126);
  float m = std::bit_cast<float>((bits & 0x007fffffu) | 0x3f000000u);  // in [0.5, 1)
  bool low = m < 0.707106781186547524f;
  e = low ? e - 1.0f : e;
  m = (m - 1.0f) + (low ? m : 0.0f);
  float z = m * m;
  float y = 7.0376836292e-2f;
  y = __builtin_fmaf(y, m, -1.1514610310e-1f);
  y = __builtin_fmaf(y, m, 1.1676998740e-1f);
  y = __builtin_fmaf(y, m, -1.2420140846e-1f);
  y = __builtin_fmaf(y, m, 1.4249322787e-1f);
  y = __builtin_fmaf(y, m, -1.6668057665e-1f);
  y = __builtin_fmaf(y, m, 2.0000714765e-1f);
  y = __builtin_fmaf(y, m, -2.4999993993e-1f);
  y = __builtin_fmaf(y, m, 3.3333331174e-1f);
  y = __builtin_fmaf(y * m, z, e * -2.12194440e-4f);
  y = __builtin_fmaf(z, -0.5f, y);
  return __builtin_fmaf(e, 0.693359375f, m + y);
}

MONOGRAPH_EVERYWHERE void cephes_sincos(float x, float& sine, float& cosine) {  // x >= 0
  int32_t octant = (static_cast<int32_t>(x * 1.27323954473516f) + 1) & ~1;
  float j = static_cast<float>(octant);
  x = __builtin_fmaf(j, -0.78515625f, x);
  x = __builtin_fmaf(j, -2.4187564849853515625e-4f, x);
  x = __builtin_fmaf(j, -3.77489497744594108e-8f, x);
  float z = x * x;
  float c = 2.443315711809948e-5f;
  c = __builtin_fmaf(c, z, -1.388731625493765e-3f);
  c = __builtin_fmaf(c, z, 4.166664568298827e-2f);
  c = __builtin_fmaf(c * z, z, -(z * 0.5f)) + 1.0f;
  float s = -1.9515295891e-4f;
  s = __builtin_fmaf(s, z, 8.3321608736e-3f);
  s = __builtin_fmaf(s, z, -1.6666654611e-1f);
  s = __builtin_fmaf(s * z, x, x);
  bool swap = octant & 2;
  float a = swap ? c : s, b = swap ? s : c;
  sine = octant & 4 ? -a : a;
  cosine = (octant + 2) & 4 ? -b : b;
}

MONOGRAPH_EVERYWHERE void float_block(float* data, float mean, float std) {
  float first[8], second[8];
  for (int i = 0; i < 8; ++i) {
    float radius = __builtin_sqrtf(-2.0f * cephes_log(1.0f - data[i])), sine, cosine;
    cephes_sincos(static_cast<float>(kTwoPi) * data[i + 8], sine, cosine);
    first[i] = __builtin_fmaf(radius * cosine, std, mean);
    second[i] = __builtin_fmaf(radius * sine, std, mean);
  }
  std::copy(first, first + 8, data);
  std::copy(second, second + 8, data + 8);
}

// --- double: the tables ---

// A number as the unevaluated sum of two doubles; only the tables are computed with it.
struct Twofold {
  double high, low;
};
Twofold two_sum(double a, double b) {
  double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
Twofold two_product(double a, double b) {
  double p = a * b;
  return {p, std::fma(a, b, -p)};
}
Twofold operator+(Twofold a, Twofold b) {
  Twofold s = two_sum(a.high, b.high), t = two_sum(a.low, b.low);
  s = two_sum(s.high, s.low + t.high);
  return two_sum(s.high, s.low + t.low);
}
Twofold operator*(Twofold a, Twofold b) {
  Twofold p = two_product(a.high, b.high);
  return two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
Twofold operator/(Twofold a, double b) {
  double q = a.high / b;
  Twofold p = two_product(q, b);
  return two_sum(q, ((a.high - p.high) - p.low + a.low) / b);
}

constexpr int kAngles = 112;      // multiples of 1/128 up to beyond 0.86
constexpr int kReciprocals = 128;  // intervals of [1, 2] for log
constexpr int kFromAbove = 54;     // the first of those that count from 2 down

struct Tables {
  std::array<Twofold, kAngles> sine, cosine;           // those of k / 128
  std::array<double, kReciprocals + 1> reciprocal;     // about 1 / m with 9 bits, exact at both ends
  std::array<Twofold, kReciprocals + 1> log_inverse;   // -log(reciprocal), from kFromAbove on less log 2
  Twofold log2;
};

// sin(x) or cos(x), |x| < 1, by its Taylor series.
Twofold series(double x, bool sine) {
  Twofold term = sine ? Twofold{x, 0} : Twofold{1, 0}, sum = term, square = two_product(x, x);
  for (int n = sine ? 1 : 0; n < 30; n += 2) {
    term = term * square / (-(n + 1.0) * (n + 2.0));
    sum = sum + term;
  }
  return sum;
}

// log(p / q) = 2 atanh((p - q) / (p + q)) for integers, by its Taylor series.
Twofold log_ratio(double p, double q) {
  Twofold t = Twofold{p - q, 0} / (p + q), square = t * t, power = t, sum = t;
  for (int n = 3; n < 120; n += 2) {
    power = power * square;
    sum = sum + power / n;
  }
  return {2 * sum.high, 2 * sum.low};
}

const Tables& tables() {
  static const Tables built = [] {
    Tables t;
    for (int k = 0; k < kAngles; ++k) t.sine[k] = series(k / 128.0, true), t.cosine[k] = series(k / 128.0, false);
    for (int k = 0; k <= kReciprocals; ++k) {
      double nine_bits = std::nearbyint(512 / (1 + k / 128.0));
      t.reciprocal[k] = nine_bits / 512;
      t.log_inverse[k] = log_ratio(k >= kFromAbove ? 256 : 512, nine_bits);
    }
    t.log2 = log_ratio(2, 1);
    return t;
  }();
  return built;
}

// --- double: the functions ---

// x = 2^e m with m in [1, 2); r = m c - 1 is exact in two parts, and log x = e log 2 - log c + log1p(r). From the square root of 2 on,
// m counts from above, so that nothing cancels just below a power of two: at the last k, log 2 and log c cancel exactly.
MONOGRAPH_EVERYWHERE double exact_log(double x, const Tables& t) {
  uint64_t bits = std::bit_cast<uint64_t>(x);
  int e = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
  int k = static_cast<int>((m - 1) * 128 + 0.5);
  e += k >= kFromAbove;
  double c = t.reciprocal[k], p = m * c, p_low = __builtin_fma(m, c, -p);
  Twofold r = two_sum(p - 1, p_low), log_c = t.log_inverse[k];
  // log1p(r) = r - r^2/2 + r^3/3 - ...: the first two terms in two parts, the rest (below 2^-14 of r) in one.
  double h = r.high, square = h * h, square_low = __builtin_fma(h, h, -square);
  double tail = h * square * (1.0 / 3 + h * (-1.0 / 4 + h * (1.0 / 5 + h * (-1.0 / 6 + h * (1.0 / 7 + h * (-1.0 / 8 + h * (1.0 / 9)))))));
  Twofold sum = two_sum(h, -0.5 * square);
  sum.low += (r.low - 0.5 * square_low - h * r.low) + tail;
  Twofold whole = Twofold{e * t.log2.high, __builtin_fma(e, t.log2.high, -(e * t.log2.high)) + e * t.log2.low} + log_c;
  whole = whole + sum;
  return whole.high + whole.low;
}

// Sine of x + dx, |x| < 0.86.
MONOGRAPH_EVERYWHERE double sine_of(double x, double dx, const Tables& t) {
  if (std::fabs(x) < 0.126) {
    double z = x * x;
    double p = __builtin_fma(z, __builtin_fma(z, __builtin_fma(z, __builtin_fma(z, -1.0 / 39916800, 1.0 / 362880), -1.0 / 5040), 1.0 / 120),
                             -1.0 / 6);
    return x + __builtin_fma(__builtin_fma(p, x, -0.5 * dx), z, dx);
  }
  double sign = std::copysign(1.0, x);
  dx *= sign;
  int k = static_cast<int>(std::nearbyint(std::fabs(x) * 128));
  double r = std::fabs(x) - k / 128.0, z = r * r;
  double s = r + __builtin_fma(r * z, __builtin_fma(z, 1.0 / 120, -1.0 / 6), dx);
  double c = __builtin_fma(r, dx, z * __builtin_fma(z, __builtin_fma(z, 1.0 / 720, -1.0 / 24), 0.5));  // 1 - cos
  auto [sn, sn_low] = t.sine[k];
  auto [cs, cs_low] = t.cosine[k];
  double correction = __builtin_fma(cs, s, __builtin_fma(-sn, c, __builtin_fma(s, cs_low, sn_low)));
  return sign * (sn + correction);
}

// Cosine of x + dx, |x| < 0.86.
MONOGRAPH_EVERYWHERE double cosine_of(double x, double dx, const Tables& t) {
  if (x < 0) dx = -dx;
  int k = static_cast<int>(std::nearbyint(std::fabs(x) * 128));
  double r = std::fabs(x) - k / 128.0 + dx, z = r * r;
  double s = __builtin_fma(r * z, __builtin_fma(z, 1.0 / 120, -1.0 / 6), r);
  double c = z * __builtin_fma(z, __builtin_fma(z, 1.0 / 720, -1.0 / 24), 0.5);
  auto [sn, sn_low] = t.sine[k];
  auto [cs, cs_low] = t.cosine[k];
  return cs + __builtin_fma(-sn, s, __builtin_fma(-cs, c, __builtin_fma(-s, sn_low, cs_low)));
}

MONOGRAPH_EVERYWHERE CosineSine both(double x, const Tables& t) {
  constexpr double kHalfPi = 0x1.921fb54442d18p0, kHalfPiLow = 0x1.1a62633145c07p-54;
  int quadrant = x < 0.855469 ? 0 : x < 2.426265 ? 1 : static_cast<int>(std::nearbyint(x * 0.63661977236758134308));
  double y = __builtin_fma(-quadrant, kHalfPi, x);  // exact
  double low = quadrant * kHalfPiLow, a = y - low, da = (y - a) - low;
  double s = sine_of(a, da, t), c = cosine_of(a, da, t);
  switch (quadrant & 3) {
    case 0: return {c, s};
    case 1: return {-s, c};
    case 2: return {-c, -s};
    default: return {s, -c};
  }
}

// Sun's fdlibm with products and sums fused as the C library's build for such processors has them.
MONOGRAPH_EVERYWHERE double sun_log1p(double x) {
  constexpr double kLog2High = 6.93147180369123816490e-01, kLog2Low = 1.90821492927058770002e-10;
  uint64_t magnitude = std::bit_cast<uint64_t>(x) & 0x7fffffffffffffffull;
  auto high_word = [](double v) { return static_cast<uint32_t>(std::bit_cast<uint64_t>(v) >> 32); };
  uint32_t high = static_cast<uint32_t>(magnitude >> 32);
  if (high < 0x3c900000u) return x;  // |x| < 2^-54
  if (high < 0x3e200000u) return __builtin_fma(-x * x, 0.5, x);  // |x| < 2^-29
  int k = 0;
  double f = x, c = 0;
  uint32_t fraction = 1;
  if (high >= 0x3fd2bec4u) {  // x < -0.2929: reduce 1 + x = 2^k (1 + f), keeping in c what the sum 1 + x lost
    double u = 1.0 + x;
    k = static_cast<int>(high_word(u) >> 20) - 1023;
    c = (x - (u - 1.0)) / u;
    fraction = high_word(u) & 0x000fffffu;
    uint64_t mantissa = std::bit_cast<uint64_t>(u) & 0x000fffffffffffffull;
    if (fraction < 0x6a09eu) {
      u = std::bit_cast<double>(mantissa | 0x3ff0000000000000ull);
    } else {
      ++k;
      u = std::bit_cast<double>(mantissa | 0x3fe0000000000000ull);
      fraction = (0x00100000u - fraction) >> 2;
    }
    f = u - 1.0;
  }
  double half_square = 0.5 * f * f;
  if (fraction == 0) {  // |f| < 2^-20
    if (f == 0) return k * kLog2High + __builtin_fma(k, kLog2Low, c);
    double r = half_square * __builtin_fma(-0.66666666666666666, f, 1.0);
    return k * kLog2High - ((r - __builtin_fma(k, kLog2Low, c)) - f);
  }
  double s = f / (2.0 + f), z = s * s, z2 = z * z, z4 = z2 * z2, z6 = z4 * z2;
  double r2 = __builtin_fma(z, 2.857142874366239149e-01, 3.999999999940941908e-01);
  double r3 = __builtin_fma(z, 1.818357216161805012e-01, 2.222219843214978396e-01);
  double r4 = __builtin_fma(z, 1.479819860511658591e-01, 1.531383769920937332e-01);
  double r = __builtin_fma(z6, r4, __builtin_fma(z4, r3, __builtin_fma(z, 6.666666666666735130e-01, z2 * r2)));
  double t = s * (half_square + r);
  if (k == 0) return f - (half_square - t);
  return k * kLog2High - ((half_square - (t + __builtin_fma(k, kLog2Low, c))) - f);
}

MONOGRAPH_EVERYWHERE void double_block(double* data, double mean, double std) {
  const Tables& t = tables();
  for (int i = 0; i < 8; ++i) {
    double radius = std::sqrt(-2.0 * exact_log(1.0 - data[i], t));
    CosineSine p = both(kTwoPi * data[i + 8], t);
    data[i] = __builtin_fma(radius * p.cosine, std, mean);
    data[i + 8] = __builtin_fma(radius * p.sine, std, mean);
  }
}

MONOGRAPH_EVERYWHERE CosineSine pair_of(double u1, double u2) {
  double radius = std::sqrt(-2.0 * sun_log1p(-u2));
  CosineSine p = both(kTwoPi * u1, tables());
  return {radius * p.cosine, radius * p.sine};
}

MONOGRAPH_WITH_FMA void float_block_fma(float* data, float mean, float std) { float_block(data, mean, std); }
MONOGRAPH_WITH_FMA void double_block_fma(double* data, double mean, double std) { double_block(data, mean, std); }
MONOGRAPH_WITH_FMA CosineSine pair_of_fma(double u1, double u2) { return pair_of(u1, u2); }
MONOGRAPH_WITH_FMA double log1p_fma(double x) { return sun_log1p(x); }
MONOGRAPH_WITH_FMA double log_fma(double x) { return exact_log(x, tables()); }
MONOGRAPH_WITH_FMA CosineSine both_fma(double x) { return both(x, tables()); }
MONOGRAPH_WITH_FMA double fused_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
MONOGRAPH_WITH_FMA float fused_fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }

}  // namespace

namespace portable {
void normal_block(float* data, float mean, float std) { float_block(data, mean, std); }
void normal_block(double* data, double mean, double std) { double_block(data, mean, std); }
CosineSine normal_pair(double u1, double u2) { return pair_of(u1, u2); }
double log1p(double x) { return sun_log1p(x); }
}  // namespace portable

void normal_block(float* data, float mean, float std) {
  return kHasFma ? float_block_fma(data, mean, std) : portable::normal_block(data, mean, std);
}
void normal_block(double* data, double mean, double std) {
  return kHasFma ? double_block_fma(data, mean, std) : portable::normal_block(data, mean, std);
}
CosineSine normal_pair(double u1, double u2) { return kHasFma ? pair_of_fma(u1, u2) : portable::normal_pair(u1, u2); }
double log1p(double x) { return kHasFma ? log1p_fma(x) : portable::log1p(x); }
double log(double x) { return kHasFma ? log_fma(x) : exact_log(x, tables()); }
CosineSine cosine_sine(double x) { return kHasFma ? both_fma(x) : both(x, tables()); }

double fused(double x, double y, double z) { return kHasFma ? fused_fma(x, y, z) : std::fma(x, y, z); }
float fused(float x, float y, float z) { return kHasFma ? fused_fma(x, y, z) : std::fma(x, y, z); }

}  // namespace monograph::random_math
