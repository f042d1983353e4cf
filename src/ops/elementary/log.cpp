// The logarithms, the inverse hyperbolic functions, rsqrt and pow. Integer operations on the bits reduce the argument of a logarithm to 1 + f in
// [sqrt(1/2), sqrt(2)). float32 then uses a polynomial in f, float64 one in s = f / (2 + f), as in fdlibm (Sun, 1993). tools/elementary/minimax.py computes the
// polynomials.
#include "ops/elementary/detail.h"

namespace monograph::detail {
namespace {

constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;

int64_t float_bits(DType t, double v) { return static_cast<int64_t>(literal_bits(t, v)); }

// A small integer >= 0 as a float, minus `bias`.
Num to_float(Num integer, DType t, double bias) {
  if (t == DType::f32) return convert(integer, t) - bias;
  return from_bits(integer | lit_int(DType::i64, float_bits(t, 0x1p52)), t) - (0x1p52 + bias);
}

// The biased exponent of x / sqrt(1/2).
Num biased_exponent(Num x) { return shift_right(bits(x) + (float_bits(x.t, 1.0) - float_bits(x.t, kSqrtHalf)), format(x.t).mantissa); }

// log(1 + f) - f, with a table of the polynomial g. For s = f / (2 + f) and u = s^2, log(1 + f) = 2 s + s u g(u), and 2 s = f - s f.
Num log_tail_by_quotient(Num f, ConstantSpan table) {
  Num s = f / (f + 2.0);
  Num u = s * s;
  return s * fma(u, polynomial(u, table), -f);
}

// The logarithm y of x, with its special cases: -inf at `pole`, NaN below it, +inf for +inf, NaN for NaN.
Num with_edges(Num y, Num x, double pole) {
  Num inf = infinity(x.t);
  Num inside = where(x == inf, inf, y);
  return where(x > pole, inside, where(x == pole, -inf, nan(x.t)));
}

// 1 + x = 2^e (1 + f). f = (x / 2^e) + (1 / 2^e - 1) rounds once. The factor 1 / 2^e is split into 1/4 and 4 / 2^e, which is never subnormal.
LogReduction reduce_log1p(Num x) {
  const Format& format_x = format(x.t);
  Num exponent = biased_exponent(x + 1.0);
  Num four =
      from_bits(lit_int(format_x.integer, int64_t{2 * format_x.bias + 2} << format_x.mantissa) - (exponent << format_x.mantissa), x.t);
  return {fma(x * 0.25, four, fma(four, 0.25, -1.0)), to_float(exponent, x.t, format_x.bias)};
}

Num add_exponent(Num e, Num y) {  // y + e ln 2
  if (is_f32(y)) return fma(e, tables::kLn2F32[0], y);
  return fma(e, tables::kLn2F64[0], fma(e, tables::kLn2F64[1], y));
}

Num small_as_is(Num y, Num x) { return where(abs(x) < format(x.t).tiny, x, y); }

}  // namespace

LogReduction reduce_log(Num x) {
  const Format& f = format(x.t);
  Num subnormal = x < f.min_normal;
  const int up = f.mantissa + 1;
  Num normal = where(subnormal, x * std::ldexp(1.0, up), x);
  Num shifted = bits(normal) + (float_bits(x.t, 1.0) - float_bits(x.t, kSqrtHalf));
  Num m = from_bits((shifted & ((int64_t{1} << f.mantissa) - 1)) + float_bits(x.t, kSqrtHalf), x.t);
  Num e = to_float(shift_right(shifted, f.mantissa), x.t, 0) - where(subnormal, lit(x.t, f.bias + up), lit(x.t, f.bias));
  return {m - 1.0, e};
}

Num log_tail(Num f) {
  if (is_f32(f)) return f * f * polynomial(f, tables::kLogF32);
  return log_tail_by_quotient(f, tables::kAtanhF64);
}

Num log1p_half(Num z) {
  auto [f, e] = reduce_log1p(z);
  return small_as_is(fma(e, tables::kLn2F64[0], f + log_tail_by_quotient(f, tables::kAtanhHalf)), z);
}

Num log_body(Num x, Num) {
  auto [f, e] = reduce_log(x);
  return with_edges(add_exponent(e, f + log_tail(f)), x, 0);
}

// k log(1 + f) for a constant k in two parts. Of the summands f and log(1 + f) - f, f is much larger.
static Num log_times(Num f, ConstantSpan k) {
  Num tail = log_tail(f);
  return fma(f, k[0], fma(f, k[1], tail * k[0]));
}

Num log2_body(Num x, Num) {
  auto [f, e] = reduce_log(x);
  return with_edges(log_times(f, choose(x, tables::kLog2EF32, tables::kLog2EF64)) + e, x, 0);
}

Num log10_body(Num x, Num) {
  auto [f, e] = reduce_log(x);
  const ConstantSpan two = choose(x, tables::kLog10Of2F32, tables::kLog10Of2F64);
  Num y = log_times(f, choose(x, tables::kLog10EF32, tables::kLog10EF64));
  return with_edges(fma(e, two[0], fma(e, two[1], y)), x, 0);
}

Num log1p_body(Num x, Num) {
  auto [f, e] = reduce_log1p(x);
  return small_as_is(with_edges(add_exponent(e, f + log_tail(f)), x, -1), x);
}

// The inverse hyperbolic functions use log1p, which is exact near 0. float32 is computed in float64.
static Num log1p_wide(Num z, DType target) { return target == DType::f32 ? log1p_half(z) : log1p_body(z, z); }

Num asinh_body(Num x, Num) {
  Num a = abs(convert(x, DType::f64));
  Num square = a * a;
  Num big = a > 0x1p28;  // then the result is log a + log 2, and a^2 might overflow
  Num z = where(big, a - 1.0, a + square / (sqrt(square + 1.0) + 1.0));
  Num y = log1p_wide(z, x.t) + where(big, lit(a.t, tables::kLn2F64[0]), lit(a.t, 0));
  return with_sign_of(convert(where(a < infinity(a.t), y, a), x.t), x);
}

Num acosh_body(Num x, Num) {
  Num a = convert(x, DType::f64);
  Num t = a - 1.0;
  Num big = a > 0x1p28;
  Num z = where(big, t, t + sqrt(fma(t, t, t + t)));
  Num y = log1p_wide(z, x.t) + where(big, lit(a.t, tables::kLn2F64[0]), lit(a.t, 0));
  y = where(a < infinity(a.t), y, a);
  return convert(where(a < 1.0, nan(a.t), y), x.t);
}

Num atanh_body(Num x, Num) {
  Num a = abs(convert(x, DType::f64));
  Num y = log1p_wide((a + a) / (1.0 - a), x.t) * 0.5;
  y = where(a < 1.0, y, where(a == 1.0, infinity(a.t), nan(a.t)));
  return with_sign_of(convert(y, x.t), x);
}

Num rsqrt_body(Num x, Num) { return 1.0 / sqrt(x); }

namespace {

// |x|^y for float32 values, in float64. log2 has a relative error of 2^-36; multiplied by y log2 x <= 150 it still leaves the 24 bits of the result right.
Num pow_f32(Num x, Num y) {
  auto [f, e] = reduce_log(x);
  Num log2 = fma(f + log_tail_by_quotient(f, tables::kAtanhHalf), tables::kLog2EF64[0], e);
  return exp2_half(at_most(at_least(y * log2, -200), 200));
}

// A number as the sum of two floats; lo is at most half a unit in the last place of hi.
struct DoubleWord {
  Num hi, lo;
};

DoubleWord fast_two_sum(Num a, Num b) {  // |a| >= |b|, or a = 0
  Num s = a + b;
  return {s, (a - s) + b};
}

DoubleWord multiply(DoubleWord a, DoubleWord b) {
  Num p = a.hi * b.hi;
  return {p, fma(a.hi, b.hi, -p) + fma(a.hi, b.lo, a.lo * b.hi)};
}

// log x as a DoubleWord, with a relative error of about 2^-65: 2 s + s^3 (2/3 + u P(u)). All but P is computed in double-double arithmetic (Dekker, 1971).
DoubleWord log_pair(Num x) {
  auto [f, e] = reduce_log(x);
  DoubleWord d = fast_two_sum(lit(x.t, 2.0), f);
  Num inverse = 1.0 / d.hi;
  DoubleWord s{f * inverse, f};
  s.lo = fma(-s.hi, d.lo, fma(-s.hi, d.hi, f)) * inverse;
  DoubleWord u = multiply(s, s);
  DoubleWord c = fast_two_sum(lit(x.t, 2.0 / 3.0), u.hi * polynomial(u.hi, tables::kAtanhPow));
  c.lo = c.lo + 0x1.5555555555555p-55;  // 2/3 - float64(2/3)
  DoubleWord tail = multiply(s, multiply(u, c));
  DoubleWord log_m = fast_two_sum(s.hi + s.hi, tail.hi);
  log_m.lo = log_m.lo + (s.lo + s.lo + tail.lo);
  constexpr double kLn2Short = 0x1.62e42feep-1, kLn2Rest = 0x1.a39ef35793c76p-33;  // the first has 32 bits, so its product with e is exact
  DoubleWord sum = fast_two_sum(e * kLn2Short, log_m.hi);
  return {sum.hi, sum.lo + fma(e, kLn2Rest, log_m.lo)};
}

Num pow_f64(Num x, Num y) {
  DoubleWord log_x = log_pair(x);
  Num z = y * log_x.hi;
  Num rest = where(abs(z) < 1000.0, fma(y, log_x.hi, -z) + y * log_x.lo, lit(x.t, 0));
  auto [r, shifted] = reduce_exp(at_most(at_least(z, -746), 710), 2 * format(x.t).bias);
  return scale(exp_of_reduced(r + rest), shifted);
}

}  // namespace

// The special cases are those of C's Annex F, as in torch.pow.
Num pow_body(Num x, Num y) {
  const DType t = x.t;
  Num a = abs(x);
  Num one = lit(t, 1);
  Num inf = infinity(t);
  Num power = is_f32(x) ? convert(pow_f32(convert(a, DType::f64), convert(y, DType::f64)), t) : pow_f64(a, y);
  // 0, infinity, or an infinite exponent
  Num edge = (a == 0.0) | (a == inf) | (abs(y) == inf);
  Num grows = (a > 1.0) == (y > 0.0);
  power = where(edge, where(grows, inf, 0.0), power);
  // negative bases
  Num half = y * 0.5;
  Num integral = floor(y) == y;
  Num odd = integral & (floor(half) != half);
  power = where(odd, with_sign_of(power, x), power);
  power = where((x < 0.0) & ~integral & (a < inf), nan(t), power);
  // NaN, and the powers that are 1 even with a NaN
  power = where(is_nan(x) | is_nan(y), x + y, power);
  return where((y == 0.0) | (x == 1.0) | ((a == 1.0) & (abs(y) == inf)), one, power);
}

}  // namespace monograph::detail
