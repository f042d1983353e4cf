// Lengths of vectors, for losses that are made of them.
#pragma once

#include "core/tensor.h"

namespace monograph {

// The p-norm along a dim, in public operators. Its gradient at 0 is 0.
Tensor vector_norm(const Tensor& x, double p, int64_t dim, bool keepdim);

}  // namespace monograph
