// For a block of points, a table is computed: which elements each point reads, with which weights, and the derivatives of the weights by the coordinates.
// The table is then used for every channel.
#include "kernels/grid_sample.h"

#include <algorithm>
#include <cmath>

#include "core/threads/pool.h"
#include "kernels/clones.h"
#include "kernels/grain.h"

namespace monograph {
namespace {

constexpr int64_t kBlock = 32;  // the points of a table
constexpr int64_t kChannels = 16;  // the fewest channels of one input for a thread, so that several use a table
constexpr int64_t kCost = 64;  // instructions for an element of the result, with a part of those for the table
constexpr int kMostTaps = 16;

enum GridInterpolation : int64_t { kLinear, kNearest, kCubic };
enum Padding : int64_t { kZeros, kBorder, kReflection };

struct GridCall {
  int64_t batch, channels, places, plane;  // places: the points of one item; plane: the elements of one channel of the input
  int64_t size[3];  // sizes of the input, last dim first
  int dims;
  int64_t interpolation, padding;
  bool corners;
  GridCall(const KernelTensor& input, const KernelTensor& grid, const KernelArg* modes)
      : batch(input.sizes[0]),
        channels(input.sizes[1]),
        places(1),
        plane(1),
        size{1, 1, 1},
        dims(input.dim - 2),
        interpolation(modes[0].integer),
        padding(modes[1].integer),
        corners(modes[2].boolean) {
    for (int d = 0; d < dims; ++d) size[d] = input.sizes[input.dim - 1 - d], plane *= size[d], places *= grid.sizes[1 + d];
  }
  int taps() const { return interpolation == kNearest ? 1 : interpolation == kCubic ? 16 : dims == 2 ? 4 : 8; }
};

// A coordinate in units of the elements of a dim, and its derivative by the grid's coordinate.
template <class T>
struct Place {
  T at, slope;
};

template <class T>
[[gnu::always_inline]] inline Place<T> limited(Place<T> p, int64_t size) {
  const T last = static_cast<T>(size - 1);
  if (!(p.at > 0)) return {T(0), T(0)};  // also a NaN
  if (p.at >= last) return {last, T(0)};
  return p;
}

// Reflects at both ends of the range, which are multiples of 1/2.
template <class T>
[[gnu::always_inline]] inline Place<T> reflected(Place<T> p, int64_t twice_low, int64_t twice_high) {
  if (twice_low == twice_high) return {T(0), T(0)};
  const T low = static_cast<T>(twice_low) / 2, span = static_cast<T>(twice_high - twice_low) / 2;
  T from = p.at - low;
  if (from < 0) from = -from, p.slope = -p.slope;
  const T rest = std::fmod(from, span);
  if (std::fmod(std::floor(from / span), T(2)) == 0) return {rest + low, p.slope};
  return {span - rest + low, -p.slope};
}

template <class T>
[[gnu::always_inline]] inline Place<T> padded(Place<T> p, int64_t size, const GridCall& c) {
  if (c.padding == kZeros) return p;
  if (c.padding == kReflection) p = c.corners ? reflected(p, 0, 2 * (size - 1)) : reflected(p, -1, 2 * size - 1);
  return limited(p, size);
}

template <class T>
[[gnu::always_inline]] inline Place<T> unpadded(T coordinate, int64_t size, const GridCall& c) {
  if (c.corners) return {(coordinate + 1) / 2 * static_cast<T>(size - 1), static_cast<T>(size - 1) / 2};
  return {((coordinate + 1) * static_cast<T>(size) - 1) / 2, static_cast<T>(size) / 2};
}

// The index for an integral coordinate; -1 outside.
template <class T>
[[gnu::always_inline]] inline int64_t index_of(T whole, int64_t size) {
  return whole >= 0 && whole < static_cast<T>(size) ? static_cast<int64_t>(whole) : -1;
}

// The table's entry of a point: elements of a channel (-1 for a zero outside), their weights, and the derivatives of the weights by each coordinate.
template <class T>
struct Taps {
  int64_t at[kMostTaps];
  T weight[kMostTaps], slope[3][kMostTaps];
};

template <bool kSlopes, class T>
[[gnu::always_inline]] inline void nearest(Taps<T>& t, const T* coordinates, const GridCall& c) {
  int64_t at = 0;
  for (int d = c.dims; d-- > 0;) {
    const int64_t i = index_of(std::nearbyint(padded(unpadded(coordinates[d], c.size[d], c), c.size[d], c).at), c.size[d]);
    at = i < 0 || at < 0 ? -1 : at * c.size[d] + i;
    if constexpr (kSlopes) t.slope[d][0] = 0;
  }
  t.at[0] = at, t.weight[0] = 1;
}

template <bool kSlopes, class T>
[[gnu::always_inline]] inline void linear(Taps<T>& t, const T* coordinates, const GridCall& c) {
  int64_t index[3][2];
  T weight[3][2], slope[3];
  for (int d = 0; d < c.dims; ++d) {
    const Place<T> p = padded(unpadded(coordinates[d], c.size[d], c), c.size[d], c);
    const T low = std::floor(p.at);
    index[d][0] = index_of(low, c.size[d]), index[d][1] = index_of(low + 1, c.size[d]);
    weight[d][0] = low + 1 - p.at, weight[d][1] = p.at - low;
    slope[d] = p.slope;
  }
  for (int k = 0; k < c.taps(); ++k) {
    int64_t at = 0;
    t.weight[k] = 1;
    if constexpr (kSlopes)
      for (int d = 0; d < c.dims; ++d) t.slope[d][k] = k >> d & 1 ? slope[d] : -slope[d];
    for (int d = c.dims; d-- > 0;) {
      const int side = k >> d & 1;
      at = index[d][side] < 0 || at < 0 ? -1 : at * c.size[d] + index[d][side];
      t.weight[k] *= weight[d][side];
      if constexpr (kSlopes)
        for (int other = 0; other < c.dims; ++other)
          if (other != d) t.slope[other][k] *= weight[d][side];
    }
    t.at[k] = at;
  }
}

// The weights of the four elements around a point, which is `t` beyond the second of them, and their derivatives.
template <class T>
[[gnu::always_inline]] inline void cubic_weights(T t, T (&w)[4], T (&slope)[4]) {
  constexpr T a = T(-0.75);
  auto near = [](T x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  auto far = [](T x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  auto near_slope = [](T x) { return (3 * (a + 2) * x - 2 * (a + 3)) * x; };
  auto far_slope = [](T x) { return (3 * a * x - 10 * a) * x + 8 * a; };
  w[0] = far(t + 1), w[1] = near(t), w[2] = near(1 - t), w[3] = far(2 - t);
  slope[0] = far_slope(t + 1), slope[1] = near_slope(t), slope[2] = -near_slope(1 - t), slope[3] = -far_slope(2 - t);
}

template <bool kSlopes, class T>
[[gnu::always_inline]] inline void cubic(Taps<T>& t, const T* coordinates, const GridCall& c) {
  int64_t index[2][4];
  T weight[2][4], slope[2][4];
  for (int d = 0; d < 2; ++d) {
    const Place<T> p = unpadded(coordinates[d], c.size[d], c);
    const T low = std::floor(p.at);
    cubic_weights(p.at - low, weight[d], slope[d]);
    for (int k = 0; k < 4; ++k) {
      index[d][k] = index_of(padded(Place<T>{low + static_cast<T>(k - 1), T(0)}, c.size[d], c).at, c.size[d]);
      slope[d][k] *= p.slope;
    }
  }
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) {
      const int k = y * 4 + x;
      t.at[k] = index[0][x] < 0 || index[1][y] < 0 ? -1 : index[1][y] * c.size[0] + index[0][x];
      t.weight[k] = weight[0][x] * weight[1][y];
      if constexpr (kSlopes) t.slope[0][k] = slope[0][x] * weight[1][y], t.slope[1][k] = weight[0][x] * slope[1][y];
    }
}

template <bool kSlopes>
struct FillTable {
  template <class T>
  [[gnu::always_inline]] static void run(Taps<T>* table, const T* grid, int64_t count, GridCall c) {
    for (int64_t i = 0; i < count; ++i) {
      const T* coordinates = grid + i * c.dims;
      if (c.interpolation == kNearest) nearest<kSlopes>(table[i], coordinates, c);
      else if (c.interpolation == kLinear) linear<kSlopes>(table[i], coordinates, c);
      else cubic<kSlopes>(table[i], coordinates, c);
    }
  }
};

// Element at[k] of a plane, times its weight; 0 outside. There is no branch, since the processor could not predict it.
template <class T>
[[gnu::always_inline]] inline T read(const T* plane, const Taps<T>& t, int k) {
  const bool inside = t.at[k] >= 0;
  const T value = plane[inside ? t.at[k] : 0] * t.weight[k];
  return inside ? value : T(0);
}

template <int kTaps>
struct SampleRow {
  template <class T>
  [[gnu::always_inline]] static void run(T* out, const T* plane, const Taps<T>* table, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      T sum = 0;
      for (int k = 0; k < kTaps; ++k) sum += read(plane, table[i], k);
      out[i] = sum;
    }
  }
};

// Calls f(item, first channel, last, first point, last). Each element of the result belongs to one call.
template <class F>
void in_parts(const GridCall& c, F&& f) {
  const int64_t groups = (c.channels + kChannels - 1) / kChannels, blocks = (c.places + kBlock - 1) / kBlock;
  parallel_for(0, c.batch * groups * blocks, grain(kCost, kBlock * std::min(c.channels, kChannels)), [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const int64_t block = part % blocks, group = part / blocks % groups, item = part / blocks / groups;
      f(item, group * kChannels, std::min(c.channels, (group + 1) * kChannels), block * kBlock, std::min(c.places, (block + 1) * kBlock));
    }
  });
}

template <class T>
void sample(const KernelCall& call) {
  const KernelTensor &input = call.args[0].tensor, &grid = call.args[1].tensor;
  const GridCall c(input, grid, call.args + 2);
  const int taps = c.taps();
  in_parts(c, [&](int64_t item, int64_t channel, int64_t last_channel, int64_t place, int64_t last_place) {
    Taps<T> table[kBlock];
    const int64_t count = last_place - place;
    run_clone<FillTable<false>>(&table[0], grid.as<T>() + (item * c.places + place) * c.dims, count, c);
    const Taps<T>* rows = table;
    for (; channel < last_channel; ++channel) {
      const T* plane = input.as<T>() + (item * c.channels + channel) * c.plane;
      T* out = call.results[0].as<T>() + (item * c.channels + channel) * c.places + place;
      if (taps == 1) run_clone<SampleRow<1>>(out, plane, rows, count);
      else if (taps == 4) run_clone<SampleRow<4>>(out, plane, rows, count);
      else if (taps == 8) run_clone<SampleRow<8>>(out, plane, rows, count);
      else run_clone<SampleRow<16>>(out, plane, rows, count);
    }
  });
}

// An element of grad_input may be read by any point, so a thread takes whole channels.
template <class T>
void input_gradient(const KernelCall& call, const GridCall& c) {
  const KernelTensor &grad = call.args[0].tensor, &grid = call.args[2].tensor;
  const int64_t groups = (c.channels + kChannels - 1) / kChannels;
  const int taps = c.taps();
  parallel_for(0, c.batch * groups, grain(kCost, c.places * std::min(c.channels, kChannels)), [&](int64_t begin, int64_t end) {
    Taps<T> table[kBlock];
    for (int64_t part = begin; part < end; ++part) {
      const int64_t item = part / groups, first = part % groups * kChannels, last = std::min(c.channels, first + kChannels);
      T* planes = call.results[0].as<T>() + (item * c.channels + first) * c.plane;
      std::fill(planes, planes + (last - first) * c.plane, T(0));
      for (int64_t place = 0; place < c.places; place += kBlock) {
        const int64_t count = std::min(kBlock, c.places - place);
        run_clone<FillTable<false>>(&table[0], grid.as<T>() + (item * c.places + place) * c.dims, count, c);
        for (int64_t channel = first; channel < last; ++channel) {
          const T* from = grad.as<T>() + (item * c.channels + channel) * c.places + place;
          T* plane = planes + (channel - first) * c.plane;
          for (int64_t i = 0; i < count; ++i)
            for (int k = 0; k < taps; ++k)
              if (table[i].at[k] >= 0) plane[table[i].at[k]] += from[i] * table[i].weight[k];
        }
      }
    }
  });
}

// The gradient of a point is summed over the channels.
template <class T>
void grid_gradient(const KernelCall& call, const GridCall& c) {
  const KernelTensor &grad = call.args[0].tensor, &input = call.args[1].tensor, &grid = call.args[2].tensor;
  const int64_t blocks = (c.places + kBlock - 1) / kBlock;
  const int taps = c.taps();
  parallel_for(0, c.batch * blocks, grain(kCost, kBlock * c.channels), [&](int64_t begin, int64_t end) {
    Taps<T> table[kBlock];
    for (int64_t part = begin; part < end; ++part) {
      const int64_t item = part / blocks, place = part % blocks * kBlock, count = std::min(kBlock, c.places - place);
      const int64_t first = (item * c.places + place) * c.dims;
      T* out = call.results[1].as<T>() + first;
      run_clone<FillTable<true>>(&table[0], grid.as<T>() + first, count, c);
      std::fill(out, out + count * c.dims, T(0));
      for (int64_t channel = 0; channel < c.channels; ++channel) {
        const T* from = grad.as<T>() + (item * c.channels + channel) * c.places + place;
        const T* plane = input.as<T>() + (item * c.channels + channel) * c.plane;
        for (int64_t i = 0; i < count; ++i)
          for (int k = 0; k < taps; ++k) {
            if (table[i].at[k] < 0) continue;
            const T value = plane[table[i].at[k]] * from[i];
            for (int d = 0; d < c.dims; ++d) out[i * c.dims + d] += value * table[i].slope[d][k];
          }
      }
    }
  });
}

template <class T>
void gradients(const KernelCall& call) {
  const GridCall c(call.args[1].tensor, call.args[2].tensor, call.args + 3);
  if (call.args[6].integer & 1) input_gradient<T>(call, c);
  if (call.args[6].integer & 2) grid_gradient<T>(call, c);
}

}  // namespace

KernelStatus grid_sampler_kernel(KernelCall& call) {
  if (call.results[0].dtype == DType::f64) sample<double>(call);
  else sample<float>(call);
  return KernelStatus::Ok;
}

KernelStatus grid_sampler_backward_kernel(KernelCall& call) {
  if (call.args[1].tensor.dtype == DType::f64) gradients<double>(call);
  else gradients<float>(call);
  return KernelStatus::Ok;
}

}  // namespace monograph
