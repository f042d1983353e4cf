// Element by element, in the order of the result's memory.
#include "kernels/kron.h"

namespace monograph {
namespace {

template <class T>
void products(const KernelTensor& self, const KernelTensor& other, T* to) {
  const int64_t columns = self.sizes[1], inner = other.sizes[1];
  const T *left = self.as<const T>(), *right = other.as<const T>();
  for (int64_t i = 0; i < self.sizes[0]; ++i)
    for (int64_t k = 0; k < other.sizes[0]; ++k)
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t l = 0; l < inner; ++l) *to++ = left[i * columns + j] * right[k * inner + l];
}

}  // namespace

KernelStatus kron_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &other = call.args[1].tensor, &out = call.results[0];
  if (out.dtype == DType::f32) products(self, other, out.as<float>());
  else products(self, other, out.as<double>());
  return KernelStatus::Ok;
}

}  // namespace monograph
