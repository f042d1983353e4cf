// The windows of a pool along one axis, and the loops over neighbouring windows that the pools over images and over volumes share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/call.h"
#include "kernels/clones.h"
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

struct Widen {
  template <class I>
  [[gnu::always_inline]] static void run(int64_t* __restrict to, const I* __restrict from, int64_t n) {
    for (int64_t x = 0; x < n; ++x) to[x] = from[x];
  }
};

// The rows of the input that one row of windows reads: rows [row_begin, row_end) of each slice in [slice_begin, slice_end). An image is one slice. The numbers of
// slices and rows are those of the taps; only taps inside the input are in these ranges.
template <class T>
struct WindowRows {
  const WindowAxis& w;  // along the row
  const T* data;
  int64_t slice_begin, slice_end, row_begin, row_end;
  int64_t offset, slice_step, row_step,
      column_step;  // where tap (0, 0) begins, and how far the next slice, row and column are, in elements
  int64_t place, slice_place, row_place;  // the same in indices of a contiguous input
  const T* row(int64_t k, int64_t i) const { return data + offset + k * slice_step + i * row_step; }
  // The index of the first element of that row.
  int64_t place_of(int64_t k, int64_t i) const { return place + k * slice_place + i * row_place; }
};

// The windows [x0, x0 + n) of a row: calls tap(from, place, first, count) for each tap in the rows of slice k. The tap updates the windows [first, first + count),
// counted from x0; `from` is what it reads for the first of them, and `place` the index of that element.
template <class T, class F>
[[gnu::always_inline]] inline void for_row_taps(const WindowRows<T>& rows, int64_t k, int64_t x0, int64_t n, F&& tap) {
  const WindowAxis& w = rows.w;
  for (int64_t i = rows.row_begin; i < rows.row_end; ++i)
    for (int64_t j = 0; j < w.kernel; ++j) {
      const int64_t first = std::max(x0, w.first_window(j)), last = std::min(x0 + n, w.last_window(j));
      if (first >= last) continue;
      const int64_t column = w.begin(first) + j * w.dilation;
      tap(rows.row(k, i) + column * rows.column_step, rows.place_of(k, i) + column, first - x0, last - first);
    }
}

// The largest element of each window of a row, and its index if `at` is not null. I holds every index.
template <class T, class I>
void largest_of_row(const WindowRows<T>& rows, T* to, int64_t step, int64_t* at, int64_t place_step) {
  using W = OpMathType<T>;
  const WindowAxis& w = rows.w;
  for (int64_t x0 = 0; x0 < w.out; x0 += kWindowChunk) {
    const int64_t n = std::min(kWindowChunk, w.out - x0);
    W best[kWindowChunk];
    I index[kWindowChunk];
    const int64_t begin = rows.place_of(rows.slice_begin, rows.row_begin);
    for (int64_t x = 0; x < n; ++x) {
      best[x] = least<W>();
      index[x] = static_cast<I>(begin + w.begin(x0 + x) + w.first_tap(x0 + x) * w.dilation);
    }
    for (int64_t k = rows.slice_begin; k < rows.slice_end; ++k)
      for_row_taps(rows, k, x0, n, [&](const T* from, int64_t place, int64_t first, int64_t count) {
        run_clone<TakeLarger>(best + first, index + first, from, count, w.stride * rows.column_step, static_cast<I>(place),
                              static_cast<I>(w.stride));
      });
    for (int64_t x = 0; x < n; ++x) to[(x0 + x) * step] = T(best[x]);
    if (!at) continue;
    if (place_step == 1) run_clone<Widen>(at + x0, static_cast<const I*>(index), n);
    else
      for (int64_t x = 0; x < n; ++x) at[(x0 + x) * place_step] = index[x];
  }
}

}  // namespace monograph
