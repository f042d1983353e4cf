// Tensors as structured kernels (kernels/call.h) see them.
#pragma once

#include "core/ivalue.h"
#include "kernels/call.h"

namespace monograph {

// A tensor as a kernel sees it, as long as `t` lives and keeps its sizes.
KernelTensor kernel_tensor(const Tensor& t);

}  // namespace monograph
