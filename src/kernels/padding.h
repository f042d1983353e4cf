// Padding with one number: each dim grows at either end, or is cut where the number of new places is negative.
#pragma once

#include "kernels/call.h"

namespace monograph {

// constant_pad_nd: args self, pad (the last dim's two ends first), value.
MONOGRAPH_KERNEL(constant_pad);

}  // namespace monograph
