// Threads share the planes; the windows of a plane are computed in order.
#include "kernels/pooling.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/threads/pool.h"
#include "kernels/clones.h"
#include "kernels/element_types.h"
#include "kernels/grain.h"
#include "kernels/number.h"
#include "kernels/pool_windows.h"
#include "kernels/row_sum.h"

namespace monograph {

namespace {

constexpr int64_t kPoolCost = 2;  // instructions for an element that is read

// The planes of a tensor, numbered through its leading dims.
template <class T>
struct Planes {
  const KernelTensor& t;
  int64_t row, column;  // strides
  int64_t step = 0;  // the stride between planes, if it is the same everywhere: one multiplication in place of two divisions for each dim
  bool even = true;
  explicit Planes(const KernelTensor& t) : t(t), row(t.strides[t.dim - 2]), column(t.strides[t.dim - 1]) {
    int64_t spanned = 1;
    for (int32_t d = t.dim - 3; d >= 0; --d) {
      if (t.sizes[d] == 1) continue;
      if (spanned == 1) step = t.strides[d];
      even = even && t.strides[d] == spanned * step;
      spanned *= t.sizes[d];
    }
  }
  int64_t count() const {
    int64_t n = 1;
    for (int32_t d = 0; d < t.dim - 2; ++d) n *= t.sizes[d];
    return n;
  }
  T* plane(int64_t index) const {
    if (even) return t.as<T>() + index * step;
    int64_t offset = 0;
    for (int32_t d = t.dim - 3; d >= 0; index /= t.sizes[d--]) offset += index % t.sizes[d] * t.strides[d];
    return t.as<T>() + offset;
  }
};

// The maxima of `n` neighbouring windows whose taps are all inside the image; without indices.
struct LargestOfWindows {
  template <class T>
  [[gnu::always_inline]] static void run(T* __restrict to, const T* __restrict from, int64_t n, int64_t step, int64_t rows,
                                         int64_t row_step, int64_t taps, int64_t tap_step) {
    using W = OpMathType<T>;
    // Stride 2: a row is split into its even and its odd elements, which are then contiguous.
    const int64_t reach = (taps - 1) * tap_step;
    const bool splits = std::is_floating_point_v<T> && step == 2 && reach < kReach;
    W best[kBlock], halves[2][kBlock + kReach] = {};
    for (int64_t x = 0; x < n; x += kBlock) {
      const int64_t count = std::min(kBlock, n - x);
      for (W& b : best) b = least<W>();
      for (int64_t i = 0; i < rows; ++i) {
        const T* row = from + x * step + i * row_step;
        if (splits) {
          split(halves[0], halves[1], row, 2 * count - 1 + reach);
          auto half = [&](int64_t tap) { return halves[tap * tap_step % 2] + tap * tap_step / 2; };
          int64_t j = 0;
          for (; j + 3 <= taps; j += 3) take_three(best, half(j), half(j + 1), half(j + 2));
          for (; j < taps; ++j) take_block(best, half(j));
          continue;
        }
        for (int64_t j = 0, at = 0; j < taps; ++j, at += tap_step)
          if (step == 1) take(best, row + at, count, std::integral_constant<int64_t, 1>());
          else take(best, row + at, count, step);
      }
      for (int64_t k = 0; k < count; ++k) to[x + k] = T(best[k]);
    }
  }

