// Cumulative sums and products along a dim.
//
// Elements follow one another in ascending order, one chain a row, in the next wider dtype: float32 for 16 bits, float64 for float32
// (docs/numerics.md). Several rows run side by side, and rows are shared among the pool's threads.
//
// Tensors have no gaps, `dim` is not negative, and the results' dtype is that of the argument.
#pragma once

#include "kernels/call.h"

namespace monograph {

MONOGRAPH_KERNEL(cumsum);   // cumsum(self, dim)
MONOGRAPH_KERNEL(cumprod);  // cumprod(self, dim)

// cumprod_backward(grad, input, dim, output) of real floats: the gradient of a cumulative product, beside zeros too.
MONOGRAPH_KERNEL(cumprod_backward);

// logcumsumexp(self, dim) of real floats: log of the sum of exp up to each element, with the C library's exp and log1p.
MONOGRAPH_KERNEL(logcumsumexp);

}  // namespace monograph
