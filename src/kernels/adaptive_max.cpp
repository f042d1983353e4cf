// Threads share planes. Each window is read in row-major order; the maximum so far and its index are kept.
#include "kernels/adaptive_max.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "core/threads/pool.h"
#include "kernels/element_types.h"
#include "kernels/grain.h"
#include "kernels/pooling.h"

namespace monograph {
namespace {

constexpr int64_t kAdaptiveMaxCost = 8;  // instructions for each element that is read

template <class T>
void take_largest(const T* image, const std::array<AdaptiveWindows, 3>& axes, const int64_t (&o)[3], T& value, int64_t& place) {
  using W = OpMathType<T>;
  const auto& [depth, height, width] = axes;
  int64_t best = (depth.begin(o[0]) * height.size + height.begin(o[1])) * width.size + width.begin(o[2]);
  W most = static_cast<W>(image[best]);
  for (int64_t z = depth.begin(o[0]); z < depth.end(o[0]); ++z)
    for (int64_t y = height.begin(o[1]); y < height.end(o[1]); ++y)
      for (int64_t x = width.begin(o[2]); x < width.end(o[2]); ++x) {
        const int64_t at = (z * height.size + y) * width.size + x;
        const W element = static_cast<W>(image[at]);
        const bool wins = (element > most) | (element != element);
        most = wins ? element : most, best = wins ? at : best;
      }
  value = T(most), place = best;
}

template <class T>
void adaptive_max_pool(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &values = call.results[0], &places = call.results[1];
  const size_t dims = call.args[1].ints.count;
  std::array<AdaptiveWindows, 3> axes;
  int64_t elements = 1, windows = 1, planes = 1;
  for (size_t d = 0; d < dims; ++d) {
    const size_t at = static_cast<size_t>(self.dim) - dims + d;
    axes[3 - dims + d] = {self.sizes[at], values.sizes[at]};
    elements *= self.sizes[at], windows *= values.sizes[at];
  }
  for (size_t d = 0; d + dims < static_cast<size_t>(self.dim); ++d) planes *= self.sizes[d];
  parallel_for(0, planes, grain(kAdaptiveMaxCost, elements), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p)
      for (int64_t w = 0; w < windows; ++w) {
        const int64_t o[3] = {w / (axes[1].out * axes[2].out), w / axes[2].out % axes[1].out, w % axes[2].out};
        take_largest(self.as<T>() + p * elements, axes, o, values.as<T>()[p * windows + w], places.as<int64_t>()[p * windows + w]);
      }
  });
}

}  // namespace

KernelStatus adaptive_max_pool_kernel(KernelCall& call) {
  dispatch(call.args[0].tensor.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T> || is_half<T>) adaptive_max_pool<T>(call);
  });
  return KernelStatus::Ok;
}

}  // namespace monograph
