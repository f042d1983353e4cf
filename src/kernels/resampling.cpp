// Interpolation of images: nearest, linear and cubic.
//
// For each dim, a table says which places of the input a result reads, and with which weights. A row of results is computed in two steps. First the
// rows of the input that it reads are added, with their weights, into one line. Then the elements of this line are added. If few elements of the line
// are read, only these are computed. The gradient does the same two steps in reverse order.
#include "kernels/resampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/threads/pool.h"
#include "kernels/clones.h"
#include "kernels/grain.h"
#include "kernels/number.h"
#include "kernels/round.h"

namespace monograph {
namespace {

constexpr size_t kMostTaps = 4;
constexpr int64_t kSampleCost = 2;  // instructions for each element that is read

enum class Interpolation : uint8_t { Nearest, NearestExact, Linear, Cubic };
constexpr size_t taps_of(Interpolation k) { return k == Interpolation::Cubic ? 4 : k == Interpolation::Linear ? 2 : 1; }

template <class T>
using ResampleType = std::conditional_t<is_half<T> || std::is_same_v<T, uint8_t>, float, T>;

// An element that a result reads along a dim, and its weight.
template <class W>
struct Tap {
  int64_t place;
  W weight;
};

template <class W>
struct ResampledAxis {
  int64_t from, to;
  Tap<W>* taps;  // the taps of each result, one after another
};

// The distance between neighbouring results, in elements of the input.
template <class W>
W step_of(int64_t from, int64_t to, bool corners, const KernelArg& scale) {
  if (corners) return to > 1 ? static_cast<W>(from - 1) / static_cast<W>(to - 1) : W(0);
  if (!scale.none() && real_of(scale) > 0) return static_cast<W>(1.0 / real_of(scale));
  return static_cast<W>(from) / static_cast<W>(to);
}

template <class W>
W source_of(W step, int64_t at, bool corners, bool cubic) {
  if (corners) return step * static_cast<W>(at);
  const W source = step * (static_cast<W>(at) + W(0.5)) - W(0.5);
  return !cubic && source < W(0) ? W(0) : source;
}

// The weights of the four elements around a point that is `t` beyond the second of them.
template <class W>
void cubic_weights(W t, W (&w)[kMostTaps]) {
  constexpr W a = W(-0.75);
  auto near = [](W x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  auto far = [](W x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  w[0] = far(t + 1), w[1] = near(t), w[2] = near(1 - t), w[3] = far(2 - t);
}

template <Interpolation kMode, class W>
void fill_axis(const ResampledAxis<W>& axis, bool corners, bool shortcuts, const KernelArg& scale) {
  const W step = step_of<W>(axis.from, axis.to, corners, scale);
  const int64_t last = axis.from - 1;
  for (int64_t at = 0; at < axis.to; ++at) {
    Tap<W>* tap = axis.taps + at * static_cast<int64_t>(taps_of(kMode));
    if (shortcuts && axis.from == axis.to) {  // equal sizes: a copy, whatever the scale is
      for (size_t k = 0; k < taps_of(kMode); ++k) tap[k] = {at, W(k == 0)};
      continue;
    }
    if (shortcuts && kMode == Interpolation::Nearest && axis.to == 2 * axis.from) {  // twice the size: the same shortcut for nearest
      *tap = {at / 2, W(1)};
      continue;
    }
    if constexpr (kMode == Interpolation::Nearest || kMode == Interpolation::NearestExact) {
      const W source = kMode == Interpolation::Nearest ? step * static_cast<W>(at) : source_of(step, at, false, false) + W(0.5);
      *tap = {std::min(static_cast<int64_t>(std::floor(static_cast<float>(source))), last), W(1)};
      continue;
    }
    const W source = source_of(step, at, corners, kMode == Interpolation::Cubic);
    const int64_t place = std::min(static_cast<int64_t>(std::floor(static_cast<float>(source))), last);
    const W t = std::min(std::max(source - static_cast<W>(place), W(0)), W(1));
    if constexpr (kMode == Interpolation::Linear) {
      tap[0] = {place, W(1) - t};
      tap[1] = {std::min(place + 1, last), t};
    } else {
      W weights[kMostTaps];
      cubic_weights(t, weights);
      for (int64_t k = 0; k < 4; ++k) tap[k] = {std::clamp<int64_t>(place + k - 1, 0, last), weights[k]};
    }
  }
}

struct AddRow {
  template <class W, class T>
  [[gnu::always_inline]] static void run(W* __restrict sum, const T* __restrict row, int64_t n, W weight, bool first) {
    if (first)
      for (int64_t i = 0; i < n; ++i) sum[i] = static_cast<W>(row[i]) * weight;
    else
      for (int64_t i = 0; i < n; ++i) sum[i] += static_cast<W>(row[i]) * weight;
  }
};

template <size_t kTaps>
struct AlongRow {
  template <class T, class W>
  [[gnu::always_inline]] static void run(T* __restrict out, const W* __restrict row, const Tap<W>* __restrict taps, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      W sum = row[taps[i * kTaps].place] * taps[i * kTaps].weight;
      for (size_t k = 1; k < kTaps; ++k) sum += row[taps[i * kTaps + k].place] * taps[i * kTaps + k].weight;
      out[i] = static_cast<T>(sum);
    }
  }
};

struct TakeAlongRow {
  template <class T, class W>
  [[gnu::always_inline]] static void run(T* __restrict out, const T* __restrict row, const Tap<W>* __restrict taps, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = row[taps[i].place];
  }
};

int64_t align(int64_t bytes) { return round_up(bytes, 64); }
// The bytes of a thread's line: an input row of numbers, or four rows of a result of bytes.
int64_t resampling_line(int64_t from, int64_t to) {
  return align(std::max(from * static_cast<int64_t>(sizeof(double)), to * static_cast<int64_t>(kMostTaps)));
}

// The tables of a call in its scratch memory, followed by one line for each thread. Missing dims have one element.
template <Interpolation kMode, class W>
struct ResamplingPlan {
  std::array<ResampledAxis<W>, 3> axes;
  char* lines;
  int64_t line_bytes;
  ResamplingPlan(KernelCall& call, const KernelTensor& from, const KernelTensor& to, size_t first_scale, bool corners) {
    const size_t dims = static_cast<size_t>(from.dim) - 2;
    char* at = call.scratch;
    const KernelArg none;
    // PyTorch takes its shortcuts for some of the modes only; nearest does not take them forward over one or three dims.
    const bool backward = &from == &call.results[0];
    const bool shortcuts = kMode == Interpolation::Linear || (kMode == Interpolation::Nearest && (backward || dims == 2));
    for (size_t k = 0; k < 3; ++k) {
      const bool there = k + dims >= 3;
      const size_t d = k + dims - 3;
      axes[k] = {there ? from.sizes[2 + d] : 1, there ? to.sizes[2 + d] : 1, reinterpret_cast<Tap<W>*>(at)};
      at += align(axes[k].to * static_cast<int64_t>(kMostTaps * sizeof(Tap<double>)));
      if (axes[k].to > 0) fill_axis<kMode>(axes[k], corners, shortcuts, there ? call.args[first_scale + d] : none);
    }
    lines = at, line_bytes = resampling_line(axes[2].from, axes[2].to);
  }
  W* line(int64_t thread) const { return reinterpret_cast<W*>(lines + thread * line_bytes); }
};

int64_t planes_of(const KernelTensor& t) { return t.sizes[0] * t.sizes[1]; }

// Calls f(thread, first, last) for parts of 0 .. count; there are at most as many parts as lines in the scratch memory.
template <class F>
void in_parts(const KernelCall& call, int64_t count, int64_t work, F&& f) {
  const int64_t parts = std::clamp<int64_t>(count * work / grain(kSampleCost), 1, std::max<int64_t>(1, call.threads));
  const EqualParts ranges(count, parts);
  parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) f(p, ranges.begin(p), ranges.begin(p + 1));
  });
}

