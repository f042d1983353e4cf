// Threads share the slices.
#include "kernels/repeats.h"

#include <algorithm>

#include "kernels/element_types.h"
#include "kernels/grain.h"

namespace monograph {

KernelStatus repeat_interleave_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const int64_t count = call.args[1].integer;
  const auto dim = static_cast<int32_t>(call.args[2].none() ? self.dim : call.args[2].integer + 1);
  int64_t inner = 1;  // the elements of a slice
  for (int32_t d = dim; d < self.dim; ++d) inner *= self.sizes[d];
  dispatch_unsigned(element_size(out.dtype), [&](auto zero) {
    using E = decltype(zero);
    const E* slices = self.as<const E>();
    share_steps(2, self.numel() / inner, inner * count, [&](int64_t begin, int64_t end) {
      E* to = out.as<E>() + begin * inner * count;
      for (int64_t i = begin; i < end; ++i)
        for (int64_t k = 0; k < count; ++k, to += inner)
          if (inner == 1) *to = slices[i];
          else std::copy_n(slices + i * inner, inner, to);
    });
  });
  return KernelStatus::Ok;
}

}  // namespace monograph
