// A walk is a nest of loops over three operands: the table, the tensor that is read or written for it (`other`), and the index. A loop along which the
// index has a stride of 0 goes through a slice. If the innermost loop is one, whole rows are moved. Else the offsets of a block of elements are computed
// first, in a loop that the compiler vectorizes, and then the elements are moved.
#include "kernels/gather_scatter.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>

#include "core/threads/pool.h"
#include "kernels/element_types.h"
#include "kernels/elements.h"
#include "kernels/grain.h"
#include "kernels/number.h"
#include "kernels/round.h"
#include "kernels/variants.h"

namespace monograph {
namespace {

constexpr int64_t kMovedCost = 4;  // instructions for each element that is moved
constexpr int64_t kAddCost =
    8;  // the same for an element that is added: it may have been written just before, and the addition waits for it
constexpr int64_t kBlock = 1024;  // the number of offsets that are computed at once
constexpr int64_t kAnyOffset = std::numeric_limits<int64_t>::max();

struct TableLoop {
  int64_t size;
  int64_t table, other, index;  // strides in bytes
};

struct Walk {
  char* table;
  char* other;
  const char* index;
  bool wide;  // whether the index is int64; else it is int32
  int64_t limit;  // valid indices are 0 .. limit - 1
  int64_t step;  // bytes of the table from one index to the next
  std::array<TableLoop, kMaxDims> loops;  // outermost first, in logical order
  size_t count = 0;

  // Adds a loop inside the existing ones. It is merged with the innermost one if the strides of all operands allow it.
  void add(const TableLoop& loop) {
    if (loop.size == 1) return;
    if (count) {
      TableLoop& outer = loops[count - 1];
      if (outer.table == loop.table * loop.size && outer.other == loop.other * loop.size && outer.index == loop.index * loop.size) {
        outer = {outer.size * loop.size, loop.table, loop.other, loop.index};
        return;
      }
    }
    if (count == kMaxDims) return void(loops[0].size = 0);  // so many loops without a size of 0 would be more elements than memory holds
    loops[count++] = loop;
  }
  int64_t total() const {
    int64_t n = 1;
    for (size_t d = 0; d < count; ++d) n *= loops[d].size;
    return n;
  }
};

// ---- operations on an element of the table ----

template <class E>
struct GatherElement {
  using Element = E;
  static void row(char* table, char* other, const TableLoop& l) {
    if (l.table == sizeof(E) && l.other == sizeof(E)) return void(std::memcpy(other, table, static_cast<size_t>(l.size) * sizeof(E)));
    for (int64_t i = 0; i < l.size; ++i) std::memcpy(other + i * l.other, table + i * l.table, sizeof(E));
  }
  // Moves elements at offsets of kUnit bytes.
  template <int64_t kUnit>
  static void elements(char* table, const int64_t* offsets, char* other, int64_t stride, int64_t n) {
    if (stride == sizeof(E)) {
      E* out = reinterpret_cast<E*>(other);
      for (int64_t i = 0; i < n; ++i) out[i] = *reinterpret_cast<const E*>(table + offsets[i] * kUnit);
      return;
    }
    for (int64_t i = 0; i < n; ++i) std::memcpy(other + i * stride, table + offsets[i] * kUnit, sizeof(E));
  }
  // The same for kSlices tables at equal distances in bytes, into contiguous rows, so that an offset is loaded once for all.
  static constexpr int64_t kSlices = 4;
  template <int64_t kUnit>
  static void slices(const char* table, int64_t table_step, const int64_t* offsets, char* other, int64_t other_step, int64_t n) {
    E* out[kSlices];
    for (int64_t k = 0; k < kSlices; ++k) out[k] = reinterpret_cast<E*>(other + k * other_step);
    for (int64_t i = 0; i < n; ++i) {
      const char* place = table + offsets[i] * kUnit;
      for (int64_t k = 0; k < kSlices; ++k) out[k][i] = *reinterpret_cast<const E*>(place + k * table_step);
    }
  }
};

template <class E>
struct ScatterElement {
  using Element = E;
  static void row(char* table, char* other, const TableLoop& l) {
    if (l.table == sizeof(E) && l.other == sizeof(E)) return void(std::memcpy(table, other, static_cast<size_t>(l.size) * sizeof(E)));
    for (int64_t i = 0; i < l.size; ++i) std::memcpy(table + i * l.table, other + i * l.other, sizeof(E));
  }
  template <int64_t kUnit>
  static void elements(char* table, const int64_t* offsets, char* other, int64_t stride, int64_t n) {
    for (int64_t i = 0; i < n; ++i) std::memcpy(table + offsets[i] * kUnit, other + i * stride, sizeof(E));
  }
};

// Adds x to the element: bools are ORed, 16-bit floats are added in float32, integers wrap.
template <class T>
[[gnu::always_inline]] inline void add_to(T& place, T x) {
  if constexpr (std::is_same_v<T, bool>) place = place || x;
  else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) place = T(static_cast<float>(place) + static_cast<float>(x));
  else if constexpr (std::is_integral_v<T>) place = static_cast<T>(static_cast<uint64_t>(place) + static_cast<uint64_t>(x));
  else place = static_cast<T>(place + x);
}
template <class T>
[[gnu::always_inline]] inline void add_loop(T* table, const T* other, int64_t n) {
  for (int64_t i = 0; i < n; ++i) add_to(table[i], other[i]);
}
MONOGRAPH_TEMPLATE_VARIANTS((template <class T>), add_run, add_loop, (T * table, const T* other, int64_t n), (table, other, n))

template <class T>
struct ScatterAddElement {
  using Element = T;
  // Adds elements at indices that are checked as they are read, which is no slower than the additions. False if one is out of range.
  static bool checked(char* table, const int64_t* places, char* other, int64_t stride, int64_t n, int64_t limit) {
    T* to = reinterpret_cast<T*>(table);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = places[i];
      if (static_cast<uint64_t>(at) >= static_cast<uint64_t>(limit)) [[unlikely]]
        return false;
      add_to(to[at], *reinterpret_cast<const T*>(other + i * stride));
    }
    return true;
  }
  static void row(char* table, char* other, const TableLoop& l) {
    if (l.table == sizeof(T) && l.other == sizeof(T))
      return add_run(reinterpret_cast<T*>(table), reinterpret_cast<const T*>(other), l.size);
    for (int64_t i = 0; i < l.size; ++i)
      add_to(*reinterpret_cast<T*>(table + i * l.table), *reinterpret_cast<const T*>(other + i * l.other));
  }
  template <int64_t kUnit>
  static void elements(char* table, const int64_t* offsets, char* other, int64_t stride, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      add_to(*reinterpret_cast<T*>(table + offsets[i] * kUnit), *reinterpret_cast<const T*>(other + i * stride));
  }
};