template <Interpolation kMode, class T>
void resample(KernelCall& call, size_t first_scale, bool corners) {
  using W = ResampleType<T>;
  constexpr auto taps = static_cast<int64_t>(taps_of(kMode));
  const KernelTensor &from = call.args[0].tensor, &to = call.results[0];
  const ResamplingPlan<kMode, W> plan(call, from, to, first_scale, corners);
  const ResampledAxis<W>&depth = plan.axes[0], &height = plan.axes[1], &width = plan.axes[2];
  const int64_t rows = depth.to * height.to, plane = depth.from * height.from * width.from;
  const int64_t z_taps = depth.from == 1 ? 1 : taps, y_taps = height.from == 1 ? 1 : taps;
  const bool few = width.to * taps < width.from;  // most elements of a line would not be read
  constexpr int64_t kShort = 8;  // results for which a line is not worth a call
  constexpr int64_t kFar = 4;  // elements that are far apart take as long to read as this many neighbours
  const bool whole = std::is_same_v<T, W> && depth.from == 1 && height.from == 1;  // a row of the input is the line
  in_parts(call, planes_of(to) * rows, width.to * taps * (few ? kFar : 1), [&](int64_t thread, int64_t begin, int64_t end) {
    if constexpr (std::is_same_v<T, W> || taps == 1)
      if (rows == 1 && plane == width.from && width.to <= kShort) {
        for (int64_t at = begin; at < end; ++at) {
          const T* row = from.as<T>() + at * plane;
          T* out = to.as<T>() + at * width.to;
          if constexpr (taps == 1) TakeAlongRow::run(out, row, width.taps, width.to);
          else AlongRow<static_cast<size_t>(taps)>::run(out, row, width.taps, width.to);
        }
        return;
      }
    W* line = plan.line(thread);
    const T* image = from.as<T>() + begin / rows * plane;
    int64_t at_z = begin % rows / height.to, at_y = begin % height.to;
    for (T* out = to.as<T>() + begin * width.to; begin < end; ++begin, out += width.to) {
      const Tap<W>*z = depth.taps + at_z * taps, *y = height.taps + at_y * taps;
      auto row = [&](int64_t i, int64_t k) { return image + (z[i].place * height.from + y[k].place) * width.from; };
      auto weight = [&](int64_t i, int64_t k) { return (depth.from == 1 ? W(1) : z[i].weight) * (height.from == 1 ? W(1) : y[k].weight); };
      if constexpr (taps == 1) {
        if (few) TakeAlongRow::run(out, row(0, 0), width.taps, width.to);
        else run_clone<TakeAlongRow>(out, row(0, 0), width.taps, width.to);
      } else if (whole) {
        if constexpr (std::is_same_v<T, W>) {
          constexpr auto kTaps = static_cast<size_t>(taps);
          if (few) AlongRow<kTaps>::run(out, row(0, 0), width.taps, width.to);
          else run_clone<AlongRow<kTaps>>(out, row(0, 0), static_cast<const Tap<W>*>(width.taps), width.to);
        }
      } else if (few) {
        auto element = [&](int64_t place) {  // of the line
          W sum = static_cast<W>(row(0, 0)[place]) * weight(0, 0);
          for (int64_t i = 0; i < z_taps; ++i)
            for (int64_t k = i == 0 ? 1 : 0; k < y_taps; ++k) sum += static_cast<W>(row(i, k)[place]) * weight(i, k);
          return sum;
        };
        for (int64_t x = 0; x < width.to; ++x) {
          const Tap<W>* tap = width.taps + x * taps;
          W sum = element(tap[0].place) * tap[0].weight;
          for (int64_t k = 1; k < taps; ++k) sum += element(tap[k].place) * tap[k].weight;
          out[x] = static_cast<T>(sum);
        }
      } else {
        for (int64_t i = 0; i < z_taps; ++i)
          for (int64_t k = 0; k < y_taps; ++k) run_clone<AddRow>(line, row(i, k), width.from, weight(i, k), i + k == 0);
        run_clone<AlongRow<static_cast<size_t>(taps)>>(out, static_cast<const W*>(line), static_cast<const Tap<W>*>(width.taps), width.to);
      }
      if (++at_y < height.to) continue;
      at_y = 0;
      if (++at_z == depth.to) at_z = 0, image += plane;
    }
  });
}