 private:
  static constexpr int64_t kBlock = 64, kReach = 32;
  template <class W, class T>
  [[gnu::always_inline]] static void split(W* __restrict even, W* __restrict odd, const T* __restrict from, int64_t n) {
    for (int64_t k = 0; k < n / 2; ++k) even[k] = static_cast<W>(from[2 * k]), odd[k] = static_cast<W>(from[2 * k + 1]);
    if (n % 2) even[n / 2] = static_cast<W>(from[n - 1]);
  }
  // Computes a whole block; its last outputs may belong to no window.
  template <class W>
  [[gnu::always_inline]] static void take_block(W* __restrict best, const W* __restrict from) {
    for (int64_t k = 0; k < kBlock; ++k) best[k] = larger(from[k], best[k]);
  }
  template <class W>
  [[gnu::always_inline]] static void take_three(W* __restrict best, const W* __restrict a, const W* __restrict b, const W* __restrict c) {
    for (int64_t k = 0; k < kBlock; ++k) best[k] = larger(c[k], larger(b[k], larger(a[k], best[k])));
  }
  template <class W, class T, class Step>
  [[gnu::always_inline]] static void take(W* __restrict best, const T* __restrict from, int64_t n, Step step) {
    for (int64_t k = 0; k < n; ++k) best[k] = larger(static_cast<W>(from[k * step]), best[k]);
  }
};

struct Divide {
  template <class W>
  [[gnu::always_inline]] static void run(W* __restrict sum, const W* __restrict divisor, int64_t n) {
    for (int64_t x = 0; x < n; ++x) sum[x] /= divisor[x];
  }
};

// Calls f(plane, first row of windows, last) for all planes and rows, on the pool.
template <class F>
void for_rows(int64_t planes, const WindowAxis& h, const WindowAxis& w, F&& f) {
  constexpr int64_t kFewWindows = 16, kCostOfFew = 4 * kPoolCost;  // a row of few windows fills no vector
  const int64_t cost = w.out < kFewWindows ? kCostOfFew : kPoolCost;
  parallel_for(0, planes * h.out, grain(cost, h.kernel * w.kernel * w.out), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin / h.out; begin < end; ++plane) {
      const int64_t stop = std::min(end, (plane + 1) * h.out);
      f(plane, begin - plane * h.out, stop - plane * h.out);
      begin = stop;
    }
  });
}

// The taps of each window that are inside the image, if a row has few windows.
struct Columns {
  explicit Columns(const WindowAxis& w) {
    for (int64_t x = 0; x < w.out && x < kFewWindows; ++x) first[x] = w.first_tap(x), last[x] = w.last_tap(x);
  }
  int64_t first[kFewWindows], last[kFewWindows];
};

// Calls tap(element, index) for the taps of window x that are inside the image, in rows of taps [top, bottom) of window row y.
template <class T, class F>
[[gnu::always_inline]] inline void for_taps(const T* image, const Planes<T>& from, const WindowAxis& h, const WindowAxis& w, int64_t y,
                                            int64_t x, int64_t top, int64_t bottom, const Columns& columns, F&& tap) {
  const int64_t left = columns.first[x], taps = columns.last[x] - left, step = w.dilation * from.column;
  int64_t row = h.begin(y) + top * h.dilation;
  const int64_t column = w.begin(x) + left * w.dilation;
  if (taps == 2 && bottom - top == 2) {  // the most common window, without a loop
    const T* at = image + row * from.row + column * from.column;
    const T* below = at + h.dilation * from.row;
    const int64_t place = row * w.size + column, place_below = place + h.dilation * w.size;
    tap(at[0], place), tap(at[step], place + w.dilation), tap(below[0], place_below), tap(below[step], place_below + w.dilation);
    return;
  }
  for (int64_t i = top; i < bottom; ++i, row += h.dilation) {
    const T* at = image + row * from.row + column * from.column;
    int64_t place = row * w.size + column;
    for (int64_t j = 0; j < taps; ++j, at += step, place += w.dilation) tap(*at, place);
  }
}

// The rows of an image that row y of the windows reads.
template <class T>
WindowRows<T> rows_of(const T* image, const Planes<T>& from, const WindowAxis& h, const WindowAxis& w, int64_t y) {
  return {.w = w,
          .data = image,
          .slice_begin = 0,
          .slice_end = 1,
          .row_begin = h.first_tap(y),
          .row_end = h.last_tap(y),
          .offset = h.begin(y) * from.row,
          .slice_step = 0,
          .row_step = h.dilation * from.row,
          .column_step = from.column,
          .place = h.begin(y) * w.size,
          .slice_place = 0,
          .row_place = h.dilation * w.size};
}

