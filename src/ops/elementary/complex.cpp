// The elementary functions of complex values, computed with the real ones. The formulas avoid cancellation; they follow Kahan, Branch Cuts for Complex
// Elementary Functions (1987). pow computes complex64 in complex128, as the real pow computes float32 in float64.
#include <limits>
#include <numbers>

#include "ops/complex.h"
#include "ops/elementary/detail.h"
#include "ops/elementary/elementary.h"

namespace monograph {
namespace {

using detail::infinity;
using detail::with_sign_of;

Complex scaled(Complex z, double factor) { return {z.re * factor, z.im * factor}; }
Complex times_i(Complex z) { return {-z.im, z.re}; }
Complex over_i(Complex z) { return {z.im, -z.re}; }
Complex plus(Complex z, double real) { return {z.re + real, z.im}; }

// The absolute values of the parts, in order, and the quotient of the smaller by the larger. The quotient is 0 if the larger is 0 or infinite.
struct Modulus {
  Num large, small, quotient;
  explicit Modulus(Complex z) : large(maximum(abs(z.re), abs(z.im))), small(minimum(abs(z.re), abs(z.im))), quotient(large) {
    Num extreme = (large == 0.0) | (large == infinity(large.t));
    quotient = where(extreme, 0.0, small / where(extreme, 1.0, large));
  }
};

// log |z|. Near |z| = 1 it is computed from |z|^2 - 1, whose squares are kept with twice the precision.
Num log_modulus(Complex z) {
  Modulus m(z);
  Num a = m.large * m.large, b = m.small * m.small;
  Num rest = fma(m.large, m.large, -a) + fma(m.small, m.small, -b);
  Num near = 0.5 * log1p((a - 1.0) + b + rest);
  Num far = log(m.large) + 0.5 * log1p(m.quotient * m.quotient);
  return where((m.large >= 0.5) & (m.large <= 2.0), near, far);
}

Num modulus_of(const Modulus& m) { return m.large * sqrt(fma(m.quotient, m.quotient, lit(m.large.t, 1.0))); }

}  // namespace

Num abs(Complex z) { return modulus_of(Modulus(z)); }

Complex exp(Complex z) {
  Num m = exp(z.re);
  return {m * cos(z.im), m * sin(z.im)};
}

Complex exp2(Complex z) { return exp(scaled(z, std::numbers::ln2)); }

Complex expm1(Complex z) {
  Num half = sin(0.5 * z.im);
  return {expm1(z.re) * cos(z.im) - 2.0 * half * half, exp(z.re) * sin(z.im)};
}

Complex log(Complex z) { return {log_modulus(z), atan2(z.im, z.re)}; }
Complex log2(Complex z) { return scaled(log(z), 1 / std::numbers::ln2); }
Complex log10(Complex z) { return scaled(log(z), 1 / std::numbers::ln10); }

Complex log1p(Complex z) {
  Num small = 0.5 * log1p(z.re * (2.0 + z.re) + z.im * z.im);
  Complex sum = plus(z, 1.0);
  return {where(maximum(abs(z.re), abs(z.im)) < 0.5, small, log_modulus(sum)), atan2(sum.im, sum.re)};
}

// For z = x + iy, the larger part of the root is sqrt((|z| + |x|) / 2); the other part is y / 2 divided by it.
Complex sqrt(Complex z) {
  Modulus m(z);
  Num u = sqrt(0.5 * modulus_of(m) + 0.5 * abs(z.re));
  Num v = where(u == 0.0, 0.0, 0.5 * abs(z.im) / u);
  Num right = ~(z.re < 0.0), endless = abs(z.im) == infinity(u.t);
  return {where(endless, abs(z.im), where(right, u, v)), where(endless, z.im, with_sign_of(where(right, v, u), z.im))};
}

Complex rsqrt(Complex z) { return z.literal(1.0) / sqrt(z); }

Complex sin(Complex z) { return {sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im)}; }
Complex cos(Complex z) { return {cos(z.re) * cosh(z.im), -(sin(z.re) * sinh(z.im))}; }
Complex tan(Complex z) { return over_i(tanh(times_i(z))); }
Complex sinh(Complex z) { return {sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)}; }
Complex cosh(Complex z) { return {cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)}; }

// With t = tan y and s = sinh x: (cosh x s (1 + t^2) + i t) / (1 + s^2 (1 + t^2)). From |x| = 20 on an asymptotic formula is used, because s^2 would overflow.
Complex tanh(Complex z) {
  Num a = abs(z.re), far = a > 20.0;
  Num t = tan(z.im), s = sinh(where(far, 0.0, z.re)), b = 1.0 + t * t;
  Num denominator = 1.0 + b * s * s;
  Num re = b * sqrt(1.0 + s * s) * s / denominator;
  Num tail = 4.0 * sin(z.im) * cos(z.im) * exp(-2.0 * a);
  return {where(far, with_sign_of(lit(a.t, 1.0), z.re), re), where(far, tail, t / denominator)};
}

Complex asin(Complex z) {
  Complex a = sqrt(plus(-z, 1.0)), b = sqrt(plus(z, 1.0));
  return {atan2(z.re, (a * b).re), asinh((conj(a) * b).im)};
}

Complex acos(Complex z) {
  Complex a = sqrt(plus(-z, 1.0)), b = sqrt(plus(z, 1.0));
  return {2.0 * atan2(a.re, b.re), asinh((conj(b) * a).im)};
}

Complex atan(Complex z) { return over_i(atanh(times_i(z))); }
Complex asinh(Complex z) { return over_i(asin(times_i(z))); }

Complex acosh(Complex z) {
  Complex a = sqrt(plus(z, -1.0)), b = sqrt(plus(z, 1.0));
  return {asinh((conj(a) * b).re), 2.0 * atan2(a.im, b.re)};
}

// The function is odd in the real part. It is computed for a positive one, so that the argument of log1p is not near -1.
Complex atanh(Complex z) {
  Num x = abs(z.re), away = 1.0 - x;
  Num re = 0.25 * log1p(4.0 * x / (away * away + z.im * z.im));
  return {with_sign_of(re, z.re), 0.5 * atan2(2.0 * z.im, away * (1.0 + x) - z.im * z.im)};
}

Complex pow(Complex z, Complex w) {
  DType given = z.re.t;
  auto widen = [](Complex v) { return Complex{convert(v.re, DType::f64), convert(v.im, DType::f64)}; };
  Complex base = widen(z), exponent = widen(w), zero = base.literal(0.0);
  Complex value = exp(exponent * log(base));
  // An infinite number to a power with a negative real part is 0. exp() of minus infinity and NaN would be NaN.
  Num infinite = (abs(base.re) == infinity(base.re.t)) | (abs(base.im) == infinity(base.re.t));
  value = where(infinite & (exponent.re < 0.0), zero, value);
  Complex of_zero = where(exponent == zero, base.literal(1.0), where(exponent.re > 0.0, zero, value));
  value = where(base == zero, of_zero, value);
  return {convert(value.re, given), convert(value.im, given)};
}

}  // namespace monograph
