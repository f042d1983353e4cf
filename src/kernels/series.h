// Sums of series, whose number of terms depends on the elements, so that no Body can compute them.
#pragma once

#include "kernels/call.h"

namespace monograph {

// special_zeta(self, other): the sum of (other + k)^-self over k = 0, 1, .., in float64 with the C library's pow. The arguments broadcast and have the
// result's floating dtype.
MONOGRAPH_KERNEL(zeta);

}  // namespace monograph
