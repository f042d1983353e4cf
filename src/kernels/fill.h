// Kernels of factories: constants, ranges, the identity. The arguments that they read stand where their operators' schemas have them.
#pragma once

#include "kernels/call.h"

namespace monograph {

KernelStatus zeros_kernel(KernelCall& call);
KernelStatus ones_kernel(KernelCall& call);
KernelStatus full_kernel(KernelCall& call);  // argument 1 everywhere
KernelStatus scalar_tensor_kernel(KernelCall& call);  // argument 0 everywhere
KernelStatus eye_kernel(KernelCall& call);  // of a square matrix
// start + i * step. The arguments before dtype= are (end), (start, end) or (start, end, step).
KernelStatus arange_end_kernel(KernelCall& call);
KernelStatus arange_start_kernel(KernelCall& call);
KernelStatus arange_step_kernel(KernelCall& call);
KernelStatus linspace_kernel(KernelCall& call);  // of arguments (start, end, steps)
// The elements of argument 0, in the result's layout; of one dtype.
KernelStatus clone_kernel(KernelCall& call);

}  // namespace monograph
