// Runs a structured kernel (kernels/call.h) on an operator's values, from an evaluation that made the results itself.
#pragma once

#include <initializer_list>

#include "core/ivalue.h"
#include "kernels/call.h"

namespace monograph {

// `args` stand in the places of the schema, up to the last one that the kernel reads; tensors in lists may be None. Where the status is not Ok,
// `call` says which element is bad.
KernelStatus run_kernel(StructuredKernel kernel, KernelCall& call, std::initializer_list<IValue> args,
                        std::initializer_list<Tensor> results, int64_t scratch_bytes = 0);

// A tensor as a kernel sees it, as long as `t` lives and keeps its sizes.
KernelTensor kernel_tensor(const Tensor& t);

}  // namespace monograph
