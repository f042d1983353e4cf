// Complex values in bodies. A complex argument is recorded as two Arg instructions, one for each part, and a complex result as two values.
#include "ops/complex.h"

namespace monograph {

Complex Complex::arg(Recorder& r, DType storage, bool uniform) {
  uint64_t index = r.body_.args.size();
  Num re = r.arg(storage, uniform);
  return {re, r.put({Fn::Arg, real_type(storage), 0, 1, 0, index})};
}

void Complex::out(Recorder& r, Complex value, DType storage, bool uniform) {
  r.out(value.re, storage, uniform);
  r.body_.outs.back().im = convert(value.im, real_type(storage)).id;
}

Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
Complex operator-(Complex a) { return {-a.re, -a.im}; }
Num operator==(Complex a, Complex b) { return (a.re == b.re) & (a.im == b.im); }
Num operator!=(Complex a, Complex b) { return (a.re != b.re) | (a.im != b.im); }
Complex where(Num condition, Complex a, Complex b) { return {where(condition, a.re, b.re), where(condition, a.im, b.im)}; }
Complex conj(Complex z) { return {z.re, -z.im}; }

// Both parts are scaled by the larger part of the divisor, so that neither its square overflows nor a small one vanishes (Smith's method
// without its branch).
Complex operator/(Complex a, Complex b) {
  Num large = abs(b.re), small = abs(b.im), scale = maximum(large, small), infinite = lit(scale.t, HUGE_VAL);
  Num safe = where(scale == lit(scale.t, 0.0), lit(scale.t, 1.0), scale);
  // One infinite part counts as 1 or -1 times the scale, so that finite numbers divided by it are 0. If both are infinite, the quotient is NaN.
  Num one_infinite = (scale == infinite) & (large != small);
  auto part = [&](Num p) {
    Num sign = where(p < lit(p.t, 0.0), lit(p.t, -1.0), lit(p.t, 1.0));
    return where(one_infinite & (abs(p) == infinite), sign, p / safe);
  };
  Num re = part(b.re), im = part(b.im), square = re * re + im * im;
  Num x = (a.re * re + a.im * im) / square, y = (a.im * re - a.re * im) / square;
  Num by_zero = scale == lit(scale.t, 0.0);  // then each part is divided by 0, as in NumPy: infinite, or NaN if the part is 0
  return {where(by_zero, a.re / scale, x / safe), where(by_zero, a.im / scale, y / safe)};
}

}  // namespace monograph
