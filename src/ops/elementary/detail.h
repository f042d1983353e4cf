// Helpers for the bodies of the elementary functions. Where it can, a body uses one algorithm for float32 and float64: the dtypes differ in the numbers of
// struct Format and in the tables of tables.h.
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "ops/elementary/tables.h"
#include "ops/num.h"

namespace monograph::detail {

using ConstantSpan = std::span<const double>;

struct Format {
  DType integer;  // of the float's width
  int mantissa;  // stored bits
  int bias;
  double magic;  // 1.5 * 2^mantissa: x + magic has rint(x) in its low bits
  double min_normal;
  double tiny;  // for |x| below it, x + x^2 rounds to x
};

inline const Format& format(DType t) {
  static constexpr Format kF32{DType::i32, 23, 127, 0x1.8p23, 0x1p-126, 0x1p-25};
  static constexpr Format kF64{DType::i64, 52, 1023, 0x1.8p52, 0x1p-1022, 0x1p-54};
  return t == DType::f32 ? kF32 : kF64;
}

inline bool is_f32(Num x) { return x.t == DType::f32; }
inline ConstantSpan choose(Num x, ConstantSpan f32, ConstantSpan f64) { return is_f32(x) ? f32 : f64; }
inline Num infinity(DType t) { return lit(t, std::numeric_limits<double>::infinity()); }
inline Num nan(DType t) { return lit(t, std::numeric_limits<double>::quiet_NaN()); }
inline Num operator+(Num a, int64_t b) { return a + lit_int(a.t, b); }
inline Num operator-(Num a, int64_t b) { return a - lit_int(a.t, b); }
inline Num operator&(Num a, int64_t b) { return a & lit_int(a.t, b); }
inline Num operator<<(Num a, int b) { return a << lit_int(a.t, b); }
inline Num shift_right(Num a, int b) { return shr(a, lit_int(a.t, b)); }
inline Num fma(Num a, double b, Num c) { return monograph::fma(a, lit(a.t, b), c); }
inline Num fma(Num a, Num b, double c) { return monograph::fma(a, b, lit(a.t, c)); }
inline Num fma(Num a, double b, double c) { return monograph::fma(a, lit(a.t, b), lit(a.t, c)); }
using monograph::fma;

// c[0] + x c[1] + ... by Horner.
inline Num polynomial(Num x, ConstantSpan c) {
  Num y = lit(x.t, c.back());
  for (size_t k = c.size() - 1; k-- > 0;) y = fma(y, x, c[k]);
  return y;
}

// The same if the last coefficient is 1, which saves a product.
inline Num monic_polynomial(Num x, ConstantSpan c) {
  Num y = x + c[c.size() - 2];
  for (size_t k = c.size() - 2; k-- > 0;) y = fma(y, x, c[k]);
  return y;
}

// x limited to a bound. NaN stays NaN.
inline Num at_most(Num x, double high) { return where(x > high, lit(x.t, high), x); }
inline Num at_least(Num x, double low) { return where(x < low, lit(x.t, low), x); }

inline Num sign_bit(Num x) { return bits(x) & (x.t == DType::f32 ? int64_t{INT32_MIN} : INT64_MIN); }
// y, which must be >= 0, with the sign of x.
inline Num with_sign_of(Num y, Num x) { return from_bits(bits(y) | sign_bit(x), y.t); }

// x = n ln 2 + r with |r| <= ln 2 / 2: `shifted` holds n + offset in its low bits, for power_of_two and scale.
struct ExpReduction {
  Num r, shifted;
};
ExpReduction reduce_exp(Num x, int offset);
// 2^(n + offset - bias), which must be a normal number.
Num power_of_two(Num shifted);
// p 2^(n + offset - 2 bias), rounded once even if the result is subnormal.
Num scale(Num p, Num shifted);
// e^r and e^r - 1 for |r| <= ln 2 / 2.
Num exp_of_reduced(Num r);
Num expm1_of_reduced(Num r);

// 2^x for float64 x with |x| < 1000, with a relative error of 2^-28.
Num exp2_half(Num x);

// x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); e is a float.
struct LogReduction {
  Num f, e;
};
LogReduction reduce_log(Num x);
// log(1 + f) - f.
Num log_tail(Num f);
// log(1 + z) for float64 z, with a relative error of 2^-36.
Num log1p_half(Num z);

// asin, acos and so on: the bodies of ElementaryDef.
// clang-format off
#define MONOGRAPH_BODY(name) Num name##_body(Num x, Num y);
MONOGRAPH_BODY(exp) MONOGRAPH_BODY(exp2) MONOGRAPH_BODY(expm1) MONOGRAPH_BODY(sinh) MONOGRAPH_BODY(cosh) MONOGRAPH_BODY(tanh)
MONOGRAPH_BODY(erf) MONOGRAPH_BODY(erfc) MONOGRAPH_BODY(log) MONOGRAPH_BODY(log2) MONOGRAPH_BODY(log10) MONOGRAPH_BODY(log1p)
MONOGRAPH_BODY(asinh) MONOGRAPH_BODY(acosh) MONOGRAPH_BODY(atanh) MONOGRAPH_BODY(rsqrt) MONOGRAPH_BODY(pow) MONOGRAPH_BODY(sin)
MONOGRAPH_BODY(cos) MONOGRAPH_BODY(tan) MONOGRAPH_BODY(asin) MONOGRAPH_BODY(acos) MONOGRAPH_BODY(atan) MONOGRAPH_BODY(atan2)
#undef MONOGRAPH_BODY
// clang-format on

}  // namespace monograph::detail