// The maxima of a row with few windows: one after another.
template <class T>
void max_pool_few(const T* image, const Planes<T>& from, const WindowAxis& h, const WindowAxis& w, const Columns& columns, int64_t y, T* to,
                  int64_t step, int64_t* at, int64_t place_step) {
  using W = OpMathType<T>;
  const int64_t top = h.first_tap(y), bottom = h.last_tap(y);
  for (int64_t x = 0; x < w.out; ++x) {
    W best = least<W>();
    int64_t index = (h.begin(y) + top * h.dilation) * w.size + w.begin(x) + columns.first[x] * w.dilation;
    for_taps(image, from, h, w, y, x, top, bottom, columns, [&](T element, int64_t place) {
      const W value = static_cast<W>(element);
      const bool wins = (value > best) | (value != value);
      best = wins ? value : best, index = wins ? place : index;
    });
    to[x * step] = T(best);
    if (at) at[x * place_step] = index;
  }
}

// A contiguous row of maxima without indices.
template <class T>
void max_pool_values(const T* image, const Planes<T>& from, const WindowAxis& h, const WindowAxis& w, int64_t y, T* to) {
  using W = OpMathType<T>;
  const int64_t top = h.first_tap(y), rows = std::max<int64_t>(0, h.last_tap(y) - top);
  const T* at = image + (h.begin(y) + top * h.dilation) * from.row;
  const int64_t row_step = h.dilation * from.row, tap_step = w.dilation * from.column;
  // The windows whose taps are all inside the image.
  const int64_t first = w.first_window(0), last = std::max(first, w.last_window(w.kernel - 1));
  auto one = [&](int64_t x) {
    W best = least<W>();
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = w.first_tap(x); j < w.last_tap(x); ++j)
        best = larger(static_cast<W>(at[i * row_step + w.begin(x) * from.column + j * tap_step]), best);
    to[x] = T(best);
  };
  for (int64_t x = 0; x < first; ++x) one(x);
  if (first < last)
    run_clone<LargestOfWindows>(to + first, at + w.begin(first) * from.column, last - first, w.stride * from.column, rows, row_step,
                                w.kernel, tap_step);
  for (int64_t x = last; x < w.out; ++x) one(x);
}

template <class T, class I>
void max_pool(KernelCall& call, const WindowAxis& h, const WindowAxis& w) {
  const Planes<T> from(call.args[0].tensor), values(call.results[0]);
  const bool places = call.result_count > 1;
  const Planes<int64_t> indices(call.results[places ? 1 : 0]);
  const Columns columns(w);
  for_rows(from.count(), h, w, [&](int64_t plane, int64_t begin, int64_t end) {
    const T* image = from.plane(plane);
    T* to = values.plane(plane);
    int64_t* at = places ? indices.plane(plane) : nullptr;
    for (int64_t y = begin; y < end; ++y) {
      T* row = to + y * values.row;
      int64_t* row_at = at ? at + y * indices.row : nullptr;
      if (w.out < kFewWindows) max_pool_few(image, from, h, w, columns, y, row, values.column, row_at, indices.column);
      else if (!at && values.column == 1) max_pool_values(image, from, h, w, y, row);
      else largest_of_row<T, I>(rows_of<T>(image, from, h, w, y), row, values.column, row_at, indices.column);
    }
  });
}

// Maxima of `n` neighbouring windows of a contiguous line, in several lines, if all their taps are inside.
struct LargestOfLines {
  template <class T>
  [[gnu::always_inline]] static void run(T* to, int64_t to_step, const T* from, int64_t from_step, int64_t lines, int64_t n, int64_t step,
                                         int64_t taps) {
    for (int64_t line = 0; line < lines; ++line, to += to_step, from += from_step)
      if (step == 1) each(to, from, n, std::integral_constant<int64_t, 1>(), taps);
      else if (step == 2) each(to, from, n, std::integral_constant<int64_t, 2>(), taps);
      else each(to, from, n, step, taps);
  }

 private:
  template <class T, class Step>
  [[gnu::always_inline]] static void each(T* __restrict to, const T* __restrict from, int64_t n, Step step, int64_t taps) {
    if (taps == 1)
      for (int64_t x = 0; x < n; ++x) to[x] = from[x * step];
    else
      for (int64_t x = 0; x < n; ++x) to[x] = larger(from[x * step + 1], from[x * step]);
    for (int64_t j = 2; j < taps; ++j)
      for (int64_t x = 0; x < n; ++x) to[x] = larger(from[x * step + j], to[x]);
  }
};

