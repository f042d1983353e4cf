// Matrices along a diagonal.
#pragma once

#include "kernels/call.h"

namespace monograph {

// (tensors): copies the matrices, which are contiguous and of one dtype, into the result's diagonal, one behind the other, and zeros beside them. On several
// threads.
MONOGRAPH_KERNEL(block_diag);

}  // namespace monograph
