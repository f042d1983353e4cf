// Fills a KernelCall from values and turns the kernel's status into an error.
#include "ops/kernel_call.h"

namespace monograph {

KernelTensor kernel_tensor(const Tensor& t) {
  alignas(64) static char nothing[64];  // where a tensor without elements begins: null would say that there is no tensor
  char* data = t.data();
  return {data ? data : nothing, t.sizes().data(), t.strides().data(), static_cast<int32_t>(t.dim()), t.dtype()};
}

}  // namespace monograph
