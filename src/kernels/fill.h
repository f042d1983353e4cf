// Kernels of factories: constants, ranges, the identity. The arguments that they read stand where their operators' schemas have them.
#pragma once

#include "kernels/call.h"

namespace monograph {

MONOGRAPH_KERNEL(zeros);
MONOGRAPH_KERNEL(ones);
MONOGRAPH_KERNEL(full);  // argument 1 everywhere
MONOGRAPH_KERNEL(scalar_tensor);  // argument 0 everywhere
MONOGRAPH_KERNEL(eye);  // of a matrix
// start + i * step. The arguments before dtype= are (end), (start, end) or (start, end, step).
MONOGRAPH_KERNEL(arange_end);
MONOGRAPH_KERNEL(arange_start);
MONOGRAPH_KERNEL(arange_step);
MONOGRAPH_KERNEL(linspace);  // of arguments (start, end, steps)
// The elements of argument 0, in the result's layout; of one dtype.
MONOGRAPH_KERNEL(clone);

}  // namespace monograph
