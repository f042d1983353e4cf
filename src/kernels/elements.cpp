// A copy is a nest of loops, sorted so that the destination's smallest stride is innermost. The innermost work is one of three: a contiguous run of bytes,
// a strided row, or a plane that is transposed.
#include "kernels/elements.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/threads/pool.h"
#include "kernels/element_types.h"
#include "kernels/grain.h"
#include "kernels/round.h"
#include "kernels/variants.h"

namespace monograph {
namespace {

constexpr int64_t kElementCost = 4;  // instructions for an element that is moved
constexpr int64_t kLine = 64;  // bytes of a cache line

// ---- the nest ----

struct CopyLoop {
  int64_t size, to, from;  // strides in bytes
};

struct Nest {
  std::array<CopyLoop, kMaxDims> loops;  // outermost first, by the destination's stride
  size_t count = 0;

  void add(CopyLoop loop) {  // inserts it by the destination's stride
    size_t at = count++;
    for (; at > 0 && std::abs(loops[at - 1].to) < std::abs(loop.to); --at) loops[at] = loops[at - 1];
    loops[at] = loop;
  }
  void merge() {
    size_t kept = 0;
    for (size_t i = 1; i < count; ++i) {
      CopyLoop& outer = loops[kept];
      if (outer.to == loops[i].to * loops[i].size && outer.from == loops[i].from * loops[i].size)
        outer = {outer.size * loops[i].size, loops[i].to, loops[i].from};
      else loops[++kept] = loops[i];
    }
    if (count) count = kept + 1;
  }
};

// ---- the innermost work ----

template <int64_t kBytes>
void copy_short_runs(char* to, const char* from, int64_t runs, int64_t to_stride, int64_t from_stride) {
  for (int64_t i = 0; i < runs; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, kBytes);
}

// Copies runs of at least one cache line; the last line of a run overlaps the one before. For short runs memcpy takes longer to begin.
[[gnu::always_inline]] inline void lines_loop(char* to, const char* from, int64_t bytes, int64_t runs, int64_t to_stride,
                                              int64_t from_stride) {
  for (int64_t i = 0; i < runs; ++i) {
    char* t = to + i * to_stride;
    const char* f = from + i * from_stride;
    for (int64_t at = 0; at < bytes - kLine; at += kLine) std::memcpy(t + at, f + at, kLine);
    std::memcpy(t + bytes - kLine, f + bytes - kLine, kLine);
  }
}
MONOGRAPH_VARIANTS(copy_lines, lines_loop,
                   (char* to, const char* from, int64_t bytes, int64_t runs, int64_t to_stride, int64_t from_stride),
                   (to, from, bytes, runs, to_stride, from_stride))

// Copies `runs` runs of `bytes` bytes. Short runs are copied without a call of memcpy.
void copy_runs(char* to, const char* from, int64_t bytes, int64_t runs, int64_t to_stride, int64_t from_stride) {
  constexpr int64_t kLongRun = 64 << 10;
  switch (bytes) {
    case 2: return copy_short_runs<2>(to, from, runs, to_stride, from_stride);
    case 4: return copy_short_runs<4>(to, from, runs, to_stride, from_stride);
    case 8: return copy_short_runs<8>(to, from, runs, to_stride, from_stride);
    case 12: return copy_short_runs<12>(to, from, runs, to_stride, from_stride);
    case 16: return copy_short_runs<16>(to, from, runs, to_stride, from_stride);
    case 32: return copy_short_runs<32>(to, from, runs, to_stride, from_stride);
    default:
      if (bytes >= kLine && bytes < kLongRun) return copy_lines(to, from, bytes, runs, to_stride, from_stride);
      for (int64_t i = 0; i < runs; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, static_cast<size_t>(bytes));
  }
}

template <class E>
[[gnu::always_inline]] inline void reversed_loop(E* to, const E* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[-i] = from[i];
}
template <class E>
[[gnu::always_inline]] inline void halved_loop(E* to, const E* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
}
template <class E>
[[gnu::always_inline]] inline void filled_loop(E* to, const E* from, int64_t n) {
  const E value = *from;
  for (int64_t i = 0; i < n; ++i) to[i] = value;
}
MONOGRAPH_TEMPLATE_VARIANTS((template <class E>), copy_reversed, reversed_loop, (E * to, const E* from, int64_t n), (to, from, n))
MONOGRAPH_TEMPLATE_VARIANTS((template <class E>), copy_halved, halved_loop, (E * to, const E* from, int64_t n), (to, from, n))
MONOGRAPH_TEMPLATE_VARIANTS((template <class E>), fill_run, filled_loop, (E * to, const E* from, int64_t n), (to, from, n))

// Copies a row of n elements at any strides.
template <class E>
void copy_row(char* to, const char* from, const CopyLoop& row) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(E));
  E* out = reinterpret_cast<E*>(to);
  const E* in = reinterpret_cast<const E*>(from);
  if (row.to == -kSize && row.from == kSize) return copy_reversed(out, in, row.size);
  if (row.to == kSize) {
    if (row.from == 2 * kSize) return copy_halved(out, in, row.size - 1), void(out[row.size - 1] = in[2 * (row.size - 1)]);
    if (row.from == 0) return fill_run(out, in, row.size);
  }
  for (int64_t i = 0; i < row.size; ++i) std::memcpy(to + i * row.to, from + i * row.from, sizeof(E));
}

