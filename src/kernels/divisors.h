// What integers have in common, and the parts of floats.
#pragma once

#include "kernels/call.h"

namespace monograph {

// gcd, lcm: args self, other, which broadcast and have the result's dtype, an integer's. They are not negative, but for the least integer.
MONOGRAPH_KERNEL(gcd);
MONOGRAPH_KERNEL(lcm);
// frexp: arg self of a floating dtype. Results: the mantissa, from 0.5 to below 1 or 0, and the int32 exponent; infinities and NaN are their own.
MONOGRAPH_KERNEL(frexp);

}  // namespace monograph