// Calls f with a Move of an unsigned type of this many bytes.
template <template <class> class Move, class F>
KernelStatus dispatch_bytes(int64_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(Move<uint8_t>());
    case 2: return f(Move<uint16_t>());
    case 4: return f(Move<uint32_t>());
    case 8: return f(Move<uint64_t>());
    default: return f(Move<Element16>());
  }
}

// ---- offsets ----

// out[i] = index[i] * step + i * along, and a negative number if an index is not in 0 .. limit - 1.
template <class Index>
[[gnu::always_inline]] inline void offsets_loop(int64_t* out, const Index* index, int64_t n, int64_t limit, int64_t step, int64_t along,
                                                int64_t& outside) {
  uint64_t seen = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<uint64_t>(static_cast<int64_t>(index[i]));
    seen |= v | (static_cast<uint64_t>(limit) - 1 - v);
    out[i] = static_cast<int64_t>(v * static_cast<uint64_t>(step) + static_cast<uint64_t>(i * along));
  }
  outside = static_cast<int64_t>(seen);
}
MONOGRAPH_TEMPLATE_VARIANTS((template <class Index>), dense_offsets, offsets_loop,
                            (int64_t* out, const Index* index, int64_t n, int64_t limit, int64_t step, int64_t along, int64_t& outside),
                            (out, index, n, limit, step, along, outside))

[[gnu::always_inline]] inline void outside_loop(const int64_t* index, int64_t n, int64_t limit, int64_t& outside) {
  uint64_t seen = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<uint64_t>(index[i]);
    seen |= v | (static_cast<uint64_t>(limit) - 1 - v);
  }
  outside = static_cast<int64_t>(seen);
}
MONOGRAPH_VARIANTS(find_outside, outside_loop, (const int64_t* index, int64_t n, int64_t limit, int64_t& outside),
                   (index, n, limit, outside))

int64_t index_at(const char* index, bool wide) {
  if (wide) return *reinterpret_cast<const int64_t*>(index);
  return *reinterpret_cast<const int32_t*>(index);
}

// Computes the offsets of n elements along `loop`. False if an index is out of range.
bool block_offsets(const Walk& w, const TableLoop& loop, const char* index, int64_t n, int64_t* out) {
  int64_t outside = 0;
  if (w.wide && loop.index == 8) dense_offsets(out, reinterpret_cast<const int64_t*>(index), n, w.limit, w.step, loop.table, outside);
  else if (!w.wide && loop.index == 4) dense_offsets(out, reinterpret_cast<const int32_t*>(index), n, w.limit, w.step, loop.table, outside);
  else
    for (int64_t i = 0; i < n; ++i) {
      const int64_t v = index_at(index + i * loop.index, w.wide);
      outside |= v | (w.limit - 1 - v);
      out[i] = static_cast<int64_t>(static_cast<uint64_t>(v) * static_cast<uint64_t>(w.step)) + i * loop.table;
    }
  return outside >= 0;
}

// ---- the walk ----

// Calls f(table, other, index) for every position of the first `count` loops, until it returns false.
template <class F>
bool for_outer(const Walk& w, size_t count, F&& f) {
  char *table = w.table, *other = w.other;
  const char* index = w.index;
  std::array<int64_t, kMaxDims> at;
  std::fill_n(at.begin(), count, 0);
  for (;;) {
    if (!f(table, other, index)) return false;
    size_t d = count;
    for (; d > 0; --d) {
      const TableLoop& l = w.loops[d - 1];
      table += l.table, other += l.other, index += l.index;
      if (++at[d - 1] < l.size) break;
      table -= l.table * l.size, other -= l.other * l.size, index -= l.index * l.size;
      at[d - 1] = 0;
    }
    if (d == 0) return true;
  }
}

template <class Move>
bool walk_rows(const Walk& w, const TableLoop& row) {
  const TableLoop alone{1, 0, 0, 0};
  const TableLoop& middle = w.count > 1 ? w.loops[w.count - 2] : alone;
  return for_outer(w, w.count > 1 ? w.count - 2 : 0, [&](char* table, char* other, const char* index) {
    for (int64_t i = 0; i < middle.size; ++i) {
      const int64_t v = index_at(index + i * middle.index, w.wide);
      if (static_cast<uint64_t>(v) >= static_cast<uint64_t>(w.limit)) return false;
      Move::row(table + i * middle.table + v * w.step, other + i * middle.other, row);
    }
    return true;
  });
}

template <class Move>
bool walk_elements(const Walk& w, const TableLoop& inner) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(typename Move::Element));
  int64_t computed[kBlock];
  const size_t outer = w.count - 1;
  // Offsets or indices of a row that can be used without a copy.
  const bool as_they_lie = w.wide && inner.index == 8 && inner.table == 0 && (w.step == kSize || w.limit == kAnyOffset);
  const bool same_index =
      std::all_of(w.loops.begin(), w.loops.begin() + static_cast<ptrdiff_t>(outer), [](const TableLoop& l) { return l.index == 0; });
  auto block = [&](char* table, char* other, const char* index, int64_t at, bool known) {
    const int64_t n = std::min(kBlock, inner.size - at);
    table += at * inner.table, other += at * inner.other, index += at * inner.index;
    if (!as_they_lie) {
      if (!known && !block_offsets(w, inner, index, n, computed)) return false;
      Move::template elements<1>(table, computed, other, inner.other, n);
      return true;
    }
    const auto* given = reinterpret_cast<const int64_t*>(index);
    if (w.limit == kAnyOffset) {
      Move::template elements<1>(table, given, other, inner.other, n);
      return true;
    }
    if constexpr (requires { &Move::checked; })
      if (!known) return Move::checked(table, given, other, inner.other, n, w.limit);
    int64_t outside = 0;
    if (!known) find_outside(given, n, w.limit, outside);
    if (outside < 0) return false;
    Move::template elements<kSize>(table, given, other, inner.other, n);
    return true;
  };
  if (!same_index || outer == 0)
    return for_outer(w, outer, [&](char* table, char* other, const char* index) {
      for (int64_t at = 0; at < inner.size; at += kBlock)
        if (!block(table, other, index, at, false)) return false;
      return true;
    });
  const TableLoop& slice = w.loops[outer - 1];
  for (int64_t at = 0; at < inner.size; at += kBlock) {  // all slices use the offsets of a block
    bool known = false;
    if (!for_outer(w, outer - 1, [&](char* table, char* other, const char* index) {
          int64_t i = 0;
          if (!known && !block(table, other, index, at, false)) return false;
          if (!known) known = true, i = 1;
          if constexpr (requires { Move::kSlices; })
            for (; inner.other == kSize && i + Move::kSlices <= slice.size; i += Move::kSlices) {
              const int64_t n = std::min(kBlock, inner.size - at);
              const char* from = table + i * slice.table + at * inner.table;
              char* to = other + i * slice.other + at * kSize;
              const auto* given = reinterpret_cast<const int64_t*>(index + at * inner.index);
              if (!as_they_lie) Move::template slices<1>(from, slice.table, computed, to, slice.other, n);
              else if (w.limit == kAnyOffset) Move::template slices<1>(from, slice.table, given, to, slice.other, n);
              else Move::template slices<kSize>(from, slice.table, given, to, slice.other, n);
            }
          for (; i < slice.size; ++i) block(table + i * slice.table, other + i * slice.other, index, at, true);
          return true;
        }))
      return false;
  }
  return true;
}