// Maxima without indices of contiguous lines of numbers, all of which are computed by one call of the loop.
template <class T>
bool max_pool_lines(KernelCall& call, const WindowAxis& w) {
  const Planes<T> from(call.args[0].tensor), to(call.results[0]);
  const bool fits = call.result_count == 1 && from.column == 1 && to.column == 1 && from.even && to.even && w.dilation == 1;
  if (!fits || w.padding != 0 || (w.out - 1) * w.stride + w.kernel > w.size) return false;
  share_steps(kPoolCost, from.count(), w.kernel * w.out, [&](int64_t begin, int64_t end) {
    run_clone<LargestOfLines>(to.plane(begin), to.step, static_cast<const T*>(from.plane(begin)), from.step, end - begin, w.out, w.stride,
                              w.kernel);
  });
  return true;
}

// A line as an image of one row.
struct OneRow {
  explicit OneRow(const KernelTensor& line) : image(line) {
    for (int32_t d = 0; d < line.dim; ++d) {
      const int32_t to = d == line.dim - 1 ? d + 1 : d;
      sizes[to] = line.sizes[d], strides[to] = line.strides[d];
    }
    sizes[line.dim - 1] = 1, strides[line.dim - 1] = 0;
    image.sizes = sizes, image.strides = strides, ++image.dim;
  }
  OneRow(const OneRow&) = delete;
  KernelTensor image;
  int64_t sizes[4], strides[4];
};

// The divisor of a window's mean.
struct Divisors {
  Divisors(const KernelArg* at, const WindowAxis& h, const WindowAxis& w)
      : h(h), w(w), include(at[4].boolean), stated(at[5].none() ? 0 : at[5].integer) {}
  int64_t rows(int64_t y) const { return part(h, y); }
  int64_t operator()(int64_t rows, int64_t x) const { return stated ? stated : rows * part(w, x); }
  int64_t part(const WindowAxis& a, int64_t o) const {
    if (include) return std::min(a.begin(o) + a.kernel, a.size + a.padding) - a.begin(o);
    return a.last_tap(o) - a.first_tap(o);
  }
  const WindowAxis &h, &w;
  bool include;
  int64_t stated;
};

template <class T>
void avg_pool_row(const T* image, const Planes<T>& from, const Divisors& divisors, int64_t y, T* to, int64_t step) {
  using W = OpMathType<T>;
  const WindowAxis &h = divisors.h, &w = divisors.w;
  const int64_t rows = divisors.rows(y);
  const WindowRows<T> taps = rows_of<T>(image, from, h, w, y);
  for (int64_t x0 = 0; x0 < w.out; x0 += kWindowChunk) {
    const int64_t n = std::min(kWindowChunk, w.out - x0);
    W sum[kWindowChunk], divisor[kWindowChunk];
    for (int64_t x = 0; x < n; ++x) sum[x] = 0, divisor[x] = static_cast<W>(divisors(rows, x0 + x));
    for_row_taps(taps, 0, x0, n, [&](const T* at, int64_t, int64_t first, int64_t count) {
      run_clone<AddUp>(sum + first, at, count, w.stride * from.column);
    });
    run_clone<Divide>(static_cast<W*>(sum), static_cast<const W*>(divisor), n);
    for (int64_t x = 0; x < n; ++x) to[(x0 + x) * step] = T(sum[x]);
  }
}

using Four = float __attribute__((vector_size(16)));
Four load_four(const float* at) {
  Four v;
  std::memcpy(&v, at, sizeof v);
  return v;
}

// The sums of four neighbouring 2 x 2 windows of stride 2, from the rows `above` and `below`, with the bits of one sum after another.
// Such windows have the same divisor.
void four_means(const float* above, const float* below, float divisor, float* to) {
  Four sum = {};
  for (const float* row : {above, below}) {
    const Four left = load_four(row), right = load_four(row + 4);
    sum += __builtin_shufflevector(left, right, 0, 2, 4, 6);
    sum += __builtin_shufflevector(left, right, 1, 3, 5, 7);
  }
  sum /= divisor;
  std::memcpy(to, &sum, sizeof sum);
}

