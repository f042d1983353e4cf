// diag_embed clears the result, then copies row after row.
#include "kernels/diagonals.h"

#include <algorithm>

#include "kernels/element_types.h"
#include "kernels/grain.h"
#include "kernels/row_sum.h"

namespace monograph {
namespace {

template <class T>
void sum_of_diagonal(const KernelTensor& x, T* to) {
  const int64_t step = x.strides[0] + x.strides[1];
  const T* from = x.as<const T>();
  *to = row_sum<T>(std::min(x.sizes[0], x.sizes[1]), [&](int64_t i) { return from[i * step]; });
}

}  // namespace

KernelStatus trace_kernel(KernelCall& call) {
  const KernelTensor &x = call.args[0].tensor, &out = call.results[0];
  if (out.dtype == DType::f32) sum_of_diagonal(x, out.as<float>());
  else sum_of_diagonal(x, out.as<double>());
  return KernelStatus::Ok;
}

KernelStatus diag_embed_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const int64_t offset = call.args[1].integer, first = call.args[2].integer, second = call.args[3].integer;
  share_zeros(out.data, out.numel() * element_size(out.dtype));
  if (!self.has_elements()) return KernelStatus::Ok;
  const int32_t last = self.dim - 1;
  const int64_t n = self.sizes[last], begin = offset > 0 ? offset * out.strides[second] : -offset * out.strides[first];
  const int64_t step = out.strides[first] + out.strides[second], from_step = self.strides[last];
  dispatch_unsigned(element_size(out.dtype), [&](auto zero) {
    using E = decltype(zero);
    for (int64_t row = 0, rows = self.numel() / n; row < rows; ++row) {
      int64_t to = begin, from = 0, rest = row;
      for (int32_t d = last, at = out.dim; d-- > 0; rest /= self.sizes[d]) {
        do --at;
        while (at == first || at == second);
        to += rest % self.sizes[d] * out.strides[at], from += rest % self.sizes[d] * self.strides[d];
      }
      for (int64_t i = 0; i < n; ++i) out.as<E>()[to + i * step] = self.as<const E>()[from + i * from_step];
    }
  });
  return KernelStatus::Ok;
}

}  // namespace monograph
