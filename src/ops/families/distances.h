// The norm of vectors as a decomposition, for losses and distances that use it; and the eager distances of rows.
#pragma once

#include <optional>

#include "core/tensor.h"
#include "kernels/distances.h"

namespace monograph {

// The p-norm along a dim, made of public operators. Its gradient at 0 is 0.
Tensor vector_norm(const Tensor& x, double p, int64_t dim, bool keepdim);

// The norm of order p, if row_distances() (kernels/distances.h) has it for the rows of this matrix.
std::optional<DistanceNorm> norm_of_rows(const Tensor& x, double p);
// The rows of a matrix with zeros behind them, as row_distances() reads them.
Tensor padded_rows(const Tensor& x);

}  // namespace monograph