// --- Images of bytes, in integers as in PyTorch and PIL: weights of 16 bits, as precise as the largest of them allows, and each pass rounds.

struct ByteTaps {
  int32_t place, count;
  std::array<int32_t, kMostTaps> weights;
};
static_assert(sizeof(ByteTaps) <= kMostTaps * sizeof(Tap<double>));

struct ByteAxis {
  int64_t from, to;
  ByteTaps* taps;
  int bits = 0;  // of the weights, behind the point
  bool kept() const { return from == to; }
};

template <Interpolation kMode>
double weight_at(double distance) {
  if constexpr (kMode == Interpolation::Linear) return std::max(0.0, 1.0 - distance);
  constexpr double a = -0.75;
  if (distance < 1) return ((a + 2) * distance - (a + 3)) * distance * distance + 1;
  return distance < 2 ? (((distance - 5) * distance + 8) * distance - 4) * a : 0.0;
}

// The elements that result `at` reads, and what each of them counts: an element at the border counts for those beyond it, too.
template <Interpolation kMode>
std::array<double, kMostTaps> byte_weights(ByteAxis& axis, double source, int64_t at) {
  constexpr auto taps = static_cast<int64_t>(taps_of(kMode)), half = taps / 2;
  const int64_t last = axis.from - 1, before = std::clamp<int64_t>(static_cast<int64_t>(std::floor(source)), -1, last);
  const double beyond = std::clamp(source - static_cast<double>(before), 0.0, 1.0);
  const int64_t first = before - half + 1, place = std::max<int64_t>(first, 0), count = std::min(first + taps, axis.from) - place;
  axis.taps[at] = {static_cast<int32_t>(place), static_cast<int32_t>(count), {}};
  std::array<double, kMostTaps> weights{};
  for (int64_t k = 0; k < taps; ++k) {
    const int64_t seen = std::clamp<int64_t>(first + k, 0, last) - place;
    weights[static_cast<size_t>(seen)] += weight_at<kMode>(std::abs(static_cast<double>(k + 1 - half) - beyond));
  }
  return weights;
}

