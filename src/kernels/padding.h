// Padding: adds elements at both ends of some dims, or removes elements where the amount is negative.
#pragma once

#include "kernels/call.h"

namespace monograph {

// constant_pad_nd(self, pad, value): pad holds the amounts for the beginning and end of the last dim, then of the dim before it, and so on.
MONOGRAPH_KERNEL(constant_pad);
// reflection_pad1d to 3d, replication_pad1d to 3d, _pad_circular(self, pad): the new elements are copies of elements of self.
MONOGRAPH_KERNEL(reflection_pad);
MONOGRAPH_KERNEL(replication_pad);
MONOGRAPH_KERNEL(circular_pad);

}  // namespace monograph