// The same for a row with few windows: one after another.
template <class T>
void avg_pool_few(const T* image, const Planes<T>& from, const WindowAxis& h, const WindowAxis& w, const Columns& columns, int64_t y,
                  const OpMathType<T>* divisor, T* to, int64_t step) {
  using W = OpMathType<T>;
  const int64_t top = h.first_tap(y), bottom = h.last_tap(y);
  int64_t first = 0;
  if constexpr (std::is_same_v<T, float>) {
    const bool halves = w.kernel == 2 && w.stride == 2 && w.padding == 0 && bottom - top == 2 && from.column == 1 && step == 1;
    const float* above = image + (h.begin(y) + top) * from.row;
    for (; halves && first + 4 <= w.out && 2 * (first + 4) <= w.size; first += 4)
      four_means(above + 2 * first, above + from.row + 2 * first, divisor[first], to + first);
  }
  W sums[kFewWindows];
  for (int64_t x = first; x < w.out; ++x) {
    W sum = 0;
    for_taps(image, from, h, w, y, x, top, bottom, columns, [&](T element, int64_t) { sum += static_cast<W>(element); });
    sums[x] = sum;
  }
  for (int64_t x = first; x < w.out; ++x) to[x * step] = T(sums[x] / divisor[x]);
}

template <class T>
void avg_pool(KernelCall& call, const WindowAxis& h, const WindowAxis& w) {
  using W = OpMathType<T>;
  const Planes<T> from(call.args[0].tensor), means(call.results[0]);
  const Divisors divisors(call.args + 1, h, w);
  const Columns columns(w);
  const bool few = w.out < kFewWindows;
  auto divide_by = [&](W* divisor, int64_t rows) {
    for (int64_t x = 0; x < w.out; ++x) divisor[x] = static_cast<W>(divisors(rows, x));
  };
  // Windows with all their rows inside the image, for all planes.
  W whole[kFewWindows];
  if (few) divide_by(whole, h.kernel);
  for_rows(from.count(), h, w, [&](int64_t plane, int64_t begin, int64_t end) {
    const T* image = from.plane(plane);
    T* to = means.plane(plane);
    W part[kFewWindows];  // the sums of windows with `rows` rows
    for (int64_t y = begin, rows = -1; y < end; ++y) {
      T* row = to + y * means.row;
      if (!few) {
        avg_pool_row(image, from, divisors, y, row, means.column);
        continue;
      }
      const int64_t has = divisors.rows(y);
      if (has != h.kernel && has != rows) divide_by(part, rows = has);
      avg_pool_few(image, from, h, w, columns, y, has == h.kernel ? whole : part, row, means.column);
    }
  });
}

// The mean of integers: the quotient is truncated; a window without elements gives 0.
void avg_pool_integers(KernelCall& call, const WindowAxis& h, const WindowAxis& w) {
  const Planes<int64_t> from(call.args[0].tensor), means(call.results[0]);
  const Divisors divisors(call.args + 1, h, w);
  for_rows(from.count(), h, w, [&](int64_t plane, int64_t begin, int64_t end) {
    const int64_t* image = from.plane(plane);
    for (int64_t y = begin; y < end; ++y)
      for (int64_t x = 0; x < w.out; ++x) {
        uint64_t sum = 0;
        for (int64_t i = h.first_tap(y); i < h.last_tap(y); ++i)
          for (int64_t j = w.first_tap(x); j < w.last_tap(x); ++j)
            sum += static_cast<uint64_t>(image[(h.begin(y) + i) * from.row + (w.begin(x) + j) * from.column]);
        const int64_t divisor = divisors(divisors.rows(y), x);
        means.plane(plane)[y * means.row + x * means.column] = divisor ? static_cast<int64_t>(sum) / divisor : 0;
      }
  });
}