template <class Move>
bool walk(const Walk& w) {
  if (w.count == 0) return walk_rows<Move>(w, {1, 0, 0, 0});
  const TableLoop& inner = w.loops[w.count - 1];
  return inner.index == 0 ? walk_rows<Move>(w, inner) : walk_elements<Move>(w, inner);
}

// The loop that threads share, the number of its pieces, and the smallest piece.
struct Split {
  size_t loop = 0;
  int64_t grain = 0;  // 0: do not split
};

// Any loop can be split for a kernel that reads the table.
Split split_reading(const Walk& w) {
  const int64_t total = w.total();
  if (!shares(kMovedCost, total)) return {};
  size_t best = 0;
  while (best + 1 < w.count && w.loops[best].size < 8) ++best;
  return {best, grain(kMovedCost, total / w.loops[best].size)};
}

// Whether two indices of the table's dims may be the same element. Takes the strides of the dims that are not indexed, and those of the index.
bool repeats(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  // In ascending order, each stride must be larger than the range that the smaller ones span.
  std::array<size_t, kMaxDims> order;
  size_t count = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 2) continue;
    size_t at = count++;
    for (; at > 0 && strides[order[at - 1]] > strides[d]; --at) order[at] = order[at - 1];
    order[at] = d;
  }
  int64_t spanned = 0;  // the distance from the first element to the last one
  for (size_t k = 0; k < count; ++k) {
    if (strides[order[k]] <= spanned) return true;
    spanned += (sizes[order[k]] - 1) * strides[order[k]];
  }
  return false;
}

// A kernel that writes the table can split a loop over a dim that is not indexed, since its positions are different elements of the table.
Split split_writing(const Walk& w) {
  const int64_t total = w.total();
  if (!shares(kAddCost, total)) return {};
  size_t best = w.count;
  for (size_t d = 0; d < w.count; ++d)
    if (w.loops[d].table != 0 && (best == w.count || w.loops[d].size > w.loops[best].size)) best = d;
  if (best == w.count) return {};
  const int64_t pieces = w.loops[best].index ? 32 : 4;  // if the loop has an index stride of 0, each piece reads the whole index
  const int64_t size = w.loops[best].size, least = std::abs(w.loops[best].table) < 64 ? 64 : 1;
  return {best, std::max({least, divide_up(size, pieces), grain(kAddCost, total / size)})};
}

template <class Move>
bool run(const Walk& w, Split split) {
  if (split.grain == 0) return walk<Move>(w);
  std::atomic<bool> fits{true};
  parallel_for(0, w.loops[split.loop].size, split.grain, [&](int64_t begin, int64_t end) {
    Walk part = w;
    TableLoop& l = part.loops[split.loop];
    part.table += begin * l.table, part.other += begin * l.other, part.index += begin * l.index;
    l.size = end - begin;
    if (!walk<Move>(part)) fits.store(false, std::memory_order_relaxed);
  });
  return fits.load();
}

// ---- walks for the operators ----

int64_t element_of(const KernelTensor& t) { return element_size(t.dtype); }

// The position in row-major order of the first index that is not in least .. limit - 1.
KernelStatus refuse(KernelCall& call, const KernelTensor& index, int64_t least, int64_t limit) {
  const int64_t size = element_of(index), n = index.numel();
  for (int64_t place = 0; place < n; ++place) {
    int64_t rest = place, at = 0;
    for (int32_t d = index.dim; d-- > 0; rest /= index.sizes[d]) at += rest % index.sizes[d] * index.strides[d];
    const int64_t v = index_at(index.data + at * size, index.dtype == DType::i64);
    if (v < least || v >= limit) return call.fail(v, limit, place);
  }
  return KernelStatus::Ok;
}

void use_index(Walk& w, const KernelTensor& index, int64_t limit, int64_t step) {
  w.index = index.data, w.wide = index.dtype == DType::i64, w.limit = limit, w.step = step;
}

// The walk of gather: over the sizes of index, which may be smaller than those of the table.
Walk gather_walk(const KernelTensor& table, const KernelTensor& other, const KernelTensor& index, int32_t d) {
  Walk w;
  const int64_t element = element_of(table), index_size = element_of(index);
  w.table = table.data, w.other = other.data;
  use_index(w, index, table.dim ? table.sizes[d] : 1, table.dim ? table.strides[d] * element : 0);
  for (int32_t k = 0; k < index.dim; ++k)
    w.add({index.sizes[k], k == d ? 0 : table.strides[k] * element, other.strides[k] * element, index.strides[k] * index_size});
  return w;
}

// The walk of index_select: over the sizes of `other`, whose dim d has the size of the index.
Walk select_walk(const KernelTensor& table, const KernelTensor& other, const KernelTensor& index, int32_t d) {
  Walk w;
  const int64_t element = element_of(table), index_step = index.dim ? index.strides[0] * element_of(index) : 0;
  w.table = table.data, w.other = other.data;
  use_index(w, index, table.dim ? table.sizes[d] : 1, table.dim ? table.strides[d] * element : 0);
  for (int32_t k = 0; k < other.dim; ++k)
    w.add({other.sizes[k], k == d ? 0 : table.strides[k] * element, other.strides[k] * element, k == d ? index_step : 0});
  return w;
}

// The walk of embedding: over all dims of the index, then the row.
Walk embedding_walk(const KernelTensor& table, const KernelTensor& other, const KernelTensor& index) {
  Walk w;
  const int64_t element = element_of(table);
  w.table = table.data, w.other = other.data;
  use_index(w, index, table.sizes[0], table.strides[0] * element);
  for (int32_t k = 0; k < index.dim; ++k) w.add({index.sizes[k], 0, other.strides[k] * element, index.strides[k] * element_of(index)});
  w.add({other.sizes[index.dim], table.strides[1] * element, other.strides[index.dim] * element, 0});
  return w;
}