template <Interpolation kMode>
void fill_byte_axis(ByteAxis& axis, bool corners, const KernelArg& scale) {
  const auto step = step_of<double>(axis.from, axis.to, corners, scale);
  auto weights_at = [&](int64_t at) { return byte_weights<kMode>(axis, source_of(step, at, corners, kMode == Interpolation::Cubic), at); };
  double largest = 0;
  for (int64_t at = 0; at < axis.to; ++at)
    for (const double w : weights_at(at)) largest = std::max(largest, w);
  constexpr int kMostBits = 22;
  for (axis.bits = 0; axis.bits < kMostBits && static_cast<int>(0.5 + largest * (1 << (axis.bits + 1))) < 1 << 15;) ++axis.bits;
  for (int64_t at = 0; at < axis.to; ++at) {
    const auto weights = weights_at(at);
    for (size_t k = 0; k < kMostTaps; ++k)
      axis.taps[at].weights[k] = static_cast<int32_t>(weights[k] * (1 << axis.bits) + (weights[k] < 0 ? -0.5 : 0.5));
  }
}

// A rounded sum down element i of several rows, or along one row.
struct ByteSum {
  static uint8_t down(const ByteTaps& taps, int bits, const uint8_t* const* rows, int64_t i) {
    int32_t sum = 1 << (bits - 1);
    for (int32_t k = 0; k < taps.count; ++k) sum += rows[k][i] * taps.weights[static_cast<size_t>(k)];
    return static_cast<uint8_t>(std::clamp(sum >> bits, 0, 255));
  }
  static uint8_t along(const ByteTaps& taps, int bits, const uint8_t* row) {
    int32_t sum = 1 << (bits - 1);
    for (int32_t k = 0; k < taps.count; ++k) sum += row[taps.place + k] * taps.weights[static_cast<size_t>(k)];
    return static_cast<uint8_t>(std::clamp(sum >> bits, 0, 255));
  }
};

