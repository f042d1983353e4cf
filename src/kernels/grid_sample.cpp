// For a block of points, a table is computed: which elements each point reads, with which weights, and the derivatives of the weights by the coordinates.
// The table is then used for every channel. In the table neighbouring points are neighbours in memory, so that vectors hold several of them.
#include "kernels/grid_sample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/threads/pool.h"
#include "kernels/clones.h"
#include "kernels/grain.h"

namespace monograph {
namespace {

constexpr int64_t kGridBlock = 32;  // the points of a table
constexpr int64_t kChannels = 16;  // the fewest channels of one input for a thread, so that several use a table
constexpr int64_t kGridSampleCost = 64;  // instructions for an element of the result, with a part of those for the table
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

// A NaN becomes 0.
template <class T>
[[gnu::always_inline]] inline Place<T> limited(Place<T> p, int64_t size) {
  const T last = static_cast<T>(size - 1);
  const bool inside = (p.at > 0) & (p.at < last);
  const T end = p.at >= last ? last : T(0);
  return {inside ? p.at : p.at > 0 ? end : T(0), inside ? p.slope : T(0)};
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

// The places of a block's points along one dim.
template <class T>
struct Places {
  T at[kGridBlock], slope[kGridBlock];
};

// Brings places outside of the input into it.
template <class T>
[[gnu::always_inline]] inline void pad(Places<T>& p, int64_t count, int64_t size, const GridCall& c) {
  if (c.padding == kZeros) return;
  for (int64_t i = 0; c.padding == kReflection && i < count; ++i) {
    const Place<T> here{p.at[i], p.slope[i]};
    const Place<T> there = c.corners ? reflected(here, 0, 2 * (size - 1)) : reflected(here, -1, 2 * size - 1);
    p.at[i] = there.at, p.slope[i] = there.slope;
  }
  for (int64_t i = 0; i < count; ++i) {
    const Place<T> there = limited(Place<T>{p.at[i], p.slope[i]}, size);
    p.at[i] = there.at, p.slope[i] = there.slope;
  }
}

// The places of the points along dim d, before padding.
template <int kDims, class T>
[[gnu::always_inline]] inline void find_places(Places<T>& p, int d, const T* grid, int64_t count, const GridCall& c) {
  const int64_t size = c.size[d];
  const T slope = static_cast<T>(c.corners ? size - 1 : size) / 2;
  if (c.corners)
    for (int64_t i = 0; i < count; ++i) p.at[i] = (grid[i * kDims + d] + 1) / 2 * static_cast<T>(size - 1);
  else
    for (int64_t i = 0; i < count; ++i) p.at[i] = ((grid[i * kDims + d] + 1) * static_cast<T>(size) - 1) / 2;
  for (int64_t i = 0; i < count; ++i) p.slope[i] = slope;
}

// The indices for integral coordinates; -1 outside and for NaN. A coordinate is first limited to -1 .. size. One loop converts, without a condition: so each
// loop can be vectorized.
struct FindIndices {
  template <class T, class I>
  [[gnu::always_inline]] static void run(I* __restrict index, const T* __restrict whole, int64_t count, int64_t size) {
    const T end = static_cast<T>(size);
    T limited[2 * kGridBlock];
    for (int64_t i = 0; i < count; ++i) {
      const T below = whole[i] < end ? whole[i] : end;
      limited[i] = below > T(-1) ? below : T(-1);
    }
    for (int64_t i = 0; i < count; ++i) index[i] = static_cast<I>(limited[i]);
    const I last = static_cast<I>(size - 1);
    for (int64_t i = 0; i < count; ++i) index[i] = index[i] > last ? I(-1) : index[i];
  }
};
template <class T, class I>
void find_indices(I* index, const T* whole, int64_t count, int64_t size) {
  run_clone<FindIndices>(index, whole, count, size);
}

// For each point and each element of a channel that it reads: which element, its weight, and the derivatives of the weight by each coordinate. I is wide
// enough for the elements of a channel. `inside` has all bits set, or none for a zero outside, whose element is 0.
template <class T, class I, bool kSlopes>
struct TapTable {
  I at[kMostTaps][kGridBlock], inside[kMostTaps][kGridBlock];
  T weight[kMostTaps][kGridBlock], slope[kSlopes ? 3 : 1][kMostTaps][kGridBlock];
};

// What the points of a block read along each dim: kSides elements, their weights, and the derivatives of the weights.
template <class T, class I, int kSides>
struct Sides {
  I index[3][kSides][kGridBlock];
  T weight[3][kSides][kGridBlock], slope[3][kSides][kGridBlock];
};

// The sides of tap k along dim d.
template <int kSides>
[[gnu::always_inline]] inline int side_of(int k, int d) {
  return kSides == 4 ? (d == 0 ? k % 4 : k / 4) : kSides == 2 ? k >> d & 1 : 0;
}

// Joins the dims: the weights of an element are multiplied, last dim first.
template <bool kSlopes, int kDims, int kSides, class T, class I>
[[gnu::always_inline]] inline void join(TapTable<T, I, kSlopes>& t, const Sides<T, I, kSides>& s, int64_t count, const GridCall& c) {
  constexpr int kTaps = kDims == 2 ? kSides * kSides : kSides * kSides * kSides;
  const I size[3] = {static_cast<I>(c.size[0]), static_cast<I>(c.size[1]), static_cast<I>(c.size[2])};
  for (int k = 0; k < kTaps; ++k) {
    const int side[3] = {side_of<kSides>(k, 0), side_of<kSides>(k, 1), side_of<kSides>(k, 2)};
    for (int64_t i = 0; i < count; ++i) {
      I at = s.index[kDims - 1][side[kDims - 1]][i];
      T weight = s.weight[kDims - 1][side[kDims - 1]][i];
      for (int d = kDims - 1; d-- > 0;) {
        const I index = s.index[d][side[d]][i];
        at = (at | index) < 0 ? I(-1) : at * size[d] + index;
        weight *= s.weight[d][side[d]][i];
      }
      t.at[k][i] = at < 0 ? I(0) : at, t.inside[k][i] = at < 0 ? I(0) : I(-1), t.weight[k][i] = weight;
    }
    if constexpr (kSlopes)
      for (int own = 0; own < kDims; ++own)
        for (int64_t i = 0; i < count; ++i) {
          T slope = s.slope[own][side[own]][i];
          for (int d = kDims; d-- > 0;)
            if (d != own) slope *= s.weight[d][side[d]][i];
          t.slope[own][k][i] = slope;
        }
  }
}

template <int kDims, class T, class I>
[[gnu::always_inline]] inline void nearest(Sides<T, I, 1>& s, const T* grid, int64_t count, const GridCall& c) {
  for (int d = 0; d < kDims; ++d) {
    Places<T> p;
    find_places<kDims>(p, d, grid, count, c), pad(p, count, c.size[d], c);
    for (int64_t i = 0; i < count; ++i) p.at[i] = std::nearbyint(p.at[i]), s.weight[d][0][i] = 1, s.slope[d][0][i] = 0;
    find_indices(s.index[d][0], p.at, count, c.size[d]);
  }
}

template <int kDims, class T, class I>
[[gnu::always_inline]] inline void linear(Sides<T, I, 2>& s, const T* grid, int64_t count, const GridCall& c) {
  for (int d = 0; d < kDims; ++d) {
    Places<T> p;
    T whole[2][kGridBlock] = {};  // both sides together, with the unused places of a block that is not full
    find_places<kDims>(p, d, grid, count, c), pad(p, count, c.size[d], c);
    for (int64_t i = 0; i < count; ++i) {
      const T low = std::floor(p.at[i]);
      whole[0][i] = low, whole[1][i] = low + 1;
      s.weight[d][0][i] = low + 1 - p.at[i], s.weight[d][1][i] = p.at[i] - low;
      s.slope[d][0][i] = -p.slope[i], s.slope[d][1][i] = p.slope[i];
    }
    find_indices(s.index[d][0], whole[0], 2 * kGridBlock, c.size[d]);
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

template <int kDims, class T, class I>
[[gnu::always_inline]] inline void cubic(Sides<T, I, 4>& s, const T* grid, int64_t count, const GridCall& c) {
  for (int d = 0; d < kDims; ++d) {
    Places<T> p, side;
    find_places<kDims>(p, d, grid, count, c);
    for (int64_t i = 0; i < count; ++i) {
      T weight[4], slope[4];
      cubic_weights(p.at[i] - std::floor(p.at[i]), weight, slope);
      for (int k = 0; k < 4; ++k) s.weight[d][k][i] = weight[k], s.slope[d][k][i] = slope[k] * p.slope[i];
    }
    for (int k = 0; k < 4; ++k) {
      for (int64_t i = 0; i < count; ++i) side.at[i] = std::floor(p.at[i]) + static_cast<T>(k - 1), side.slope[i] = 0;
      pad(side, count, c.size[d], c);
      find_indices(s.index[d][k], side.at, count, c.size[d]);
    }
  }
}

template <int kDims>
struct FillTable {
  template <class T, class I, bool kSlopes>
  [[gnu::always_inline]] static void run(TapTable<T, I, kSlopes>* table, const T* grid, int64_t count, GridCall c) {
    if (c.interpolation == kNearest) {
      Sides<T, I, 1> sides;
      nearest<kDims>(sides, grid, count, c), join<kSlopes, kDims>(*table, sides, count, c);
    } else if (c.interpolation == kLinear) {
      Sides<T, I, 2> sides;
      linear<kDims>(sides, grid, count, c), join<kSlopes, kDims>(*table, sides, count, c);
    } else if constexpr (kDims == 2) {
      Sides<T, I, 4> sides;
      cubic<kDims>(sides, grid, count, c), join<kSlopes, kDims>(*table, sides, count, c);
    }
  }
};

// Computes the table of `count` points. With slopes it takes a small part of the gradient's time, and a channel that needs wide indices is rare: there one
// version of the code is enough.
template <class T, class I, bool kSlopes>
void fill_table(TapTable<T, I, kSlopes>& table, const T* grid, int64_t count, const GridCall& c) {
  auto with = [&]<int kDims>() {
    if constexpr (kSlopes || sizeof(I) > sizeof(T)) FillTable<kDims>::run(&table, grid, count, c);
    else run_clone<FillTable<kDims>>(&table, grid, count, c);
  };
  if (c.dims == 2) with.template operator()<2>();
  else with.template operator()<3>();
}

// Calls f with a zero of the type of a table's indices: as wide as a T, so that vectors hold as many of them, if that is enough for a channel.
template <class T, class F>
void with_index(const GridCall& c, F&& f) {
  if constexpr (sizeof(T) == 4)
    if (c.plane <= std::numeric_limits<int32_t>::max() / 2) return f(int32_t{});
  f(int64_t{});
}

// Tap k of point i. There is no branch for elements outside, since the processor could not predict it.
template <class T, class I>
[[gnu::always_inline]] inline T tap(const T* plane, const TapTable<T, I, false>* table, int k, int64_t i) {
  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  const Bits value = std::bit_cast<Bits>(plane[table->at[k][i]] * table->weight[k][i]);
  return std::bit_cast<T>(static_cast<Bits>(value & static_cast<Bits>(table->inside[k][i])));
}

template <int kTaps>
struct SampleRow {
  template <class T, class I>
  [[gnu::always_inline]] static void run(T* __restrict out, const T* __restrict plane, const TapTable<T, I, false>* __restrict table,
                                         int64_t first, int64_t count) {
    T sums[kGridBlock] = {};
    for (int k = 0; k < kTaps; ++k)
      for (int64_t i = 0; i < count; ++i) sums[i] += tap(plane, table, k, first + i);
    std::copy_n(sums, count, out);
  }
};

// The same for points of several small items: element `item[i]` of `input` is the first one of a channel of point i.
struct SampleItems {
  template <class T, class I>
  [[gnu::always_inline]] static void run(T* __restrict sums, const T* __restrict input, const TapTable<T, I, false>* __restrict table,
                                         const I* __restrict item, int64_t count, int taps) {
    using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    T values[kGridBlock];
    for (int64_t i = 0; i < count; ++i) sums[i] = 0;
    for (int k = 0; k < taps; ++k) {
      const T* weight = table->weight[k];
      for (int64_t i = 0; i < count; ++i) {
        I at = item[i] + table->at[k][i];
        asm("" : "+r"(at));  // keeps the compiler from making this loop one of vectors, whose elements it would take apart again
        values[i] = input[at];
      }
      for (int64_t i = 0; i < count; ++i) {
        const Bits value = std::bit_cast<Bits>(values[i] * weight[i]);
        sums[i] += std::bit_cast<T>(static_cast<Bits>(value & static_cast<Bits>(table->inside[k][i])));
      }
    }
  }
};

template <class T, class I>
void sample_items(const T* input, T* results, const TapTable<T, I, false>* table, const GridCall& c, int64_t first, int64_t count,
                  int64_t first_channel, int64_t last_channel) {
  I items[kGridBlock];
  int64_t outs[kGridBlock];
  T sums[kGridBlock];
  int64_t item = first / c.places, place = first % c.places;
  for (int64_t i = 0; i < count; ++i) {
    items[i] = static_cast<I>(item * c.channels * c.plane), outs[i] = item * c.channels * c.places + place;
    if (++place == c.places) place = 0, ++item;
  }
  const int taps = c.taps();
  for (int64_t channel = first_channel; channel < last_channel; ++channel) {
    const T* from = input + channel * c.plane;
    const I* own = items;
    run_clone<SampleItems>(sums, from, table, own, count, taps);
    T* out = results + channel * c.places;
    for (int64_t i = 0; i < count; ++i) out[outs[i]] = sums[i];
  }
}

// Computes one channel of points first .. first + count - 1 of a table.
template <int kTaps, class T, class I>
void sample_row(T* out, const T* plane, const TapTable<T, I, false>* table, int64_t first, int64_t count) {
  constexpr int64_t kShort = 8;  // too few for vectors
  if (count >= kShort) return run_clone<SampleRow<kTaps>>(out, plane, table, first, count);
  for (int64_t i = first; i < first + count; ++i) {
    T sum = 0;
    for (int k = 0; k < kTaps; ++k) sum += tap(plane, table, k, i);
    out[i - first] = sum;
  }
}

// Calls f(first point, last, first channel, last), where points are those of all items. Each element of the result belongs to one call.
template <class F>
void in_parts(const GridCall& c, F&& f) {
  const int64_t points = c.batch * c.places;
  const int64_t groups = (c.channels + kChannels - 1) / kChannels, blocks = (points + kGridBlock - 1) / kGridBlock;
  parallel_for(0, groups * blocks, grain(kGridSampleCost, kGridBlock * std::min(c.channels, kChannels)), [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const int64_t block = part % blocks, group = part / blocks;
      f(block * kGridBlock, std::min(points, (block + 1) * kGridBlock), group * kChannels, std::min(c.channels, (group + 1) * kChannels));
    }
  });
}

template <class T, class I>
void sample(const KernelCall& call, const GridCall& c) {
  const T *input = call.args[0].tensor.as<T>(), *grid = call.args[1].tensor.as<T>();
  T* results = call.results[0].as<T>();
  const int taps = c.taps();
  constexpr bool kNarrow = sizeof(I) == sizeof(T);
  const bool small = kNarrow && c.places < kGridBlock && c.batch * c.channels * c.plane <= std::numeric_limits<I>::max();
  in_parts(c, [&](int64_t first_point, int64_t last_point, int64_t first_channel, int64_t last_channel) {
    TapTable<T, I, false> table;
    fill_table(table, grid + first_point * c.dims, last_point - first_point, c);
    const TapTable<T, I, false>* rows = &table;
    if constexpr (kNarrow)
      if (small) return sample_items(input, results, rows, c, first_point, last_point - first_point, first_channel, last_channel);
    for (int64_t point = first_point; point < last_point;) {  // the points of one item after the other
      const int64_t item = point / c.places, end = std::min(last_point, (item + 1) * c.places), at = point - first_point;
      for (int64_t channel = item * c.channels + first_channel; channel < item * c.channels + last_channel; ++channel) {
        const T* plane = input + channel * c.plane;
        T* out = results + channel * c.places + (point - item * c.places);
        if (taps == 1) sample_row<1>(out, plane, rows, at, end - point);
        else if (taps == 4) sample_row<4>(out, plane, rows, at, end - point);
        else if (taps == 8) sample_row<8>(out, plane, rows, at, end - point);
        else sample_row<16>(out, plane, rows, at, end - point);
      }
      point = end;
    }
  });
}

// An element of grad_input may be read by any point, so a thread takes whole channels.
template <class T, class I>
void input_gradient(const KernelCall& call, const GridCall& c) {
  const KernelTensor &grad = call.args[0].tensor, &grid = call.args[2].tensor;
  const int64_t groups = (c.channels + kChannels - 1) / kChannels;
  const int taps = c.taps();
  parallel_for(0, c.batch * groups, grain(kGridSampleCost, c.places * std::min(c.channels, kChannels)), [&](int64_t begin, int64_t end) {
    TapTable<T, I, false> table;
    for (int64_t part = begin; part < end; ++part) {
      const int64_t item = part / groups, first = part % groups * kChannels, last = std::min(c.channels, first + kChannels);
      T* planes = call.results[0].as<T>() + (item * c.channels + first) * c.plane;
      std::fill(planes, planes + (last - first) * c.plane, T(0));
      for (int64_t place = 0; place < c.places; place += kGridBlock) {
        const int64_t count = std::min(kGridBlock, c.places - place);
        fill_table(table, grid.as<const T>() + (item * c.places + place) * c.dims, count, c);
        for (int64_t channel = first; channel < last; ++channel) {
          const T* from = grad.as<T>() + (item * c.channels + channel) * c.places + place;
          T* plane = planes + (channel - first) * c.plane;
          for (int64_t i = 0; i < count; ++i)
            for (int k = 0; k < taps; ++k)
              if (table.inside[k][i]) plane[table.at[k][i]] += from[i] * table.weight[k][i];
        }
      }
    }
  });
}

// The gradient of a point is summed over the channels.
template <class T, class I>
void grid_gradient(const KernelCall& call, const GridCall& c) {
  const KernelTensor &grad = call.args[0].tensor, &input = call.args[1].tensor, &grid = call.args[2].tensor;
  const int64_t blocks = (c.places + kGridBlock - 1) / kGridBlock;
  const int taps = c.taps();
  parallel_for(0, c.batch * blocks, grain(kGridSampleCost, kGridBlock * c.channels), [&](int64_t begin, int64_t end) {
    TapTable<T, I, true> table;
    for (int64_t part = begin; part < end; ++part) {
      const int64_t item = part / blocks, place = part % blocks * kGridBlock, count = std::min(kGridBlock, c.places - place);
      const int64_t first = (item * c.places + place) * c.dims;
      T* out = call.results[1].as<T>() + first;
      fill_table(table, grid.as<const T>() + first, count, c);
      std::fill(out, out + count * c.dims, T(0));
      for (int64_t channel = 0; channel < c.channels; ++channel) {
        const T* from = grad.as<T>() + (item * c.channels + channel) * c.places + place;
        const T* plane = input.as<T>() + (item * c.channels + channel) * c.plane;
        for (int64_t i = 0; i < count; ++i)
          for (int k = 0; k < taps; ++k) {
            if (!table.inside[k][i]) continue;
            const T value = plane[table.at[k][i]] * from[i];
            for (int d = 0; d < c.dims; ++d) out[i * c.dims + d] += value * table.slope[d][k][i];
          }
      }
    }
  });
}

template <class T>
void gradients(const KernelCall& call) {
  const GridCall c(call.args[1].tensor, call.args[2].tensor, call.args + 3);
  with_index<T>(c, [&](auto index) {
    using I = decltype(index);
    if (call.args[6].integer & 1) input_gradient<T, I>(call, c);
    if (call.args[6].integer & 2) grid_gradient<T, I>(call, c);
  });
}

}  // namespace

KernelStatus grid_sampler_kernel(KernelCall& call) {
  const GridCall c(call.args[0].tensor, call.args[1].tensor, call.args + 2);
  if (call.results[0].dtype == DType::f64) sample<double, int64_t>(call, c);
  else with_index<float>(c, [&](auto index) { sample<float, decltype(index)>(call, c); });
  return KernelStatus::Ok;
}

KernelStatus grid_sampler_backward_kernel(KernelCall& call) {
  if (call.args[1].tensor.dtype == DType::f64) gradients<double>(call);
  else gradients<float>(call);
  return KernelStatus::Ok;
}

}  // namespace monograph