KernelStatus take(KernelCall& call, const Walk& w, const KernelTensor& index, int64_t element) {
  if (w.total() == 0) return KernelStatus::Ok;
  return dispatch_bytes<GatherElement>(
      element, [&](auto move) { return run<decltype(move)>(w, split_reading(w)) ? KernelStatus::Ok : refuse(call, index, 0, w.limit); });
}

// Adds along the rows of a table that is larger than a thread's cache. The elements of one column would evict each other from the cache, since rows are
// often a power of two apart. So strips of columns are added up in contiguous memory.
class Strips {
 public:
  Strips(const Walk& w, int64_t element) : w_(w), element_(element) {
    if (w.count != 2 || w.loops[0].table != 0 || w.loops[1].table != element || w.loops[1].index == 0)
      return;  // one index for each row: whole rows are added
    const bool large = w.limit <= kBytes / (kLeast * element) && w.limit * w.loops[1].size * element > kCache;
    if (large && w.total() >= w.limit * w.loops[1].size / 4) columns_ = kBytes / (w.limit * element) / kLeast * kLeast;
  }
  explicit operator bool() const { return columns_ > 0; }

  // Whether every element of a table with this many elements lies in one of the strips.
  bool cover(int64_t elements) const {
    const int64_t columns = w_.loops[1].size;
    return w_.step == columns * element_ && elements == w_.limit * columns;
  }

  // Adds with Move, to the table's elements or to zeros. False if an index is out of range.
  template <class Move>
  bool run(bool zeros) const {
    std::atomic<bool> fits{true};
    parallel_for(0, w_.loops[1].size, columns_, [&](int64_t begin, int64_t end) {
      alignas(64) char rows[kBytes];
      for (int64_t first = begin; first < end; first += columns_) {
        const int64_t n = std::min(columns_, end - first) * element_;
        char* table = w_.table + first * element_;
        if (zeros) std::memset(rows, 0, static_cast<size_t>(w_.limit * n));
        else move_rows(rows, n, table, w_.step, n);
        const Walk strip = part(rows, n, first);
        const bool dense = strip.wide && strip.loops[1].index == 8 && strip.loops[1].other == element_;
        if (!(dense ? dense_rows<Move>(strip) : walk<Move>(strip))) fits.store(false, std::memory_order_relaxed);
        move_rows(table, w_.step, rows, n, n);
      }
    });
    return fits.load();
  }

 private:
  static constexpr int64_t kBytes = 1 << 17, kCache = 1 << 20,
                           kLeast = 16;  // bytes of a strip; bytes of a table that needs no strips; the fewest columns
  void move_rows(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t bytes) const {
    for (int64_t r = 0; r < w_.limit; ++r) std::memcpy(to + r * to_step, from + r * from_step, static_cast<size_t>(bytes));
  }
  // Rows of contiguous int64 indices and elements. They are too far apart for the processor to predict the next ones, so these are prefetched.
  template <class Move>
  static bool dense_rows(const Walk& p) {
    constexpr int64_t kAhead = 6;  // rows
    using T = typename Move::Element;
    const int64_t n = p.loops[1].size, limit = p.limit;
    T* rows = reinterpret_cast<T*>(p.table);
    for (int64_t r = 0; r < p.loops[0].size; ++r) {
      const char *other = p.other + r * p.loops[0].other, *index = p.index + r * p.loops[0].index;
      if (r + kAhead < p.loops[0].size) {
        const char *next_other = other + kAhead * p.loops[0].other, *next_index = index + kAhead * p.loops[0].index;
        for (int64_t at = 0; at < n * 8; at += 64) __builtin_prefetch(next_index + at);
        for (int64_t at = 0; at < n * static_cast<int64_t>(sizeof(T)); at += 64) __builtin_prefetch(next_other + at);
      }
      const T* x = reinterpret_cast<const T*>(other);
      const auto* places = reinterpret_cast<const int64_t*>(index);
      for (int64_t c = 0; c < n; ++c) {
        if (static_cast<uint64_t>(places[c]) >= static_cast<uint64_t>(limit)) [[unlikely]]
          return false;
        add_to(rows[places[c] * n + c], x[c]);
      }
    }
    return true;
  }
  Walk part(char* rows, int64_t bytes, int64_t first) const {
    Walk p = w_;
    p.table = rows, p.step = bytes;
    p.loops[1].size = bytes / element_;
    p.other += first * p.loops[1].other, p.index += first * p.loops[1].index;
    return p;
  }
  const Walk& w_;
  int64_t element_, columns_ = 0;
};

void fill_with_zeros(const KernelTensor& t) {
  constexpr int64_t kBytes = 1 << 16;  // the fewest bytes for one thread
  parallel_for(0, t.numel() * element_of(t), kBytes,
               [&](int64_t begin, int64_t end) { std::memset(t.data + begin, 0, static_cast<size_t>(end - begin)); });
}

// Adds to the elements of `table`. Or adds to zeros; then `table` is contiguous and may be uninitialized.
KernelStatus add(KernelCall& call, const Walk& w, const KernelTensor& index, const KernelTensor& table, bool to_zeros) {
  if (w.total() == 0) {
    if (to_zeros) fill_with_zeros(table);
    return KernelStatus::Ok;
  }
  return dispatch(table.dtype, [&](auto zero) {
    using Move = ScatterAddElement<decltype(zero)>;
    const Strips strips(w, sizeof(zero));
    const bool strips_fill = to_zeros && strips && strips.cover(table.numel());
    if (to_zeros && !strips_fill) fill_with_zeros(table);
    const bool fits = strips ? strips.run<Move>(strips_fill) : run<Move>(w, split_writing(w));
    return fits ? KernelStatus::Ok : refuse(call, index, 0, w.limit);
  });
}

}  // namespace

KernelStatus gather_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &index = call.args[2].tensor;
  return take(call, gather_walk(self, call.results[0], index, static_cast<int32_t>(call.args[1].integer)), index, element_of(self));
}

KernelStatus gather_backward_kernel(KernelCall& call) {
  const KernelTensor &grad = call.args[0].tensor, &index = call.args[3].tensor, &out = call.results[0];
  return add(call, gather_walk(out, grad, index, static_cast<int32_t>(call.args[2].integer)), index, out, true);
}

