// Threads share the rows of windows. In a long row each tap updates all windows; in a short row one window is computed after another.
#include "kernels/volume_pools.h"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "core/threads/pool.h"
#include "kernels/clones.h"
#include "kernels/element_types.h"
#include "kernels/grain.h"
#include "kernels/pool_windows.h"

namespace monograph {
namespace {

constexpr int64_t kVolumePoolCost = 4;  // instructions for an element that is read

// The volumes of a tensor, numbered through its leading dims: none, or a batch and channels.
template <class T>
struct Volumes {
  T* data;
  int64_t count = 1, channels = 1, per_batch = 0, per_channel = 0;
  std::array<int64_t, 3> stride;
  explicit Volumes(const KernelTensor& t) : data(reinterpret_cast<T*>(t.data)) {
    const int32_t lead = t.dim - 3;
    for (int32_t d = 0; d < 3; ++d) stride[static_cast<size_t>(d)] = t.strides[lead + d];
    for (int32_t d = 0; d < lead; ++d) count *= t.sizes[d];
    if (lead > 0) channels = t.sizes[lead - 1], per_channel = t.strides[lead - 1];
    if (lead > 1) per_batch = t.strides[0];
  }
  T* volume(int64_t v) const { return data + v / channels * per_batch + v % channels * per_channel; }
  T* row(int64_t v, int64_t z, int64_t y) const { return volume(v) + z * stride[0] + y * stride[1]; }
};

using Axes = std::array<WindowAxis, 3>;

Axes axes_of(const KernelCall& call, bool dilated) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  Axes axes;
  for (int32_t d = 0; d < 3; ++d)
    axes[static_cast<size_t>(d)] =
        axis_of(call.args + 1, static_cast<size_t>(d), self.sizes[self.dim - 3 + d], out.sizes[out.dim - 3 + d], dilated);
  return axes;
}

// Calls f(volume, z, y) for each row of windows, on the pool.
template <class F>
void for_window_rows(int64_t volumes, const Axes& a, F&& f) {
  const int64_t taps = a[0].kernel * a[1].kernel * a[2].kernel, rows = a[0].out * a[1].out;
  share_steps(kVolumePoolCost, volumes * rows, std::max<int64_t>(1, taps * a[2].out), [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) f(at / rows, at % rows / a[1].out, at % a[1].out);
  });
}

// The rows of volume v that row (z, y) of the windows reads.
template <class T>
WindowRows<T> rows_of(const Axes& a, const Volumes<const T>& from, int64_t v, int64_t z, int64_t y) {
  const auto [slice, row, column] = from.stride;
  return {.w = a[2],
          .data = from.volume(v),
          .slice_begin = a[0].first_tap(z),
          .slice_end = a[0].last_tap(z),
          .row_begin = a[1].first_tap(y),
          .row_end = a[1].last_tap(y),
          .offset = a[0].begin(z) * slice + a[1].begin(y) * row,
          .slice_step = a[0].dilation * slice,
          .row_step = a[1].dilation * row,
          .column_step = column,
          .place = (a[0].begin(z) * a[1].size + a[1].begin(y)) * a[2].size,
          .slice_place = a[0].dilation * a[1].size * a[2].size,
          .row_place = a[1].dilation * a[2].size};
}

template <class T>
void max_of_few(const WindowRows<T>& taps, T* to, int64_t step, int64_t* at, int64_t place_step) {
  using W = OpMathType<T>;
  const WindowAxis& w = taps.w;
  for (int64_t x = 0; x < w.out; ++x) {
    const int64_t left = w.first_tap(x), right = w.last_tap(x), column = w.begin(x) + left * w.dilation;
    const int64_t each = w.dilation * taps.column_step;
    W best = least<W>();
    int64_t index = taps.place_of(taps.slice_begin, taps.row_begin) + column;
    for (int64_t k = taps.slice_begin; k < taps.slice_end; ++k)
      for (int64_t i = taps.row_begin; i < taps.row_end; ++i) {
        const T* from = taps.row(k, i) + column * taps.column_step;
        int64_t place = taps.place_of(k, i) + column;
        for (int64_t j = left; j < right; ++j, from += each, place += w.dilation) {
          const W value = static_cast<W>(*from);
          const bool wins = (value > best) | (value != value);
          best = wins ? value : best, index = wins ? place : index;
        }
      }
    to[x * step] = T(best);
    if (at) at[x * place_step] = index;
  }
}

