// Complex values in bodies: pairs of Nums with the same operators, so that one generic lambda serves real and complex dtypes.
#pragma once

#include "ops/num.h"

namespace monograph {

struct Complex {
  Num re, im;
  static Complex arg(Recorder& r, DType storage, bool uniform);
  static void out(Recorder& r, Complex value, DType storage);
};
Complex operator+(Complex a, Complex b);
Complex operator-(Complex a, Complex b);
Complex operator*(Complex a, Complex b);
Complex operator/(Complex a, Complex b);
Complex operator-(Complex a);
Num operator==(Complex a, Complex b);
Num operator!=(Complex a, Complex b);
Complex where(Num condition, Complex a, Complex b);

}  // namespace monograph
