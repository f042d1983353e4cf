// Compares the elements of two contiguous tensors; stops soon after the first difference.
#pragma once

#include "kernels/call.h"

namespace monograph {

// Whether equal_kernel takes this dtype. It does not take float16 and bfloat16.
bool compares_elements(DType type);

// equal(self, other), of contiguous tensors of one size and one dtype: the result is a bool tensor without dims. 0 equals -0, and NaN equals nothing.
MONOGRAPH_KERNEL(equal);

}  // namespace monograph