// ---- transposition ----

// Transposes squares of elements in each of kLanes lanes of 16 bytes.
template <class E, int kLanes>
struct Tile {
  static constexpr int kSide = 16 / static_cast<int>(sizeof(E));  // the side of the square in a lane
  static constexpr int kWide = kSide * kLanes;
  typedef E Vector __attribute__((vector_size(16 * kLanes)));

  // Interleaves the elements of the lower or upper halves of each lane of a and b.
  template <int kHalf, int... i>
  [[gnu::always_inline]] static inline void interleave(Vector& out, const Vector& a, const Vector& b, std::integer_sequence<int, i...>) {
    out = __builtin_shufflevector(a, b, (i / kSide * kSide + (i % kSide) / 2 + kHalf * kSide / 2 + (i % 2) * kWide)...);
  }

  // Loads one row of each lane; the rows are `step` apart.
  [[gnu::always_inline]] static inline void load(Vector& out, const char* from, int64_t step) {
    if constexpr (kLanes == 1) {
      std::memcpy(&out, from, 16);
    } else {
      typename Tile<E, kLanes / 2>::Vector low, high;
      Tile<E, kLanes / 2>::load(low, from, step);
      Tile<E, kLanes / 2>::load(high, from + kLanes / 2 * step, step);
      join(out, low, high, std::make_integer_sequence<int, kWide>());
    }
  }
  template <class Half, int... i>
  [[gnu::always_inline]] static inline void join(Vector& out, const Half& low, const Half& high, std::integer_sequence<int, i...>) {
    out = __builtin_shufflevector(low, high, i...);
  }

  // Element (r, c) of the source, at from + r * from_stride + c * size, becomes (c, r) of the destination: kWide rows of kSide elements.
  [[gnu::always_inline]] static inline void transpose(char* to, int64_t to_stride, const char* from, int64_t from_stride) {
    Vector v[kSide], w[kSide];
#pragma GCC unroll 16
    for (int r = 0; r < kSide; ++r) load(v[r], from + r * from_stride, kSide * from_stride);
#pragma GCC unroll 4
    for (int round = 1; round < kSide; round *= 2) {
#pragma GCC unroll 8
      for (int i = 0; i < kSide / 2; ++i) {
        interleave<0>(w[2 * i], v[i], v[i + kSide / 2], std::make_integer_sequence<int, kWide>());
        interleave<1>(w[2 * i + 1], v[i], v[i + kSide / 2], std::make_integer_sequence<int, kWide>());
      }
#pragma GCC unroll 16
      for (int i = 0; i < kSide; ++i) v[i] = w[i];
    }
#pragma GCC unroll 16
    for (int c = 0; c < kSide; ++c) std::memcpy(to + c * to_stride, &v[c], sizeof(Vector));
  }
};

