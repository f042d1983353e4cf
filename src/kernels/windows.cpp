// Threads share the elements of the result (unfold_backward) or the planes (fractional pooling), so that no two threads write the same element.
#include "kernels/windows.h"

#include <algorithm>
#include <array>
#include <complex>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/threads/pool.h"
#include "kernels/element_types.h"
#include "kernels/grain.h"

namespace monograph {
namespace {

constexpr int64_t kWindowCost = 2;  // instructions for each element that is read

struct Slides {
  int64_t outer = 1, n = 1, inner = 1, size, step, windows;
  explicit Slides(const KernelCall& call) : size(call.args[3].integer), step(call.args[4].integer) {
    const KernelTensor& out = call.results[0];
    const int64_t dim = call.args[2].integer;
    for (int32_t d = 0; d < out.dim; ++d) (d < dim ? outer : d > dim ? inner : n) *= out.sizes[d];
    windows = n < size ? 0 : (n - size) / step + 1;
  }
};

template <class T>
void add_windows(const KernelCall& call) {
  using W = OpMathType<T>;
  const Slides s(call);
  const T* grad = call.args[0].tensor.as<T>();
  T* out = call.results[0].as<T>();
  const int64_t each = s.inner * std::max<int64_t>(1, s.size / s.step);
  parallel_for(0, s.outer * s.n, grain(kWindowCost, each), [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const int64_t o = at / s.n, i = at % s.n;
      const int64_t first = i < s.size ? 0 : (i - s.size) / s.step + 1, last = std::min(s.windows - 1, i / s.step);
      for (int64_t k = 0; k < s.inner; ++k) {
        W sum = 0;
        for (int64_t w = first; w <= last; ++w) sum += static_cast<W>(grad[((o * s.windows + w) * s.inner + k) * s.size + i - w * s.step]);
        out[at * s.inner + k] = T(sum);
      }
    }
  });
}

// Computes the first element of each window along one dim.
template <class W>
struct RandomWindows {
  int64_t size = 1, out = 1, kernel = 1;
  W sample = 0, alpha = 0;
  int64_t shift = 0;
  RandomWindows() = default;
  RandomWindows(int64_t size, int64_t out, int64_t kernel, W sample)
      : size(size),
        out(out),
        kernel(kernel),
        sample(sample),
        alpha(out == 1 ? W{0} : static_cast<W>(size - kernel) / static_cast<W>(out - 1)),
        shift(static_cast<int64_t>(sample * alpha)) {}
  int64_t begin(int64_t i) const {
    return i == out - 1 ? size - kernel : static_cast<int64_t>((static_cast<W>(i) + sample) * alpha) - shift;
  }
};

// The largest element of the window at (z0, y0, x0) and its place. The choice has no branch, because which element is the largest cannot be foreseen.
template <class W, class T>
std::pair<W, int64_t> largest_in_window(const T* image, const std::array<RandomWindows<W>, 3>& axes, int64_t z0, int64_t y0, int64_t x0) {
  const auto& [depth, height, width] = axes;
  int64_t best = (z0 * height.size + y0) * width.size + x0;
  W most = -std::numeric_limits<W>::infinity();
  for (int64_t z = z0; z < z0 + depth.kernel; ++z)
    for (int64_t y = y0; y < y0 + height.kernel; ++y) {
      const int64_t row = (z * height.size + y) * width.size;
      for (int64_t x = x0; x < x0 + width.kernel; ++x) {
        const W element = static_cast<W>(image[row + x]);
        const bool larger = static_cast<int>(element > most) | static_cast<int>(element != element);
        most = larger ? element : most, best = larger ? row + x : best;
      }
    }
  return {most, best};
}

template <class T>
void fractional_pool(const KernelCall& call) {
  using W = OpMathType<T>;
  const KernelTensor &self = call.args[0].tensor, &values = call.results[0], &places = call.results[1];
  const auto dims = call.args[1].ints.count;
  const auto lead = static_cast<size_t>(self.dim) - dims;
  int64_t plane = 1, planes = 1;
  for (size_t d = 0; d < dims; ++d) plane *= self.sizes[lead + d];
  for (size_t d = 0; d < lead; ++d) planes *= self.sizes[d];
  constexpr int64_t kElementCost = 8;  // as kWindowCost, with a comparison
  parallel_for(0, planes, grain(kElementCost, plane), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const T* image = self.as<T>() + p * plane;
      const T* samples = call.args[3].tensor.as<T>() + p * static_cast<int64_t>(dims);
      std::array<RandomWindows<W>, 3> axes;
      for (size_t d = 0; d < dims; ++d)
        axes[3 - dims + d] = {self.sizes[lead + d], values.sizes[lead + d], call.args[1].ints.values[d],
                              static_cast<W>(samples[dims == 2 ? 1 - d : d])};
      const auto& [depth, height, width] = axes;
      int64_t at = p * depth.out * height.out * width.out;
      for (int64_t z = 0; z < depth.out; ++z)
        for (int64_t y = 0; y < height.out; ++y) {
          const int64_t z0 = depth.begin(z), y0 = height.begin(y);
          for (int64_t x = 0; x < width.out; ++x, ++at) {
            const auto [most, best] = largest_in_window<W>(image, axes, z0, y0, width.begin(x));
            values.as<T>()[at] = T(most), places.as<int64_t>()[at] = best;
          }
        }
    }
  });
}

}  // namespace

KernelStatus unfold_backward_kernel(KernelCall& call) {
  dispatch(call.results[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_integral_v<T>) add_windows<T>(call);
  });
  return KernelStatus::Ok;
}

KernelStatus fractional_max_pool_kernel(KernelCall& call) {
  dispatch(call.args[0].tensor.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T> || is_half<T>) fractional_pool<T>(call);
  });
  return KernelStatus::Ok;
}

}  // namespace monograph