template <class T>
void avg_pool_backward(KernelCall& call, const WindowAxis& h, const WindowAxis& w) {
  const Planes<T> grads(call.args[0].tensor), images(call.results[0]);
  const Divisors divisors(call.args + 2, h, w);
  parallel_for(0, images.count(), grain(kPoolCost, h.size * w.size), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      T* image = images.plane(plane);
      const T* grad = grads.plane(plane);
      for (int64_t y = 0; y < h.size; ++y)
        for (int64_t x = 0; x < w.size; ++x) image[y * images.row + x * images.column] = 0;
      for (int64_t y = 0; y < h.out; ++y)
        for (int64_t x = 0, rows = divisors.rows(y); x < w.out; ++x) {
          const T share = grad[y * grads.row + x * grads.column] / static_cast<T>(divisors(rows, x));
          for (int64_t i = h.first_tap(y); i < h.last_tap(y); ++i)
            for (int64_t j = w.first_tap(x); j < w.last_tap(x); ++j)
              image[(h.begin(y) + i) * images.row + (w.begin(x) + j) * images.column] += share;
        }
    }
  });
}

constexpr int64_t kSums = 16, kHalf = 8;  // planes that are summed together, since one sum alone would wait for each addition

// The sums of one window in each of `count` planes.
template <class T, class W, int64_t kCount>
void window_sums(W* sums, const T* const* planes, int64_t row, int64_t column, int64_t y0, int64_t y1, int64_t x0, int64_t x1) {
  W sum[kCount] = {};
  for (int64_t y = y0; y < y1; ++y)
    for (int64_t x = x0; x < x1; ++x)
#pragma GCC unroll 8
      for (int64_t p = 0; p < kCount; ++p) sum[p] += static_cast<W>(planes[p][y * row + x * column]);
  std::copy_n(sum, kCount, sums);
}

// The sums of n contiguous elements of each of kSums planes. Blocks of 4 by 4 elements are transposed, so that a vector holds four planes.
void run_sums(float* sums, const float* const* planes, int64_t at, int64_t n) {
  constexpr int kVectors = kSums / 4;
  Four sum[kVectors] = {};
  int64_t i = at;
  for (; i + 4 <= at + n; i += 4)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const float* const* p = planes + 4 * v;
      const Four a = load_four(p[0] + i), b = load_four(p[1] + i), c = load_four(p[2] + i), d = load_four(p[3] + i);
      const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
      const Four ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      sum[v] += __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
      sum[v] += __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
      sum[v] += __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
      sum[v] += __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7);
    }
  for (; i < at + n; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const float* const* p = planes + 4 * v;
      sum[v] += Four{p[0][i], p[1][i], p[2][i], p[3][i]};
    }
  std::memcpy(sums, sum, sizeof sum);
}

// One window for each plane: the mean over the last two dims, with the bits of that reduction.
template <class T>
void mean_of_planes(KernelCall& call) {
  using W = OpMathType<T>;
  const KernelTensor& self = call.args[0].tensor;
  const Planes<T> from(self), to(call.results[0]);
  const int64_t width = self.sizes[self.dim - 1], n = self.sizes[self.dim - 2] * width;
  const bool one_run = from.column == 1 && (from.row == width || n == width);
  parallel_for(0, from.count(), grain(kPoolCost, n), [&](int64_t begin, int64_t end) {
    if constexpr (std::is_same_v<T, float>)
      if (one_run && from.even && to.even && n <= kInnerBlock)
        return short_row_means({from.plane(0), from.step, from.count()}, n, begin, end, to.plane(0), to.step);
    for (int64_t p = begin; p < end; ++p) {
      const T* plane = from.plane(p);
      *to.plane(p) = T(row_sum<W>(n, [&](int64_t i) { return static_cast<W>(plane[i / width * from.row + i % width * from.column]); }) /
                       static_cast<W>(n));
    }
  });
}