namespace {

KernelStatus put(KernelCall& call, const Walk& w, const KernelTensor& index, int64_t element) {
  if (w.total() == 0) return KernelStatus::Ok;
  return dispatch_bytes<ScatterElement>(
      element, [&](auto move) { return run<decltype(move)>(w, split_writing(w)) ? KernelStatus::Ok : refuse(call, index, 0, w.limit); });
}

enum class Join : uint8_t { Product, Largest, Smallest };

template <class T>
inline constexpr bool is_complex_type = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <Join kJoin, class T>
[[gnu::always_inline]] inline void join_to(T& place, T x) {
  if constexpr (kJoin == Join::Product) {
    if constexpr (std::is_same_v<T, bool>) place = place && x;
    else if constexpr (is_half<T>) place = T(static_cast<float>(place) * static_cast<float>(x));
    else if constexpr (std::is_integral_v<T>) place = static_cast<T>(static_cast<uint64_t>(place) * static_cast<uint64_t>(x));
    else if constexpr (is_complex_type<T>)
      place = {place.real() * x.real() - place.imag() * x.imag(), place.real() * x.imag() + place.imag() * x.real()};
    else place = place * x;
  } else if constexpr (!is_complex_type<T>) {  // a NaN wins; complex numbers have no order, so the shape rule rejects them
    const auto a = [](T v) {
      if constexpr (is_half<T>) return static_cast<float>(v);
      else return v;
    };
    const bool better = kJoin == Join::Largest ? a(x) > a(place) : a(x) < a(place);
    if (better || a(x) != a(x)) place = a(place) != a(place) ? place : x;
  }
}

// Reduces each element with that of the table.
template <Join kJoin>
struct Joining {
  template <class T>
  struct Move {
    using Element = T;
    static void row(char* table, char* other, const TableLoop& l) {
      for (int64_t i = 0; i < l.size; ++i)
        join_to<kJoin>(*reinterpret_cast<T*>(table + i * l.table), *reinterpret_cast<const T*>(other + i * l.other));
    }
    template <int64_t kUnit>
    static void elements(char* table, const int64_t* offsets, char* other, int64_t stride, int64_t n) {
      for (int64_t i = 0; i < n; ++i)
        join_to<kJoin>(*reinterpret_cast<T*>(table + offsets[i] * kUnit), *reinterpret_cast<const T*>(other + i * stride));
    }
  };
};

template <Join kJoin>
KernelStatus join(KernelCall& call, const Walk& w, const KernelTensor& index, DType dtype) {
  if (w.total() == 0) return KernelStatus::Ok;
  return dispatch(dtype, [&](auto zero) {
    using Move = typename Joining<kJoin>::template Move<decltype(zero)>;
    return run<Move>(w, split_writing(w)) ? KernelStatus::Ok : refuse(call, index, 0, w.limit);
  });
}

bool says(const KernelArg& a, std::string_view word) { return std::string_view(a.text.characters, a.text.count) == word; }
bool is_maximum(const KernelArg& reduce) { return says(reduce, "amax") || says(reduce, "max"); }
bool smallest_of(const KernelArg& reduce) { return says(reduce, "amin") || says(reduce, "min"); }

// The identity element of a reduction.
template <class T>
T identity(const KernelArg& reduce) {
  if (says(reduce, "prod")) return T(1);
  if constexpr (std::is_integral_v<T>) {
    if (is_maximum(reduce)) return std::numeric_limits<T>::lowest();
    if (smallest_of(reduce)) return std::numeric_limits<T>::max();
  } else if constexpr (!is_complex_type<T>) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    if (is_maximum(reduce)) return T(-kInfinity);
    if (smallest_of(reduce)) return T(kInfinity);
  }
  return T(0);
}

// A sum divided by the count; integers are rounded down.
template <class T>
void divide_by(T* sums, const int64_t* counts, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t count = std::max<int64_t>(counts[i], 1);
    if constexpr (std::is_same_v<T, bool>) sums[i] = sums[i] && count == 1;
    else if constexpr (std::is_integral_v<T>) {
      const auto sum = static_cast<int64_t>(sums[i]);
      sums[i] = static_cast<T>(sum / count - (sum % count < 0));
    } else if constexpr (is_half<T>) sums[i] = T(static_cast<float>(sums[i]) / static_cast<float>(count));
    else if constexpr (is_complex_type<T>) sums[i] = sums[i] / static_cast<typename T::value_type>(count);
    else sums[i] = sums[i] / static_cast<T>(count);
  }
}

}  // namespace

KernelStatus scatter_kernel(KernelCall& call) {
  const KernelTensor &index = call.args[2].tensor, &out = call.results[0];
  copy_elements(out, call.args[0].tensor);
  return put(call, gather_walk(out, call.args[3].tensor, index, static_cast<int32_t>(call.args[1].integer)), index, element_of(out));
}

KernelStatus scatter_add_kernel(KernelCall& call) {
  const KernelTensor &index = call.args[2].tensor, &out = call.results[0];
  copy_elements(out, call.args[0].tensor);
  return add(call, gather_walk(out, call.args[3].tensor, index, static_cast<int32_t>(call.args[1].integer)), index, out, false);
}

KernelStatus scatter_reduce_kernel(KernelCall& call) {
  const KernelTensor &index = call.args[2].tensor, &out = call.results[0];
  const auto dim = static_cast<int32_t>(call.args[1].integer);
  const KernelArg& reduce = call.args[4];
  const bool include_self = call.args[5].boolean;
  copy_elements(out, call.args[0].tensor);
  const Walk w = gather_walk(out, call.args[3].tensor, index, dim);
  std::array<int64_t, kMaxDims> still{};  // strides of 0, for one element that stands for all
  if (!include_self) {
    const KernelStatus status = dispatch(out.dtype, [&](auto zero) {
      auto value = identity<decltype(zero)>(reduce);
      const KernelTensor one{reinterpret_cast<char*>(&value), index.sizes, still.data(), index.dim, out.dtype};
      return put(call, gather_walk(out, one, index, dim), index, element_of(out));
    });
    if (status != KernelStatus::Ok) return status;
  }
  if (says(reduce, "prod")) return join<Join::Product>(call, w, index, out.dtype);
  if (is_maximum(reduce)) return join<Join::Largest>(call, w, index, out.dtype);
  if (smallest_of(reduce)) return join<Join::Smallest>(call, w, index, out.dtype);
  const KernelStatus status = add(call, w, index, out, false);
  if (says(reduce, "sum") || status != KernelStatus::Ok) return status;
  const int64_t n = out.numel();
  auto* counts = reinterpret_cast<int64_t*>(call.scratch);
  std::fill_n(counts, n, include_self ? 1 : 0);
  int64_t* strides = counts + n;
  for (int32_t d = out.dim, step = 0; d-- > 0;) strides[d] = step ? strides[d + 1] * out.sizes[d + 1] : 1, step = 1;
  int64_t unit = 1;
  const KernelTensor table{call.scratch, out.sizes, strides, out.dim, DType::i64};
  const KernelTensor ones{reinterpret_cast<char*>(&unit), index.sizes, still.data(), index.dim, DType::i64};
  if (KernelStatus counted = add(call, gather_walk(table, ones, index, dim), index, table, false); counted != KernelStatus::Ok)
    return counted;
  dispatch(out.dtype, [&](auto zero) { divide_by(out.as<decltype(zero)>(), counts, n); });
  return KernelStatus::Ok;
}

