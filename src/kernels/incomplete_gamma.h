// The incomplete gamma functions.
#pragma once

#include "kernels/call.h"

namespace monograph {

// igamma, igammac: args self (a) and other (x), which broadcast and have the result's floating dtype. The integral of t^(a - 1) exp(-t) from 0 to x, or
// from x on, divided by that from 0 on. In float64 with the C library's functions.
MONOGRAPH_KERNEL(igamma);
MONOGRAPH_KERNEL(igammac);

}  // namespace monograph