template <class T>
void adaptive_pool(KernelCall& call) {
  using W = OpMathType<T>;
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const Planes<T> from(self), to(out);
  const AdaptiveWindows h{self.sizes[self.dim - 2], out.sizes[out.dim - 2]}, w{self.sizes[self.dim - 1], out.sizes[out.dim - 1]};
  if (h.out == 1 && w.out == 1) return mean_of_planes<T>(call);
  const int64_t groups = (from.count() + kSums - 1) / kSums;
  parallel_for(0, groups, grain(kPoolCost, kSums * h.size * w.size), [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      const int64_t first = group * kSums, count = std::min(kSums, from.count() - first);
      const T* planes[kSums];
      T* results[kSums];
      for (int64_t p = 0; p < count; ++p) planes[p] = from.plane(first + p), results[p] = to.plane(first + p);
      for (int64_t y = 0; y < h.out; ++y)
        for (int64_t x = 0; x < w.out; ++x) {
          const int64_t y0 = h.begin(y), y1 = h.end(y), x0 = w.begin(x), x1 = w.end(x);
          W sums[kSums];
          const bool one_run = from.column == 1 && (y1 - y0 == 1 || from.row == x1 - x0);
          int64_t done = 0;
          if constexpr (std::is_same_v<T, float>)
            if (one_run && count == kSums) {
              run_sums(sums, planes, y0 * from.row + x0, (y1 - y0) * (x1 - x0));
              done = kSums;
            }
          for (; done + kHalf <= count; done += kHalf)
            window_sums<T, W, kHalf>(sums + done, planes + done, from.row, from.column, y0, y1, x0, x1);
          for (; done < count; ++done) window_sums<T, W, 1>(sums + done, planes + done, from.row, from.column, y0, y1, x0, x1);
          const W divisor = static_cast<W>((y1 - y0) * (x1 - x0));
          for (int64_t p = 0; p < count; ++p) results[p][y * to.row + x * to.column] = T(sums[p] / divisor);
        }
    }
  });
}

template <class T>
void adaptive_pool_backward(KernelCall& call) {
  using W = OpMathType<T>;
  const KernelTensor &grad = call.args[0].tensor, &image = call.results[0];
  const Planes<T> grads(grad), images(image);
  const AdaptiveWindows h{image.sizes[image.dim - 2], grad.sizes[grad.dim - 2]}, w{image.sizes[image.dim - 1], grad.sizes[grad.dim - 1]};
  parallel_for(0, images.count(), grain(kPoolCost, h.size * w.size), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      T* to = images.plane(plane);
      const T* from = grads.plane(plane);
      for (int64_t y = 0; y < h.size; ++y)
        for (int64_t x = 0; x < w.size; ++x) {
          W sum = 0;  // the sum over the windows that contain this pixel
          for (int64_t v = y * h.out / h.size; v < h.out && h.begin(v) <= y; ++v)
            for (int64_t u = x * w.out / w.size; u < w.out && w.begin(u) <= x; ++u)
              if (y < h.end(v) && x < w.end(u))
                sum += static_cast<W>(from[v * grads.row + u * grads.column]) /
                       static_cast<W>((h.end(v) - h.begin(v)) * (w.end(u) - w.begin(u)));
          to[y * images.row + x * images.column] = T(sum);
        }
    }
  });
}

struct ScaleAndShift {
  template <class T>
  [[gnu::always_inline]] static void run(T* __restrict to, const T* __restrict from, int64_t n, T mean, T scale, T shift) {
    for (int64_t i = 0; i < n; ++i) to[i] = (from[i] - mean) * scale + shift;
  }
};

// The plane of a channel; its rows are merged if they are contiguous.
template <class T>
void scale_plane(const KernelTensor& in, const KernelTensor& out, const T* from, T* to, int32_t d, T mean, T scale, T shift) {
  int64_t n = 1;
  int32_t last = in.dim;
  while (last > d && (in.sizes[last - 1] == 1 || (in.strides[last - 1] == n && out.strides[last - 1] == n))) n *= in.sizes[--last];
  if (last == d) return run_clone<ScaleAndShift>(to, from, n, mean, scale, shift);
  for (int64_t i = 0; i < in.sizes[d]; ++i)
    scale_plane(in, out, from + i * in.strides[d], to + i * out.strides[d], d + 1, mean, scale, shift);
}

