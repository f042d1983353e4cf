// The products of all elements of one vector with all of another.
#pragma once

#include "kernels/call.h"

namespace monograph {

// outer(self, vec2): out[i][j] = self[i] * vec2[j]. addr(self, vec1, vec2): out[i][j] = self[i][j] + vec1[i] * vec2[j]; the sum is rounded after the product.
// All tensors are contiguous and have one dtype, float32 or float64.
MONOGRAPH_KERNEL(outer);
MONOGRAPH_KERNEL(addr);

}  // namespace monograph
