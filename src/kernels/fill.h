// Kernels of factory functions: constants, ranges, the identity matrix.
#pragma once

#include "kernels/call.h"

namespace monograph {

MONOGRAPH_KERNEL(zeros);
MONOGRAPH_KERNEL(ones);
MONOGRAPH_KERNEL(full);  // full(size, fill_value)
MONOGRAPH_KERNEL(scalar_tensor);  // scalar_tensor(s)
MONOGRAPH_KERNEL(eye);  // the result is a matrix
// Element i is start + i * step. The arguments before `dtype` are (end), (start, end) or (start, end, step).
MONOGRAPH_KERNEL(arange_end);
MONOGRAPH_KERNEL(arange_start);
MONOGRAPH_KERNEL(arange_step);
MONOGRAPH_KERNEL(linspace);  // linspace(start, end, steps)
MONOGRAPH_KERNEL(logspace);  // logspace(start, end, steps, base)
// clone(self): the result has self's dtype; both may have any strides.
MONOGRAPH_KERNEL(clone);

}  // namespace monograph