template <class T>
void scale_and_shift(KernelCall& call) {
  const KernelTensor &in = call.args[0].tensor, &out = call.results[0];
  const int64_t channels = in.sizes[1], plane = std::max<int64_t>(1, in.numel() / std::max<int64_t>(1, in.sizes[0] * channels));
  auto parameter = [&](size_t i, int64_t channel) { return call.args[i].tensor.as<T>()[channel * call.args[i].tensor.strides[0]]; };
  parallel_for(0, in.sizes[0] * channels, grain(kPoolCost, plane), [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const int64_t n = at / channels, c = at % channels;
      scale_plane<T>(in, out, in.as<T>() + n * in.strides[0] + c * in.strides[1], out.as<T>() + n * out.strides[0] + c * out.strides[1], 2,
                     parameter(1, c), parameter(2, c), parameter(3, c));
    }
  });
}

WindowAxis axis_of(const KernelTensor& image, const KernelTensor& out, const KernelArg* at, int32_t from_end, bool dilated) {
  const size_t k = static_cast<size_t>(2 - from_end);
  return axis_of(at, k, image.sizes[image.dim - from_end], out.sizes[out.dim - from_end], dilated);
}

}  // namespace

KernelStatus max_pool_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const WindowAxis h = axis_of(self, out, call.args + 1, 2, true), w = axis_of(self, out, call.args + 1, 1, true);
  dispatch(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_convertible_v<T, float> && !std::is_same_v<T, bool>) {
      if (h.size * w.size < std::numeric_limits<int32_t>::max()) max_pool<T, int32_t>(call, h, w);
      else max_pool<T, int64_t>(call, h, w);
    }
  });
  return KernelStatus::Ok;
}

KernelStatus max_line_pool_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const WindowAxis h{1, 1, 1, 1, 0, 1}, w = axis_of(call.args + 1, 0, self.sizes[self.dim - 1], out.sizes[out.dim - 1], true);
  const OneRow image(self), values(out), places(call.results[call.result_count - 1]);
  KernelArg arg;
  arg.kind = KernelArg::Kind::Tensor, arg.tensor = image.image;
  const KernelTensor results[2] = {values.image, places.image};
  KernelCall images;
  images.args = &arg, images.arg_count = 1, images.results = results, images.result_count = call.result_count;
  dispatch(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>)
      if (max_pool_lines<T>(images, w)) return;
    if constexpr (std::is_convertible_v<T, float> && !std::is_same_v<T, bool>) {
      if (w.size < std::numeric_limits<int32_t>::max()) max_pool<T, int32_t>(images, h, w);
      else max_pool<T, int64_t>(images, h, w);
    }
  });
  return KernelStatus::Ok;
}

KernelStatus avg_pool_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const WindowAxis h = axis_of(self, out, call.args + 1, 2, false), w = axis_of(self, out, call.args + 1, 1, false);
  dispatch(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<OpMathType<T>>) avg_pool<T>(call, h, w);
    else if constexpr (std::is_same_v<T, int64_t>) avg_pool_integers(call, h, w);
  });
  return KernelStatus::Ok;
}

KernelStatus avg_pool_backward_kernel(KernelCall& call) {
  const KernelTensor &grad = call.args[0].tensor, &out = call.results[0];
  const WindowAxis h = axis_of(out, grad, call.args + 2, 2, false), w = axis_of(out, grad, call.args + 2, 1, false);
  dispatch(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) avg_pool_backward<T>(call, h, w);
  });
  return KernelStatus::Ok;
}

KernelStatus adaptive_pool_kernel(KernelCall& call) {
  dispatch(call.results[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<OpMathType<T>>) adaptive_pool<T>(call);
  });
  return KernelStatus::Ok;
}

KernelStatus adaptive_pool_backward_kernel(KernelCall& call) {
  dispatch(call.results[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<OpMathType<T>>) adaptive_pool_backward<T>(call);
  });
  return KernelStatus::Ok;
}

KernelStatus scale_and_shift_kernel(KernelCall& call) {
  if (call.results[0].dtype == DType::f64) scale_and_shift<double>(call);
  else scale_and_shift<float>(call);
  return KernelStatus::Ok;
}

}  // namespace monograph
