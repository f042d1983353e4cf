// The windows of a pool along one axis, and the loops over neighbouring windows that the pools over images and over volumes share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/call.h"
#include "kernels/number.h"
#include "kernels/round.h"

namespace monograph {

constexpr int64_t kWindowChunk = 256;  // outputs of a row that are computed together
constexpr int64_t kFewWindows = 8;  // rows with fewer windows are computed one window at a time

// The windows along one axis.
struct WindowAxis {
  int64_t size, out, kernel, stride, padding, dilation;
  int64_t begin(int64_t o) const { return o * stride - padding; }
  // The taps [first, last) of window o that are inside the image.
  int64_t first_tap(int64_t o) const { return begin(o) >= 0 ? 0 : taps_in(-begin(o)); }
  int64_t last_tap(int64_t o) const { return std::min(kernel, taps_in(size - begin(o))); }
  // The same for this number of elements. A division would be a large part of a row of small windows.
  int64_t taps_in(int64_t elements) const { return dilation == 1 ? elements : divide_up(elements, dilation); }
  // The windows [first, last) whose tap k is inside the image.
  int64_t first_window(int64_t k) const { return std::clamp<int64_t>((padding - k * dilation + stride - 1) / stride, 0, out); }
  int64_t last_window(int64_t k) const {
    const int64_t room = size + padding - k * dilation;
    return room <= 0 ? 0 : std::clamp<int64_t>(divide_up(room, stride), 0, out);
  }
};

// Reads the arguments kernel_size, stride, padding from position `at` on, and dilation if there is one.
inline WindowAxis axis_of(const KernelArg* at, size_t k, int64_t size, int64_t out, bool dilated) {
  const int64_t kernel = entry(at[0], k);
  return {size, out, kernel, at[1].ints.count == 0 ? kernel : entry(at[1], k), entry(at[2], k), dilated ? entry(at[3], k) : 1};
}

// Updates `n` neighbouring windows with one tap: the larger element wins, and a NaN wins over all.
struct TakeLarger {
  template <class W, class T, class I>
  [[gnu::always_inline]] static void run(W* __restrict best, I* __restrict index, const T* __restrict from, int64_t n, int64_t step,
                                         I place, I stride) {
    if (step == 1) each(best, index, from, n, std::integral_constant<int64_t, 1>(), place, stride);
    else if (step == 2) each(best, index, from, n, std::integral_constant<int64_t, 2>(), place, stride);
    else each(best, index, from, n, step, place, stride);
  }
  template <class W, class T, class I, class Step>
  [[gnu::always_inline]] static void each(W* __restrict best, I* __restrict index, const T* __restrict from, int64_t n, Step step, I place,
                                          I stride) {
    for (int64_t x = 0; x < n; ++x) {
      const W value = static_cast<W>(from[x * step]);
      const bool wins = (value > best[x]) | (value != value);
      best[x] = wins ? value : best[x];
      index[x] = wins ? static_cast<I>(place + static_cast<I>(x) * stride) : index[x];
    }
  }
};

template <class W>
constexpr W least() {
  if constexpr (std::is_floating_point_v<W>) return -std::numeric_limits<W>::infinity();
  else return std::numeric_limits<W>::lowest();
}

// The larger of both; NaN if one is NaN.
template <class W>
[[gnu::always_inline]] inline W larger(W value, W best) {
  return (value > best) | (value != value) ? value : best;
}

// Adds one tap to the sums of `n` neighbouring windows.
struct AddUp {
  template <class W, class T>
  [[gnu::always_inline]] static void run(W* __restrict sum, const T* __restrict from, int64_t n, int64_t step) {
    if (step == 1)
      for (int64_t x = 0; x < n; ++x) sum[x] += static_cast<W>(from[x]);
    else if (step == 2)
      for (int64_t x = 0; x < n; ++x) sum[x] += static_cast<W>(from[2 * x]);
    else
      for (int64_t x = 0; x < n; ++x) sum[x] += static_cast<W>(from[x * step]);
  }
};

}  // namespace monograph