KernelStatus index_select_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &index = call.args[2].tensor;
  return take(call, select_walk(self, call.results[0], index, static_cast<int32_t>(call.args[1].integer)), index, element_of(self));
}

namespace {

// x * alpha in the dtype, with the bits of the operator `mul`.
template <class T>
[[gnu::always_inline]] inline void scale_loop(T* x, int64_t n, T alpha) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, bool>) x[i] = x[i] && alpha;
    else if constexpr (std::is_integral_v<T>) x[i] = static_cast<T>(static_cast<uint64_t>(x[i]) * static_cast<uint64_t>(alpha));
    else x[i] = x[i] * alpha;
  }
}
template <class T>
[[gnu::always_inline]] inline void scale_half_loop(T* x, int64_t n, float alpha) {
  for (int64_t i = 0; i < n; ++i) x[i] = T(static_cast<float>(x[i]) * alpha);
}
template <class T>
[[gnu::always_inline]] inline void scale_complex_loop(std::complex<T>* x, int64_t n, std::complex<T> a) {
  for (int64_t i = 0; i < n; ++i) x[i] = {x[i].real() * a.real() - x[i].imag() * a.imag(), x[i].real() * a.imag() + x[i].imag() * a.real()};
}

// A contiguous tensor at `place`: the source times a number.
KernelTensor scaled(const KernelTensor& source, const KernelArg& number, char* place, int64_t* strides) {
  int64_t n = 1;
  for (int32_t d = source.dim; d-- > 0; n *= source.sizes[d]) strides[d] = n;
  const KernelTensor out{place, source.sizes, strides, source.dim, source.dtype};
  copy_elements(out, source);
  dispatch(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (is_half<T>) scale_half_loop(out.as<T>(), n, number_as<float>(number));
    else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
      scale_complex_loop(out.as<T>(), n, number_as<T>(number));
    else scale_loop(out.as<T>(), n, number_as<T>(number));
  });
  return out;
}

bool is_one(const KernelArg& number) { return number.kind == KernelArg::Kind::Int && number.integer == 1; }

}  // namespace

KernelStatus index_add_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &index = call.args[2].tensor, &out = call.results[0];
  KernelTensor source = call.args[3].tensor;
  copy_elements(out, self);
  if (call.arg_count > 4 && !is_one(call.args[4]))  // the strides stand before the elements
    source = scaled(source, call.args[4], call.scratch + index_add_strides(source.dim), reinterpret_cast<int64_t*>(call.scratch));
  return add(call, select_walk(out, source, index, static_cast<int32_t>(call.args[1].integer)), index, out, false);
}

KernelStatus embedding_kernel(KernelCall& call) {
  const KernelTensor &weight = call.args[0].tensor, &indices = call.args[1].tensor;
  return take(call, embedding_walk(weight, call.results[0], indices), indices, element_of(weight));
}

KernelStatus embedding_dense_backward_kernel(KernelCall& call) {
  const KernelTensor &grad = call.args[0].tensor, &indices = call.args[1].tensor, &out = call.results[0];
  const int64_t padding = call.args[3].integer;
  const KernelStatus status = add(call, embedding_walk(out, grad, indices), indices, out, true);
  if (padding >= 0 && padding < out.sizes[0]) {
    const int64_t bytes = out.sizes[1] * element_of(out);
    std::memset(out.data + padding * bytes, 0, static_cast<size_t>(bytes));
  }
  return status;
}

// ---- x[i, j] ----