template <class T>
void max_pool(KernelCall& call) {
  const Axes a = axes_of(call, true);
  const Volumes<const T> from(call.args[0].tensor);
  const Volumes<T> values(call.results[0]);
  const bool indexed = call.result_count > 1;
  const Volumes<int64_t> places(call.results[indexed ? 1 : 0]);
  const bool small = a[0].size * a[1].size * a[2].size < std::numeric_limits<int32_t>::max();
  for_window_rows(values.count, a, [&](int64_t v, int64_t z, int64_t y) {
    const WindowRows<T> taps = rows_of<T>(a, from, v, z, y);
    T* to = values.row(v, z, y);
    int64_t* at = indexed ? places.row(v, z, y) : nullptr;
    if (a[2].out < kFewWindows) max_of_few<T>(taps, to, values.stride[2], at, places.stride[2]);
    else if (small) largest_of_row<T, int32_t>(taps, to, values.stride[2], at, places.stride[2]);
    else largest_of_row<T, int64_t>(taps, to, values.stride[2], at, places.stride[2]);
  });
}

// The number of elements that a window counts along an axis.
int64_t counted(const WindowAxis& a, int64_t o, bool with_padding) {
  const int64_t begin = a.begin(o), end = std::min(begin + a.kernel, a.size + a.padding);
  return with_padding ? end - begin : std::min(end, a.size) - std::max<int64_t>(begin, 0);
}

// W is the type of the sums. Those of integers wrap.
template <class T, class W>
void sums_of_few(const WindowRows<T>& taps, W* sums) {
  const WindowAxis& w = taps.w;
  for (int64_t x = 0; x < w.out; ++x) {
    const int64_t left = w.first_tap(x), right = w.last_tap(x);
    W sum = 0;
    for (int64_t k = taps.slice_begin; k < taps.slice_end; ++k) {
      W slice = 0;
      for (int64_t i = taps.row_begin; i < taps.row_end; ++i) {
        const T* row = taps.row(k, i) + w.begin(x) * taps.column_step;
        for (int64_t j = left; j < right; ++j) slice += static_cast<W>(row[j * taps.column_step]);
      }
      sum += slice;
    }
    sums[x] = sum;
  }
}

template <class T, class W>
void sums_of_row(const WindowRows<T>& taps, int64_t x0, int64_t n, W* sums) {
  W slice[kWindowChunk];
  std::fill_n(sums, n, W(0));
  for (int64_t k = taps.slice_begin; k < taps.slice_end; ++k) {
    std::fill_n(slice, n, W(0));
    for_row_taps(taps, k, x0, n, [&](const T* from, int64_t, int64_t first, int64_t count) {
      run_clone<AddUp>(slice + first, from, count, taps.w.stride * taps.column_step);
    });
    run_clone<AddUp>(sums, static_cast<const W*>(slice), n, int64_t{1});
  }
}

template <class T>
void avg_pool(KernelCall& call) {
  using W = std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>;
  const Axes a = axes_of(call, false);
  const Volumes<const T> from(call.args[0].tensor);
  const Volumes<T> means(call.results[0]);
  const bool with_padding = call.args[5].boolean, few = a[2].out < kFewWindows;
  const int64_t stated = call.args[6].none() ? 0 : call.args[6].integer;
  for_window_rows(means.count, a, [&](int64_t v, int64_t z, int64_t y) {
    const WindowRows<T> taps = rows_of<T>(a, from, v, z, y);
    const int64_t rows = counted(a[0], z, with_padding) * counted(a[1], y, with_padding);
    T* to = means.row(v, z, y);
    W sums[kWindowChunk];
    for (int64_t x0 = 0; x0 < a[2].out; x0 += kWindowChunk) {
      const int64_t n = std::min(kWindowChunk, a[2].out - x0);
      if (few) sums_of_few<T, W>(taps, sums);
      else sums_of_row<T, W>(taps, x0, n, sums);
      for (int64_t x = 0; x < n; ++x) {
        const int64_t divisor = stated ? stated : rows * counted(a[2], x0 + x, with_padding);
        to[(x0 + x) * means.stride[2]] = static_cast<T>(sums[x]) / static_cast<T>(divisor);
      }
    }
  });
}

}  // namespace

KernelStatus max_volume_pool_kernel(KernelCall& call) {
  dispatch(call.args[0].tensor.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_convertible_v<T, float> && !std::is_same_v<T, bool>) max_pool<T>(call);
  });
  return KernelStatus::Ok;
}

KernelStatus avg_volume_pool_kernel(KernelCall& call) {
  dispatch(call.args[0].tensor.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, int64_t>) avg_pool<T>(call);
  });
  return KernelStatus::Ok;
}

}  // namespace monograph
