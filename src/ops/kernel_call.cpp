// Describes a tensor for a structured kernel.
#include "ops/kernel_call.h"

namespace monograph {

KernelTensor kernel_tensor(const Tensor& t) {
  alignas(64) static char nothing[64];  // the address of an empty tensor's elements; null would mean that there is no tensor
  char* data = t.data();
  return {data ? data : nothing, t.sizes().data(), t.strides().data(), static_cast<int32_t>(t.dim()), t.dtype()};
}

}  // namespace monograph
