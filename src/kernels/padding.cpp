// The number fills the result, then the elements that stay are moved into it: both by loops that are vectorized and split over the pool.
#include "kernels/padding.h"

#include <algorithm>
#include <array>

#include "kernels/elements.h"
#include "kernels/number.h"

namespace monograph {
namespace {

constexpr size_t kMaxDims = 64;

// The first `cut` places of `dim` away.
void skip(KernelTensor& t, size_t dim, int64_t cut) { t.data += cut * t.strides[dim] * element_size(t.dtype); }

}  // namespace

KernelStatus constant_pad_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const KernelArg::Ints& pad = call.args[1].ints;
  KernelTensor from = self, to = out;
  std::array<int64_t, kMaxDims> sizes{};
  bool grows = false, any = true;
  for (size_t d = 0; d < static_cast<size_t>(self.dim); ++d) {
    const size_t behind = static_cast<size_t>(self.dim) - 1 - d;
    const int64_t before = 2 * behind + 1 < pad.count ? pad.values[2 * behind] : 0;
    const int64_t after = 2 * behind + 1 < pad.count ? pad.values[2 * behind + 1] : 0;
    grows |= before > 0 || after > 0;
    sizes[d] = self.sizes[d] + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0);
    any &= sizes[d] > 0;
    skip(before < 0 ? from : to, d, before < 0 ? -before : before);
  }
  if (grows)
    dispatch(out.dtype, [&](auto zero) {
      const auto value = number_as<decltype(zero)>(call.args[2]);
      fill_elements(out, &value);
    });
  from.sizes = to.sizes = sizes.data();
  if (any) copy_elements(to, from);
  return KernelStatus::Ok;
}

}  // namespace monograph
