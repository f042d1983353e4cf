// Describes tensors for structured kernels (kernels/call.h).
#pragma once

#include "core/ivalue.h"
#include "kernels/call.h"

namespace monograph {

// The description of t that a kernel gets. It is valid as long as `t` lives and keeps its sizes.
KernelTensor kernel_tensor(const Tensor& t);

}  // namespace monograph
