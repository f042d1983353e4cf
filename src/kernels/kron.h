// The Kronecker product of small matrices.
#pragma once

#include "kernels/call.h"

namespace monograph {

// kron(self, other) of two contiguous matrices of one dtype, float32 or float64: the element (i * rows + k, j * columns + l) of the result is self[i][j] *
// other[k][l], where `other` has rows x columns elements. On one thread.
MONOGRAPH_KERNEL(kron);

}  // namespace monograph
