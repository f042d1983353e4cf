// Complex values in bodies: pairs of Nums with the same operators, so that one generic lambda serves real and complex dtypes.
#pragma once

#include "ops/num.h"

namespace monograph {

struct Complex {
  Num re, im;
  static Complex arg(Recorder& r, DType storage, bool uniform);
  static void out(Recorder& r, Complex value, DType storage, bool uniform = false);
  // A literal of this value's dtype.
  Complex literal(double v) const { return {lit(re.t, v), lit(re.t, 0.0)}; }
};
Complex operator+(Complex a, Complex b);
Complex operator-(Complex a, Complex b);
Complex operator*(Complex a, Complex b);
Complex operator/(Complex a, Complex b);
Complex operator-(Complex a);
Num operator==(Complex a, Complex b);
Num operator!=(Complex a, Complex b);
Complex where(Num condition, Complex a, Complex b);
Complex conj(Complex z);
Num abs(Complex z);

// The elementary functions, on their principal branches. Near a branch cut the sign of a zero part chooses the side, as in C. The error of each is a few units
// in the last place of the result's modulus.
#define MONOGRAPH_COMPLEX_ELEMENTARY(row) \
  row(exp) row(exp2) row(expm1) row(log) row(log2) row(log10) row(log1p) row(sqrt) row(rsqrt) row(sin) row(cos) row(tan) row(asin) \
      row(acos) row(atan) row(sinh) row(cosh) row(tanh) row(asinh) row(acosh) row(atanh)
#define MONOGRAPH_ROW(name) Complex name(Complex z);
MONOGRAPH_COMPLEX_ELEMENTARY(MONOGRAPH_ROW)
#undef MONOGRAPH_ROW
Complex pow(Complex z, Complex w);

}  // namespace monograph