namespace {

// The broadcast sizes of several index tensors, and the position of their dims in the result.
struct Placing {
  std::array<int64_t, kMaxDims> front;  // sizes
  int32_t front_dim = 0;
  size_t place = 0;  // the number of the table's dims before those of the index tensors
  int64_t count = 1;  // the number of positions: the product of the broadcast sizes
};

Placing placing_of(const KernelArg::Tensors& indices) {
  Placing p;
  size_t first = indices.count, last = 0, used = 0;
  for (size_t d = 0; d < indices.count; ++d) {
    const KernelTensor& index = indices.values[d];
    if (!index.data) continue;
    first = std::min(first, d), last = d, ++used;
    p.front_dim = std::max(p.front_dim, index.dim);
  }
  p.place = used == 0 || last - first + 1 != used ? 0 : first;
  std::fill_n(p.front.begin(), p.front_dim, 1);
  for (size_t d = 0; d < indices.count; ++d) {
    const KernelTensor& index = indices.values[d];
    if (!index.data) continue;
    int64_t* sizes = p.front.data() + (p.front_dim - index.dim);
    for (int32_t k = 0; k < index.dim; ++k)
      if (index.sizes[k] != 1) sizes[k] = index.sizes[k];
  }
  for (int32_t k = 0; k < p.front_dim; ++k) p.count *= p.front[static_cast<size_t>(k)];
  return p;
}

// Adds index[i] * step to out[i] (kMore) or stores it; a negative index counts from the end. Returns a negative number if one is not in -limit .. limit - 1.
template <bool kMore, class Index>
[[gnu::always_inline]] inline int64_t wrapped_loop(int64_t* out, const Index* index, int64_t n, int64_t limit, int64_t step) {
  uint64_t seen = 0;
  for (int64_t i = 0; i < n; ++i) {
    auto v = static_cast<uint64_t>(static_cast<int64_t>(index[i]));
    v += static_cast<int64_t>(v) < 0 ? static_cast<uint64_t>(limit) : 0;
    seen |= v | (static_cast<uint64_t>(limit) - 1 - v);
    const auto offset = static_cast<int64_t>(v * static_cast<uint64_t>(step));
    out[i] = kMore ? out[i] + offset : offset;
  }
  return static_cast<int64_t>(seen);
}
template <class Index>
[[gnu::always_inline]] inline void either_loop(bool more, int64_t* out, const Index* index, int64_t n, int64_t limit, int64_t step,
                                               int64_t& outside) {
  outside = more ? wrapped_loop<true>(out, index, n, limit, step) : wrapped_loop<false>(out, index, n, limit, step);
}
MONOGRAPH_TEMPLATE_VARIANTS((template <class Index>), dense_wrapped, either_loop,
                            (bool more, int64_t* out, const Index* index, int64_t n, int64_t limit, int64_t step, int64_t& outside),
                            (more, out, index, n, limit, step, outside))

// Computes the offsets along the innermost loop of `w`, as its `other`. False if an index is out of range.
bool wrapped_offsets(const Walk& w, const TableLoop& loop, bool more, char* other, const char* index) {
  auto* out = reinterpret_cast<int64_t*>(other);
  int64_t outside = 0;
  if (w.wide && loop.index == 8) dense_wrapped(more, out, reinterpret_cast<const int64_t*>(index), loop.size, w.limit, w.step, outside);
  else if (!w.wide && loop.index == 4)
    dense_wrapped(more, out, reinterpret_cast<const int32_t*>(index), loop.size, w.limit, w.step, outside);
  else
    for (int64_t i = 0; i < loop.size; ++i) {
      const int64_t v = index_at(index + i * loop.index, w.wide);
      int64_t one = 0;
      dense_wrapped(more, out + i, &v, 1, w.limit, w.step, one);
      outside |= one;
    }
  return outside >= 0;
}

// Computes the offset in the table of each position, in bytes.
KernelStatus table_offsets(KernelCall& call, const KernelTensor& table, const KernelArg::Tensors& indices, const Placing& p) {
  auto* out = reinterpret_cast<int64_t*>(call.scratch);
  if (p.count == 0) return KernelStatus::Ok;
  out[0] = 0;
  bool more = false;
  for (size_t d = 0; d < indices.count; ++d) {
    const KernelTensor& index = indices.values[d];
    if (!index.data) continue;
    Walk w;
    w.other = call.scratch, w.table = nullptr;
    use_index(w, index, table.sizes[d], table.strides[d] * element_of(table));
    int64_t stride = p.count * 8;
    for (int32_t k = 0; k < p.front_dim; ++k) {
      const int64_t size = p.front[static_cast<size_t>(k)];
      stride /= size;
      const int32_t own = k - (p.front_dim - index.dim);
      w.add({size, 0, stride, own < 0 || index.sizes[own] == 1 ? 0 : index.strides[own] * element_of(index)});
    }
    if (w.count == 0) w.loops[w.count++] = {1, 0, 8, 0};
    const TableLoop& inner = w.loops[w.count - 1];
    std::atomic<bool> fits{true};
    const auto row = [&](char*, char* other, const char* from) {
      parallel_for(0, inner.size, grain(kMovedCost), [&](int64_t begin, int64_t end) {
        const TableLoop part{end - begin, 0, 8, inner.index};
        if (!wrapped_offsets(w, part, more, other + begin * 8, from + begin * inner.index)) fits.store(false, std::memory_order_relaxed);
      });
      return fits.load();
    };
    if (!for_outer(w, w.count - 1, row)) {
      const KernelStatus status = refuse(call, index, -w.limit, w.limit);
      call.place = static_cast<int64_t>(d);
      return status;
    }
    more = true;
  }
  return KernelStatus::Ok;
}

// The walk over x[indices]: the offsets of the positions take the place of the index. `other` broadcasts.
Walk index_walk(const KernelTensor& table, const KernelTensor& other, const KernelArg::Tensors& indices, const Placing& p, char* offsets) {
  Walk w;
  const int64_t element = element_of(table);
  w.table = table.data, w.other = other.data;
  w.index = offsets, w.wide = true, w.limit = kAnyOffset, w.step = 1;
  auto indexed = [&](int32_t d) { return static_cast<size_t>(d) < indices.count && indices.values[d].data; };
  int32_t rank = p.front_dim;
  for (int32_t d = 0; d < table.dim; ++d) rank += !indexed(d);
  int32_t at = other.dim - rank;  // the dim of `other`; negative if it has none
  auto stride_of_next = [&] {
    const int32_t k = at++;
    return k < 0 || other.sizes[k] == 1 ? 0 : other.strides[k] * element;
  };
  auto add_table = [&](int32_t begin, int32_t end) {
    for (int32_t d = begin; d < end; ++d)
      if (!indexed(d)) w.add({table.sizes[d], table.strides[d] * element, stride_of_next(), 0});
  };
  const auto place = static_cast<int32_t>(p.place);
  add_table(0, place);
  int64_t stride = p.count * 8;
  for (int32_t k = 0; k < p.front_dim; ++k) {
    const int64_t size = p.front[static_cast<size_t>(k)];
    stride = size ? stride / size : 0;
    w.add({size, 0, stride_of_next(), stride});
  }
  add_table(place, table.dim);
  return w;
}

}  // namespace

KernelStatus index_kernel(KernelCall& call) {
  const KernelTensor& self = call.args[0].tensor;
  const KernelArg::Tensors& indices = call.args[1].tensors;
  const Placing p = placing_of(indices);
  if (const KernelStatus status = table_offsets(call, self, indices, p); status != KernelStatus::Ok) return status;
  const Walk w = index_walk(self, call.results[0], indices, p, call.scratch);
  if (w.total() == 0) return KernelStatus::Ok;
  return dispatch_bytes<GatherElement>(element_of(self),
                                       [&](auto move) { return run<decltype(move)>(w, split_reading(w)), KernelStatus::Ok; });
}

KernelStatus index_put_kernel(KernelCall& call) {
  const KernelTensor &out = call.results[0], &values = call.args[2].tensor;
  const KernelArg::Tensors& indices = call.args[1].tensors;
  const Placing p = placing_of(indices);
  if (const KernelStatus status = table_offsets(call, out, indices, p); status != KernelStatus::Ok) return status;
  const Walk w = index_walk(out, values, indices, p, call.scratch);
  if (w.total() == 0) return KernelStatus::Ok;
  const auto dim = static_cast<size_t>(out.dim);
  const Split split = repeats(std::span(out.sizes, dim), std::span(out.strides, dim)) ? Split{} : split_writing(w);
  if (call.args[3].boolean)
    return dispatch(out.dtype, [&](auto zero) { return run<ScatterAddElement<decltype(zero)>>(w, split), KernelStatus::Ok; });
  return dispatch_bytes<ScatterElement>(element_of(out), [&](auto move) { return run<decltype(move)>(w, split), KernelStatus::Ok; });
}