// The rows of an image after the pass along them, each made once: the last few of them are kept.
class ByteRows {
 public:
  ByteRows(const ByteAxis& width, uint8_t* lines) : width_(width), lines_(lines) {}
  void image(const uint8_t* data) { image_ = data, made_.fill(-1); }
  const uint8_t* row(int64_t y) {
    const uint8_t* from = image_ + y * width_.from;
    if (width_.kept()) return from;
    const size_t slot = static_cast<size_t>(y) % kMostTaps;
    uint8_t* line = lines_ + static_cast<int64_t>(slot) * width_.to;
    if (std::exchange(made_[slot], y) != y)
      for (int64_t i = 0; i < width_.to; ++i) line[i] = ByteSum::along(width_.taps[i], width_.bits, from);
    return line;
  }

 private:
  const ByteAxis& width_;
  uint8_t* lines_;
  const uint8_t* image_ = nullptr;
  std::array<int64_t, kMostTaps> made_{};
};

template <Interpolation kMode>
void resample_bytes(KernelCall& call, bool corners) {
  const KernelTensor &from = call.args[0].tensor, &to = call.results[0];
  if (to.numel() == 0) return;
  std::array<ByteAxis, 2> axes{};
  char* at = call.scratch + align(kMostTaps * sizeof(Tap<double>));  // of the dim that is missing
  for (size_t d = 0; d < 2; ++d) {
    axes[d] = {from.sizes[2 + d], to.sizes[2 + d], reinterpret_cast<ByteTaps*>(at)};
    at += align(axes[d].to * static_cast<int64_t>(kMostTaps * sizeof(Tap<double>)));
    if (!axes[d].kept()) fill_byte_axis<kMode>(axes[d], corners, call.args[3 + d]);
  }
  const auto& [height, width] = axes;
  const int64_t line_bytes = resampling_line(width.from, width.to);
  in_parts(call, planes_of(to), height.to * width.to * static_cast<int64_t>(2 * taps_of(kMode)),
           [&](int64_t thread, int64_t begin, int64_t end) {
             ByteRows rows(width, reinterpret_cast<uint8_t*>(at + thread * line_bytes));
             uint8_t* out = to.as<uint8_t>() + begin * height.to * width.to;
             for (int64_t p = begin; p < end; ++p) {
               rows.image(from.as<uint8_t>() + p * height.from * width.from);
               for (int64_t y = 0; y < height.to; ++y, out += width.to) {
                 if (height.kept()) {
                   std::memcpy(out, rows.row(y), static_cast<size_t>(width.to));
                   continue;
                 }
                 const ByteTaps& taps = height.taps[y];
                 const uint8_t* read[kMostTaps] = {};
                 for (int32_t k = 0; k < taps.count; ++k) read[k] = rows.row(taps.place + k);
                 for (int64_t i = 0; i < width.to; ++i) out[i] = ByteSum::down(taps, height.bits, read, i);
               }
             }
           });
}