// A plane to transpose: element (i, j) is at i * stride + j * size in the source, at i * size + j * stride in the destination.
struct Plane {
  char* to;
  const char* from;
  int64_t to_stride, from_stride;
  int64_t rows, columns;  // the numbers of values of i and of j
};

template <class E>
[[gnu::always_inline]] inline void transpose_scalar(const Plane& p, int64_t i_begin, int64_t i_end, int64_t j_begin, int64_t j_end) {
  for (int64_t j = j_begin; j < j_end; ++j)
    for (int64_t i = i_begin; i < i_end; ++i)
      std::memcpy(p.to + j * p.to_stride + i * static_cast<int64_t>(sizeof(E)),
                  p.from + i * p.from_stride + j * static_cast<int64_t>(sizeof(E)), sizeof(E));
}

// Writes one line of the destination after the other. The cache keeps the source's lines that one tile has read a part of for the next tiles.
template <class E, int kLanes>
[[gnu::always_inline]] inline void transpose_loop(const Plane& p) {
  using Wide = Tile<E, kLanes>;
  using Narrow = Tile<E, 1>;
  constexpr auto kSize = static_cast<int64_t>(sizeof(E));
  constexpr int64_t kLineElements = kLine / kSize, kSide = Narrow::kSide;
  const int64_t columns = p.columns / kSide * kSide;
  int64_t i = 0;
  for (; i + kLineElements <= p.rows; i += kLineElements) {
    for (int64_t j = 0; j < columns; j += kSide)
#pragma GCC unroll 4
      for (int64_t part = 0; part < kLineElements; part += Wide::kWide)
        Wide::transpose(p.to + j * p.to_stride + (i + part) * kSize, p.to_stride, p.from + (i + part) * p.from_stride + j * kSize,
                        p.from_stride);
  }
  for (; i + kSide <= p.rows; i += kSide)
    for (int64_t j = 0; j < columns; j += kSide)
      Narrow::transpose(p.to + j * p.to_stride + i * kSize, p.to_stride, p.from + i * p.from_stride + j * kSize, p.from_stride);
  transpose_scalar<E>(p, i, p.rows, 0, columns);
  transpose_scalar<E>(p, 0, p.rows, columns, p.columns);
}
template <class E>
MONOGRAPH_TARGET_V4 void transpose_v4(const Plane& p) {
  transpose_loop<E, 4>(p);
}
template <class E>
MONOGRAPH_TARGET_V3 void transpose_v3(const Plane& p) {
  transpose_loop<E, 2>(p);
}
// Two rows become pairs.
template <class E>
[[gnu::always_inline]] inline void pairs_loop(E* __restrict to, const E* __restrict a, const E* __restrict b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[2 * i] = a[i], to[2 * i + 1] = b[i];
}
MONOGRAPH_TEMPLATE_VARIANTS((template <class E>), copy_pairs, pairs_loop, (E * to, const E* a, const E* b, int64_t n), (to, a, b, n))

template <class E>
void transpose(const Plane& p) {
  if (p.rows == 2 && p.to_stride == 2 * static_cast<int64_t>(sizeof(E)))
    return copy_pairs(reinterpret_cast<E*>(p.to), reinterpret_cast<const E*>(p.from), reinterpret_cast<const E*>(p.from + p.from_stride),
                      p.columns);
  if constexpr (std::is_same_v<E, Element16>) {
    constexpr int64_t kBlock = 16;
    for (int64_t i = 0; i < p.rows; i += kBlock)
      for (int64_t j = 0; j < p.columns; j += kBlock)
        transpose_scalar<E>(p, i, std::min(i + kBlock, p.rows), j, std::min(j + kBlock, p.columns));
  } else {
    const Isa isa = host_isa();
    if (isa >= Isa::v4) return transpose_v4<E>(p);
    if (isa >= Isa::v3) return transpose_v3<E>(p);
    transpose_loop<E, 1>(p);
  }
}

