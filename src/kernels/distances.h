// Distances between the rows of matrices, with the bits of a generated reduction of the differences (docs/numerics.md).
#pragma once

#include <optional>

#include "kernels/call.h"

namespace monograph {

// The order of the norm of a difference.
enum class DistanceNorm : uint8_t { CountNonzero, Sum, Root, Largest };  // 0, 1, 2 and infinity

// The norm of order p, if the kernels below have it for rows of n elements of this dtype.
std::optional<DistanceNorm> distance_norm(DType type, int64_t n, double p);
// The bytes of scratch memory for the kernels below, for `rows` rows of n elements in all their matrices together.
int64_t distance_scratch(DType type, int64_t rows, int64_t n);

// cdist(x1, x2, p) of two contiguous matrices: the distance of each row of x1 from each row of x2. pdist(self, p) of one: the distances of rows 0 and 1, 0 and
// 2, ..., 1 and 2, and so on. distance_norm() tells which p they take.
MONOGRAPH_KERNEL(cdist);
MONOGRAPH_KERNEL(pdist);

}  // namespace monograph
