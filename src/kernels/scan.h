// Cumulative sums and products along a dim.
//
// Each row is accumulated in ascending order in the next wider dtype: float32 for float16 and bfloat16, float64 for float32 (docs/numerics.md).
// Several rows are computed together, and rows are shared among the threads of the pool.
//
// Tensors are contiguous, `dim` is not negative, and results have the dtype of self.
#pragma once

#include "kernels/call.h"

namespace monograph {

MONOGRAPH_KERNEL(cumsum);  // cumsum(self, dim)
MONOGRAPH_KERNEL(cumprod);  // cumprod(self, dim)

// cumprod_backward(grad, input, dim, output) of real floats: the gradient of a cumulative product; it is also right if the input contains zeros.
MONOGRAPH_KERNEL(cumprod_backward);

// logcumsumexp(self, dim) of real floats: the logarithm of the sum of exp(self) up to each element, with the C library's exp and log1p.
MONOGRAPH_KERNEL(logcumsumexp);

}  // namespace monograph