template <Interpolation kMode, class T>
void resample_backward(KernelCall& call, size_t first_scale, bool corners) {
  constexpr auto taps = static_cast<int64_t>(taps_of(kMode));
  const KernelTensor &grad = call.args[0].tensor, &out = call.results[0];
  const ResamplingPlan<kMode, T> plan(call, out, grad, first_scale, corners);
  const ResampledAxis<T>&depth = plan.axes[0], &height = plan.axes[1], &width = plan.axes[2];
  const int64_t rows = depth.to * height.to, plane = depth.from * height.from * width.from;
  in_parts(call, planes_of(out), rows * width.to * taps, [&](int64_t thread, int64_t begin, int64_t end) {
    T* line = plan.line(thread);
    for (int64_t p = begin; p < end; ++p) {
      T* image = out.as<T>() + p * plane;
      std::memset(image, 0, static_cast<size_t>(plane) * sizeof(T));
      for (int64_t at = 0; at < rows; ++at) {
        const T* from = grad.as<T>() + (p * rows + at) * width.to;
        std::memset(line, 0, static_cast<size_t>(width.from) * sizeof(T));
        for (int64_t i = 0; i < width.to; ++i)
          for (int64_t k = 0; k < taps; ++k) line[width.taps[i * taps + k].place] += from[i] * width.taps[i * taps + k].weight;
        const Tap<T>* z = depth.taps + at / height.to * taps;
        const Tap<T>* y = height.taps + at % height.to * taps;
        for (int64_t i = 0; i < (depth.from == 1 ? 1 : taps); ++i)
          for (int64_t k = 0; k < (height.from == 1 ? 1 : taps); ++k) {
            const T weight = (depth.from == 1 ? T(1) : z[i].weight) * (height.from == 1 ? T(1) : y[k].weight);
            run_clone<AddRow>(image + (z[i].place * height.from + y[k].place) * width.from, static_cast<const T*>(line), width.from, weight,
                              false);
          }
      }
    }
  });
}

template <Interpolation kMode>
KernelStatus forward(KernelCall& call) {
  constexpr bool sums = taps_of(kMode) > 1;
  const bool corners = sums && call.args[2].boolean;
  if constexpr (sums)
    if (call.results[0].dtype == DType::u8) return resample_bytes<kMode>(call, corners), KernelStatus::Ok;
  dispatch(call.results[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T> || is_half<T> || (!sums && std::is_same_v<T, uint8_t>))
      resample<kMode, T>(call, sums ? 3 : 2, corners);
  });
  return KernelStatus::Ok;
}

template <Interpolation kMode>
KernelStatus backward(KernelCall& call) {
  constexpr bool sums = taps_of(kMode) > 1;
  const bool corners = sums && call.args[3].boolean;
  if (call.results[0].dtype == DType::f64) resample_backward<kMode, double>(call, sums ? 4 : 3, corners);
  else resample_backward<kMode, float>(call, sums ? 4 : 3, corners);
  return KernelStatus::Ok;
}

}  // namespace

int64_t resampling_scratch(const int64_t* from, const int64_t* to, size_t dims, int threads) {
  int64_t bytes = static_cast<int64_t>(3 - dims) * align(kMostTaps * sizeof(Tap<double>));
  for (size_t d = 0; d < dims; ++d) bytes += align(to[d] * static_cast<int64_t>(kMostTaps * sizeof(Tap<double>)));
  return bytes + threads * resampling_line(from[dims - 1], to[dims - 1]);
}

KernelStatus nearest_kernel(KernelCall& call) { return forward<Interpolation::Nearest>(call); }
KernelStatus nearest_exact_kernel(KernelCall& call) { return forward<Interpolation::NearestExact>(call); }
KernelStatus linear_resample_kernel(KernelCall& call) { return forward<Interpolation::Linear>(call); }
KernelStatus cubic_resample_kernel(KernelCall& call) { return forward<Interpolation::Cubic>(call); }
KernelStatus nearest_backward_kernel(KernelCall& call) { return backward<Interpolation::Nearest>(call); }
KernelStatus nearest_exact_backward_kernel(KernelCall& call) { return backward<Interpolation::NearestExact>(call); }
KernelStatus linear_resample_backward_kernel(KernelCall& call) { return backward<Interpolation::Linear>(call); }
KernelStatus cubic_resample_backward_kernel(KernelCall& call) { return backward<Interpolation::Cubic>(call); }

}  // namespace monograph