KernelStatus one_hot_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const int64_t classes = call.args[1].integer, n = self.numel();
  fill_with_zeros(out);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = self.as<int64_t>()[i];
    if (at < 0) return call.fail(at, classes, i);
    if (at >= classes) return call.fail(at, classes, i, KernelStatus::BadSecond);
    out.as<int64_t>()[i * classes + at] = 1;
  }
  return KernelStatus::Ok;
}

// ---- masks ----

namespace {

[[gnu::always_inline]] inline void count_loop(const uint8_t* mask, int64_t n, int64_t& count) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += mask[i];
  count = static_cast<int64_t>(sum);
}
MONOGRAPH_VARIANTS(count_run, count_loop, (const uint8_t* mask, int64_t n, int64_t& count), (mask, n, count))

int64_t count_row(const char* mask, int64_t n, int64_t stride) {
  int64_t count = 0;
  if (stride == 1) count_run(reinterpret_cast<const uint8_t*>(mask), n, count);
  else
    for (int64_t i = 0; i < n; ++i) count += mask[i * stride];
  return count;
}

bool without_gaps(const KernelTensor& t) {
  int64_t stride = 1;
  for (int32_t d = t.dim; d-- > 0; stride *= t.sizes[d])
    if (t.sizes[d] != 1 && t.strides[d] != stride) return false;
  return true;
}

// Calls f(row, the index of its first element in each dim but the last) for every row of the mask.
template <class F>
void for_mask_rows(const KernelTensor& mask, F&& f) {
  std::array<int64_t, kMaxDims> at;
  const int32_t outer = mask.dim - 1;
  std::fill_n(at.begin(), outer, 0);
  const char* row = mask.data;
  for (;;) {
    f(row, at.data());
    int32_t d = outer;
    for (; d-- > 0;) {
      row += mask.strides[d];
      if (++at[static_cast<size_t>(d)] < mask.sizes[d]) break;
      row -= mask.strides[d] * mask.sizes[d];
      at[static_cast<size_t>(d)] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace

int64_t count_true(const KernelTensor& mask) {
  if (mask.dim == 0) return *mask.data != 0;
  if (without_gaps(mask)) return count_row(mask.data, mask.numel(), 1);
  int64_t count = 0;
  if (mask.numel())
    for_mask_rows(mask,
                  [&](const char* row, const int64_t*) { count += count_row(row, mask.sizes[mask.dim - 1], mask.strides[mask.dim - 1]); });
  return count;
}

KernelStatus nonzero_kernel(KernelCall& call) {
  const KernelTensor &mask = call.args[0].tensor, &out = call.results[0];
  if (mask.dim == 0 || mask.numel() == 0) return KernelStatus::Ok;
  const int32_t last = mask.dim - 1;
  const int64_t n = mask.sizes[last], stride = mask.strides[last];
  int64_t found = 0;
  for_mask_rows(mask, [&](const char* row, const int64_t* at) {
    const int64_t end = found + count_row(row, n, stride);
    for (int32_t d = 0; d < last; ++d)
      for (int64_t f = found; f < end; ++f) out.as<int64_t>()[f * out.strides[0] + d * out.strides[1]] = at[d];
    int64_t* places = out.as<int64_t>() + last * out.strides[1];
    for (int64_t i = 0; found < end; ++i) {  // every position is written, but only kept if the element is true, so that there is no branch
      places[found * out.strides[0]] = i;
      found += row[i * stride] != 0;
    }
  });
  return KernelStatus::Ok;
}

namespace {

// A tensor broadcast to the sizes of `whole`; `strides` holds its strides.
KernelTensor spread(const KernelTensor& t, const KernelTensor& whole, std::array<int64_t, kMaxDims>& strides) {
  const int32_t lead = whole.dim - t.dim;
  for (int32_t d = 0; d < whole.dim; ++d) strides[static_cast<size_t>(d)] = d < lead || t.sizes[d - lead] == 1 ? 0 : t.strides[d - lead];
  return {t.data, whole.sizes, strides.data(), whole.dim, t.dtype};
}

// Copies one row. Both sources are read, so that no branch depends on an element. `last` is the last element of source. Returns the number of elements taken from it.
template <class E>
struct TakeMasked {
  using Element = E;
  static int64_t run(E* out, int64_t out_step, const char* mask, int64_t mask_step, const E* self, int64_t self_step, const E* source,
                     const E* last, int64_t n) {
    const E* next = source;
    for (int64_t i = 0; i < n; ++i) {
      const bool taken = mask[i * mask_step] != 0;
      const E given = *std::min(next, last), own = self[i * self_step];
      if constexpr (std::is_integral_v<E>) {
        const E all = static_cast<E>(-static_cast<int>(taken));  // all bits set if taken, else none
        out[i * out_step] = static_cast<E>(own ^ ((own ^ given) & all));
      } else {
        out[i * out_step] = taken ? given : own;
      }
      next += taken;
    }
    return next - source;
  }
};

}  // namespace

KernelStatus masked_scatter_kernel(KernelCall& call) {
  const KernelTensor &out = call.results[0], &source = call.args[2].tensor;
  std::array<int64_t, kMaxDims> self_strides, mask_strides;
  const KernelTensor self = spread(call.args[0].tensor, out, self_strides), mask = spread(call.args[1].tensor, out, mask_strides);
  if (out.numel() == 0) return KernelStatus::Ok;
  const int64_t wanted = count_true(mask), there = source.numel();
  if (wanted > there) return call.fail(there, wanted);
  if (wanted == 0) {
    if (out.data != self.data) copy_elements(out, self);
    return KernelStatus::Ok;
  }
  const int32_t last = out.dim - 1;
  const int64_t n = last < 0 ? 1 : out.sizes[last];
  auto step = [last](const KernelTensor& t) { return t.strides[last]; };
  return dispatch_bytes<TakeMasked>(element_size(out.dtype), [&](auto move) {
    using E = typename decltype(move)::Element;
    const E *next = source.as<const E>(), *end = next + there - 1;
    auto row = [&](const char* mask_row, const int64_t* at) {
      int64_t own = 0, to = 0;
      for (int32_t d = 0; d < last; ++d) own += at[d] * self.strides[d], to += at[d] * out.strides[d];
      next += move.run(out.as<E>() + to, step(out), mask_row, step(mask), self.as<const E>() + own, step(self), next, end, n);
    };
    // Contiguous tensors are one row.
    if (without_gaps(out) && without_gaps(self) && without_gaps(mask))
      move.run(out.as<E>(), 1, mask.data, 1, self.as<const E>(), 1, next, end, out.numel());
    else for_mask_rows(mask, row);
    return KernelStatus::Ok;
  });
}

}  // namespace monograph
