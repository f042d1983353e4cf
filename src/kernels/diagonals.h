// Diagonals of matrices: their sum, and tensors that are zero beside one.
#pragma once

#include "kernels/call.h"

namespace monograph {

// trace(self) of a matrix of float32 or float64, with the bits of a reduction.
MONOGRAPH_KERNEL(trace);
// diag_embed(self, offset, dim1, dim2): zeros, with the last dim of self on a diagonal of dims dim1 and dim2 of the result, which is contiguous.
MONOGRAPH_KERNEL(diag_embed);

}  // namespace monograph