// Copies a plane without contiguous elements, in squares that fit in the cache.
template <class E>
void copy_squares(char* to, const char* from, const CopyLoop& outer, const CopyLoop& inner) {
  constexpr int64_t kSquare = 32;
  for (int64_t i = 0; i < outer.size; i += kSquare)
    for (int64_t j = 0; j < inner.size; j += kSquare)
      for (int64_t a = i, a_end = std::min(i + kSquare, outer.size); a < a_end; ++a)
        for (int64_t b = j, b_end = std::min(j + kSquare, inner.size); b < b_end; ++b)
          std::memcpy(to + a * outer.to + b * inner.to, from + a * outer.from + b * inner.from, sizeof(E));
}

// ---- all of it ----

// Calls f for every position of the first `count` loops.
template <class F>
void for_outer(const Nest& nest, size_t count, char* to, const char* from, F&& f) {
  std::array<int64_t, kMaxDims> at;
  std::fill_n(at.begin(), count, 0);
  for (;;) {
    f(to, from);
    size_t d = count;
    for (; d > 0; --d) {
      const CopyLoop& loop = nest.loops[d - 1];
      to += loop.to, from += loop.from;
      if (++at[d - 1] < loop.size) break;
      to -= loop.to * loop.size, from -= loop.from * loop.size;
      at[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

template <class E>
void copy_nest(Nest& nest, char* to, const char* from) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(E));
  if (nest.count == 0) return void(std::memcpy(to, from, sizeof(E)));
  const CopyLoop inner = nest.loops[nest.count - 1];
  if (inner.to == kSize && inner.from == kSize) {
    if (nest.count == 1) return void(std::memcpy(to, from, static_cast<size_t>(inner.size * kSize)));
    const CopyLoop runs = nest.loops[nest.count - 2];
    for_outer(nest, nest.count - 2, to, from,
              [&](char* t, const char* f) { copy_runs(t, f, inner.size * kSize, runs.size, runs.to, runs.from); });
    return;
  }
  // The loop that is innermost in the source, if it is not the innermost of the destination.
  size_t closest = nest.count - 1;
  for (size_t d = 0; d < nest.count; ++d)
    if (nest.loops[d].from != 0 && std::abs(nest.loops[d].from) < std::abs(nest.loops[closest].from)) closest = d;
  if (closest == nest.count - 1) {
    for_outer(nest, nest.count - 1, to, from, [&](char* t, const char* f) { copy_row<E>(t, f, inner); });
    return;
  }
  std::rotate(nest.loops.begin() + static_cast<ptrdiff_t>(closest), nest.loops.begin() + static_cast<ptrdiff_t>(closest) + 1,
              nest.loops.begin() + static_cast<ptrdiff_t>(nest.count) - 1);
  const CopyLoop columns = nest.loops[nest.count - 2];
  const bool dense = inner.to == kSize && columns.from == kSize;
  for_outer(nest, nest.count - 2, to, from, [&](char* t, const char* f) {
    if (dense) transpose<E>({t, f, columns.to, inner.from, inner.size, columns.size});
    else copy_squares<E>(t, f, columns, inner);
  });
}

}  // namespace

namespace {

constexpr int64_t kOneRun = int64_t{64} << 10;  // a dense copy of up to this many bytes is one memcpy, which is not split over threads

// The number of elements if both tensors have the same dense layout; else 0.
int64_t one_run(const KernelTensor& dst, const int64_t* from_strides) {
  int64_t n = 1;
  for (int32_t d = dst.dim; d-- > 0;) {
    if (dst.sizes[d] == 1) continue;
    if (dst.strides[d] != n || from_strides[d] != n) return 0;
    n *= dst.sizes[d];
  }
  return n;
}

// Copies from a source that may be reversed or broadcast.
void copy(const KernelTensor& dst, char* from, const int64_t* from_strides) {
  const int64_t element = element_size(dst.dtype);
  char* to = dst.data;
  if (from_strides)
    if (const int64_t bytes = one_run(dst, from_strides) * element; bytes > 0 && bytes <= kOneRun)
      return void(std::memcpy(to, from, static_cast<size_t>(bytes)));
  if (!dst.has_elements()) return;
  Nest nest;
  int64_t total = 1;
  for (int32_t d = 0; d < dst.dim; ++d) {
    if (dst.sizes[d] == 1) continue;
    CopyLoop loop{dst.sizes[d], dst.strides[d] * element, from_strides ? from_strides[d] * element : 0};
    if (loop.from < 0) {  // read a reversed dim forwards, since the processor prefetches in that direction
      to += (loop.size - 1) * loop.to, from += (loop.size - 1) * loop.from;
      loop.to = -loop.to, loop.from = -loop.from;
    }
    nest.add(loop);
    total *= loop.size;
  }
  nest.merge();
  dispatch_unsigned(element, [&](auto e) {
    using E = decltype(e);
    if (!shares(kElementCost, total)) return copy_nest<E>(nest, to, from);
    // Split the outermost loop, at whole cache lines of the destination.
    const CopyLoop outer = nest.loops[0];
    const int64_t each = grain(kElementCost, total / outer.size), unit = each > 1 || std::abs(outer.to) < kLine ? kLine / element : 1;
    parallel_for(0, outer.size, round_up(each, unit), [&](int64_t begin, int64_t end) {
      Nest part = nest;
      part.loops[0].size = end - begin;
      copy_nest<E>(part, to + begin * outer.to, from + begin * outer.from);
    });
  });
}

}  // namespace

// Interleaves elements of kParts parts, kParts * 16 bytes at a time. Returns how many elements of each part it has copied.
template <class E, int kParts>
int64_t interleave(char* to, const RowPart* parts, int64_t first, int64_t n) {
  using Vector = typename Tile<E, 1>::Vector;
  constexpr int kSide = Tile<E, 1>::kSide;
  constexpr std::make_integer_sequence<int, kSide> kLanes;
  static_assert(kParts == 2 || kParts == 4);
  int64_t i = 0;
  for (; i + kSide <= n; i += kSide, to += kParts * 16) {
    Vector v[kParts], w[kParts];
    for (int k = 0; k < kParts; ++k) std::memcpy(&v[k], parts[k].data + (first + i) * static_cast<int64_t>(sizeof(E)), 16);
    for (int round = 1; round < kParts; round *= 2) {
      for (int k = 0; k < kParts / 2; ++k) {
        Tile<E, 1>::template interleave<0>(w[2 * k], v[k], v[k + kParts / 2], kLanes);
        Tile<E, 1>::template interleave<1>(w[2 * k + 1], v[k], v[k + kParts / 2], kLanes);
      }
      std::copy_n(w, kParts, v);
    }
    std::memcpy(to, v, kParts * 16);
  }
  return i;
}

// Joins rows with few elements of one size.
int64_t interleave_elements(char* to, const RowPart* parts, size_t count, int64_t first, int64_t n) {
  for (size_t k = 1; k < count; ++k)
    if (parts[k].bytes != parts[0].bytes) return 0;
  if (parts[0].bytes == 4)
    return count == 2 ? interleave<uint32_t, 2>(to, parts, first, n) : count == 4 ? interleave<uint32_t, 4>(to, parts, first, n) : 0;
  if (parts[0].bytes == 8)
    return count == 2 ? interleave<uint64_t, 2>(to, parts, first, n) : count == 4 ? interleave<uint64_t, 4>(to, parts, first, n) : 0;
  return 0;
}

void join_rows(char* to, const RowPart* parts, size_t count, int64_t rows) {
  constexpr int64_t kBlockBytes =
      16 << 10;  // the part of the result that is written at once: with its source it fits in the first-level cache
  int64_t bytes = 0;
  for (size_t k = 0; k < count; ++k) bytes += parts[k].bytes;
  const int64_t block = std::max<int64_t>(1, kBlockBytes / bytes);
  parallel_for(0, rows, grain(kElementCost, static_cast<int64_t>(count)), [&](int64_t begin, int64_t end) {
    begin += interleave_elements(to + begin * bytes, parts, count, begin, end - begin);
    for (int64_t row = begin; row < end; row += block) {
      char* at = to + row * bytes;
      for (size_t k = 0; k < count; at += parts[k++].bytes)
        copy_runs(at, parts[k].data + row * parts[k].bytes, parts[k].bytes, std::min(block, end - row), bytes, parts[k].bytes);
    }
  });
}

void copy_elements(const KernelTensor& dst, const KernelTensor& src) { copy(dst, src.data, src.strides); }

void fill_elements(const KernelTensor& dst, const void* value) { copy(dst, static_cast<char*>(const_cast<void*>(value)), nullptr); }

namespace {

template <class T>
[[gnu::always_inline]] inline void add_loop(T* to, const T* from, int64_t n, int64_t step) {
  for (int64_t i = 0; i < n; ++i) {
    const T x = from[i * step];
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) to[i] = T(static_cast<float>(to[i]) + static_cast<float>(x));
    else if constexpr (std::is_integral_v<T>) to[i] = static_cast<T>(static_cast<uint64_t>(to[i]) + static_cast<uint64_t>(x));
    else to[i] = to[i] + x;
  }
}
MONOGRAPH_TEMPLATE_VARIANTS((template <class T>), add_row, add_loop, (T * to, const T* from, int64_t n, int64_t step), (to, from, n, step))

}  // namespace

