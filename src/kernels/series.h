// Sums of series that no straight line of operations computes.
#pragma once

#include "kernels/call.h"

namespace monograph {

// special_zeta: args self, other, which broadcast and have the result's floating dtype. The sum of (other + k)^-self over k = 0, 1, .., in float64 with
// the C library's pow.
MONOGRAPH_KERNEL(zeta);

}  // namespace monograph
