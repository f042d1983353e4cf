// The regularized incomplete gamma functions.
#pragma once

#include "kernels/call.h"

namespace monograph {

// igamma(self, other), igammac(self, other): with a = self and x = other, the integral of t^(a - 1) exp(-t) from 0 to x (igamma) or from x to
// infinity (igammac), divided by that from 0 to infinity. The arguments broadcast and have the result's floating dtype. Computed in float64 with the
// C library's functions, with fewer terms for float32 and narrower dtypes.
MONOGRAPH_KERNEL(igamma);
MONOGRAPH_KERNEL(igammac);

}  // namespace monograph
