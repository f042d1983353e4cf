// Greatest common divisors, least common multiples, and the split of a float into mantissa and exponent.
#pragma once

#include "kernels/call.h"

namespace monograph {

// gcd(self, other), lcm(self, other): both arguments have the result's integer dtype and broadcast. Results are not negative, unless the smallest
// integer is an argument.
MONOGRAPH_KERNEL(gcd);
MONOGRAPH_KERNEL(lcm);
// frexp(self) -> (mantissa, exponent): self is floating, the exponent int32. The mantissa's absolute value is in [0.5, 1), or 0. The mantissa of
// an infinity or a NaN is self.
MONOGRAPH_KERNEL(frexp);

}  // namespace monograph