void add_elements(const KernelTensor& dst, const KernelTensor& addend) {
  const int32_t last = dst.dim - 1, lead = dst.dim - addend.dim;
  const int64_t n = dst.sizes[last], rows = dst.numel() / n;
  const auto stride = [&](int32_t d) { return d < lead || addend.sizes[d - lead] == 1 ? 0 : addend.strides[d - lead]; };
  dispatch(dst.dtype, [&](auto zero) {
    using T = decltype(zero);
    parallel_for(0, rows, grain(kElementCost, n), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        int64_t at = 0, rest = row;
        for (int32_t d = last; d-- > 0; rest /= dst.sizes[d]) at += rest % dst.sizes[d] * stride(d);
        add_row(dst.as<T>() + row * n, addend.as<T>() + at, n, stride(last));
      }
    });
  });
}

KernelStatus flip_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  if (!self.has_elements()) return KernelStatus::Ok;
  const KernelArg::Ints& dims = call.args[1].ints;
  KernelTensor to = out;
  std::array<int64_t, kMaxDims> sizes, to_strides, from_strides;
  char* first = self.data;
  to.sizes = sizes.data(), to.strides = to_strides.data(), to.dim = 0;
  for (int32_t d = 0; d < self.dim; ++d) {
    if (self.sizes[d] == 1) continue;
    const auto k = static_cast<size_t>(to.dim++);
    sizes[k] = self.sizes[d], to_strides[k] = out.strides[d], from_strides[k] = self.strides[d];
    const auto flipped = [&](int64_t dim) { return (dim < 0 ? dim + self.dim : dim) == d; };
    if (std::any_of(dims.values, dims.values + dims.count, flipped)) {
      first += (self.sizes[d] - 1) * self.strides[d] * element_size(self.dtype);
      from_strides[k] = -from_strides[k];
    }
  }
  copy(to, first, from_strides.data());
  return KernelStatus::Ok;
}

}  // namespace monograph
