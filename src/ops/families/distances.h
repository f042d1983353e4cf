// The norm of vectors as a decomposition, for losses and distances that use it.
#pragma once

#include "core/tensor.h"

namespace monograph {

// The p-norm along a dim, made of public operators. Its gradient at 0 is 0.
Tensor vector_norm(const Tensor& x, double p, int64_t dim, bool keepdim);

}  // namespace monograph
