// Padding: each dim grows at either end, or is cut where the number of new places is negative.
#pragma once

#include "kernels/call.h"

namespace monograph {

// constant_pad_nd: args self, pad (the last dim's two ends first), value.
MONOGRAPH_KERNEL(constant_pad);
// reflection_pad1d and its like, replication_pad1d and its like, _pad_circular: args self, pad. The new places show elements of self.
MONOGRAPH_KERNEL(reflection_pad);
MONOGRAPH_KERNEL(replication_pad);
MONOGRAPH_KERNEL(circular_pad);

}  // namespace monograph
