// The products of vectors in three dimensions.
#pragma once

#include "kernels/call.h"

namespace monograph {

// linalg_cross(self, other, dim): self × other along a dim of size 3. All tensors are contiguous and have one size and one dtype: float32, float64, int32 or
// int64. Each element is a product minus a product; each is rounded. Integers wrap.
MONOGRAPH_KERNEL(linalg_cross);

}  // namespace monograph
