// exp, exp2, expm1, the hyperbolic functions, erf and erfc. The argument is reduced as by Cody and Waite (Software Manual for the Elementary Functions, 1980):
// x = n ln 2 + r. Adding 1.5 * 2^mantissa rounds to n and leaves it in the low bits of the sum. tools/elementary/minimax.py computes the polynomials.
#include "ops/elementary/detail.h"

namespace monograph::detail {

ExpReduction reduce_exp(Num x, int offset) {
  const ConstantSpan ln2 = choose(x, tables::kLn2F32, tables::kLn2F64);
  const double magic = format(x.t).magic + offset;
  Num shifted = fma(x, choose(x, tables::kLog2EF32, tables::kLog2EF64)[0], magic);
  Num n = shifted - magic;
  return {fma(n, -ln2[1], fma(n, -ln2[0], x)), shifted};
}

Num power_of_two(Num shifted) { return from_bits(bits(shifted) << format(shifted.t).mantissa, shifted.t); }

// The exponent, which is biased twice, is split into two factors: the first product is exact, the second rounds.
Num scale(Num p, Num shifted) {
  const Format& f = format(p.t);
  Num all = bits(shifted);
  Num first = (all << (f.mantissa - 1)) & (-(int64_t{1} << f.mantissa));
  Num second = (all << f.mantissa) - first;
  return p * from_bits(first, p.t) * from_bits(second, p.t);
}

Num exp_of_reduced(Num r) {
  Num q = polynomial(r, choose(r, tables::kExpF32, tables::kExpF64));
  return fma(fma(q, r, 1.0), r, 1.0);
}

Num expm1_of_reduced(Num r) {
  Num q = polynomial(r, choose(r, tables::kExpF32, tables::kExpF64));
  return fma(r * r, q, r);
}

Num exp2_half(Num x) {
  const Format& f = format(x.t);
  const double magic = f.magic + f.bias;
  Num shifted = x + magic;
  Num r = x - (shifted - magic);
  return fma(polynomial(r, tables::kExp2Half), r, 1.0) * power_of_two(shifted);
}

Num exp_body(Num x, Num) {
  const bool f32 = is_f32(x);
  Num limited = at_most(at_least(x, f32 ? -104 : -746), f32 ? 89 : 710);
  auto [r, shifted] = reduce_exp(limited, 2 * format(x.t).bias);
  return scale(exp_of_reduced(r), shifted);
}

Num exp2_body(Num x, Num) {
  const bool f32 = is_f32(x);
  const double magic = format(x.t).magic + 2 * format(x.t).bias;
  Num limited = at_most(at_least(x, f32 ? -151 : -1076), f32 ? 129 : 1025);
  Num shifted = limited + magic;
  Num r = limited - (shifted - magic);
  return scale(fma(polynomial(r, choose(x, tables::kExp2F32, tables::kExp2F64)), r, 1.0), shifted);
}

// 2 (2^(n-1) (e^r - 1) + (2^(n-1) - 1/2)). Half of the result is computed first, because 2^n may overflow when the result does not.
Num expm1_body(Num x, Num) {
  const bool f32 = is_f32(x);
  Num limited = at_most(at_least(x, f32 ? -18 : -38), f32 ? 89 : 710);
  auto [r, shifted] = reduce_exp(limited, format(x.t).bias - 1);
  Num s = power_of_two(shifted);
  Num half = fma(s, expm1_of_reduced(r), s - 0.5);
  return where(abs(x) < format(x.t).tiny, x, half + half);
}

// e^|x| / 2. It is infinite only if sinh(x) is.
static Num half_exp(Num magnitude) {
  auto [r, shifted] = reduce_exp(at_most(magnitude, is_f32(magnitude) ? 90 : 711), 2 * format(magnitude.t).bias - 1);
  return scale(exp_of_reduced(r), shifted);
}

Num sinh_body(Num x, Num) {
  Num a = abs(x);
  Num u = a * a;
  Num t = half_exp(a);
  Num large = t - 0.25 / t;
  Num small = fma(a * u, polynomial(u, choose(x, tables::kSinhF32, tables::kSinhF64)), a);
  return with_sign_of(where(a < 1.0, small, large), x);
}

Num cosh_body(Num x, Num) {
  Num t = half_exp(abs(x));
  return t + 0.25 / t;
}

// 1 - 2 / (e^(2|x|) + 1) where the result is above 1/2, so that the error of the quotient counts half; below that an odd polynomial.
Num tanh_body(Num x, Num) {
  Num a = at_most(abs(x), is_f32(x) ? 9.1 : 19.1);
  Num u = a * a;
  Num small = fma(a * u, polynomial(u, choose(x, tables::kTanhF32, tables::kTanhF64)), a);
  auto [r, shifted] = reduce_exp(a + a, format(x.t).bias);
  Num large = 1.0 - 2.0 / fma(power_of_two(shifted), exp_of_reduced(r), 1.0);
  return with_sign_of(where(a < 0.55, small, large), x);
}

// erfc(a) for float64 a >= 1/2. exp(a^2) erfc(a) (1 + 2 a) is smooth in t = (a - 4) / (a + 4) (Shepherd and Laframboise, Math. Comp. 36, 1981). The rounding
// errors of 1 + 2 a, of the quotient and of a^2 are computed too, and corrected.
static Num erfc_of_large(Num a) {
  Num q = polynomial((a - 4.0) / (a + 4.0), tables::kErfcF64);
  Num d = fma(a, 2.0, 1.0);
  Num d_low = fma(a, 2.0, 1.0 - d);  // 1 + 2 a = d + d_low
  Num inverse = 1.0 / d;
  Num y = q * inverse;
  y = fma(fma(-y, d_low, fma(-y, d, q)), inverse, y);
  Num square = a * a;
  Num rest = fma(a, a, -square);  // a^2 = square + rest
  auto [r, shifted] = reduce_exp(-square, 2 * format(a.t).bias);
  return scale(y * exp_of_reduced(r - rest), shifted);
}

// erf in float32: 1 - exp(-(x + x K(x))), with one polynomial K for all x. Near 0 it is as exact as expm1.
static Num erf_f32(Num x) {
  Num a = at_most(abs(x), 3.93);
  Num h = fma(a, polynomial(a, tables::kErfF32), a);
  auto [r, shifted] = reduce_exp(-h, format(x.t).bias);
  Num s = power_of_two(shifted);
  Num y = fma(-s, expm1_of_reduced(r), 1.0 - s);
  return with_sign_of(y, x);
}

Num erf_body(Num x, Num) {
  if (is_f32(x)) return erf_f32(x);
  Num a = at_most(abs(x), 6);
  Num small = fma(a, polynomial(a * a, tables::kErfSmallF64), a);
  Num large = 1.0 - erfc_of_large(a);
  return with_sign_of(where(a < 1.0, small, large), x);
}

// erfc in float32, computed in float64 from the same function of t: float32 is too short for the relative error of exp(-x^2). a^2 is exact there, and both
// quotients share one division.
static Num erfc_f32(Num x) {
  Num wide = convert(x, DType::f64);
  Num a = at_most(abs(wide), 11);
  Num d = fma(a, 2.0, 1.0);
  Num inverse = 1.0 / (d * (a + 4.0));
  Num q = polynomial((a - 4.0) * d * inverse, tables::kErfcHalf);
  Num tail = q * (a + 4.0) * inverse * exp2_half(a * a * -tables::kLog2EF64[0]);
  return convert(where(wide < 0.0, 2.0 - tail, tail), DType::f32);
}

Num erfc_body(Num x, Num) {
  if (is_f32(x)) return erfc_f32(x);
  Num a = at_most(abs(x), 28);
  Num tail = erfc_of_large(a);
  Num far = where(x < 0.0, 2.0 - tail, tail);
  Num near = 1.0 - fma(x, polynomial(x * x, tables::kErfSmallF64), x);
  return where(a < 0.5, near, far);
}

}  // namespace monograph::detail
