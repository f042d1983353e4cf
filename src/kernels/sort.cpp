// An element becomes an entry: an unsigned key that is in order as the elements are, and its place in the row. All algorithms work on entries, of
// which there are two kinds, so that they do not know the dtype.
#include "kernels/sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "core/threads/pool.h"
#include "kernels/grain.h"
#include "kernels/variants.h"

namespace monograph {
namespace {

constexpr int64_t kCost = 4;  // instructions for an element, in each of the passes over a row
constexpr size_t kMaxDims = 64;  // of more than one element each: there is no memory for more

// ---- keys ----

template <size_t kBytes> struct UnsignedOf;
template <> struct UnsignedOf<1> {
  using type = uint8_t;
};
template <> struct UnsignedOf<2> {
  using type = uint16_t;
};
template <> struct UnsignedOf<4> {
  using type = uint32_t;
};
template <> struct UnsignedOf<8> {
  using type = uint64_t;
};
template <class T> using SortKey = typename UnsignedOf<sizeof(T)>::type;

// Bits of a float without its sign, from which on it is a NaN.
template <class T> constexpr SortKey<T> kInfinity = 0;
template <> constexpr uint16_t kInfinity<half> = 0x7c00;
template <> constexpr uint16_t kInfinity<bfloat16> = 0x7f80;
template <> constexpr uint32_t kInfinity<float> = 0x7f800000;
template <> constexpr uint64_t kInfinity<double> = 0x7ff0000000000000;

// Whether elements of one key are the same, so that the key gives the element back: not the zeros and NaNs of floats.
template <class T> constexpr bool kKeyIsElement = kInfinity<T> == 0;
template <class T>
[[gnu::always_inline]] inline T element_of(SortKey<T> key) {
  using K = SortKey<T>;
  if constexpr (std::is_signed_v<T>) key = static_cast<K>(key ^ (K{1} << (sizeof(K) * 8 - 1)));
  return std::bit_cast<T>(key);
}

template <class T>
[[gnu::always_inline]] inline SortKey<T> key_of(T x) {
  using K = SortKey<T>;
  constexpr K kSign = static_cast<K>(K{1} << (sizeof(K) * 8 - 1));
  const K bits = std::bit_cast<K>(x);
  if constexpr (kInfinity<T> != 0) {
    const K magnitude = bits & static_cast<K>(~kSign);
    const K ordered = bits & kSign ? static_cast<K>(kSign - magnitude) : static_cast<K>(kSign + magnitude);  // both zeros are kSign
    return magnitude > kInfinity<T> ? static_cast<K>(~K{0}) : ordered;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<K>(bits ^ kSign);
  } else {
    return bits;
  }
}

// ---- entries ----

struct NarrowEntry {  // of keys of up to 32 bits in rows of less than 2^32 elements
  uint64_t bits;
  static NarrowEntry make(uint64_t key, int64_t place) { return {key << 32 | static_cast<uint64_t>(place)}; }
  uint64_t key() const { return bits >> 32; }
  int64_t place() const { return static_cast<int64_t>(bits & 0xffffffff); }
};
struct WideEntry {
  uint64_t bits, at;
  static WideEntry make(uint64_t key, int64_t place) { return {key, static_cast<uint64_t>(place)}; }
  uint64_t key() const { return bits; }
  int64_t place() const { return static_cast<int64_t>(at); }
};
bool needs_wide(DType dtype, int64_t n) { return element_size(dtype) == 8 || n > std::numeric_limits<uint32_t>::max(); }

// What the standard algorithms compare by: elements with equal keys are equal to them.
struct Before {
  template <class Entry>
  bool operator()(const Entry& a, const Entry& b) const {
    return a.key() < b.key();
  }
};

// A row as it lies: elements `stride` bytes apart, keys from the greatest down where `flip` is all ones.
struct SortRow {
  const char* data;
  int64_t stride;
  int64_t n;
  uint64_t flip;
};

// The first n elements of a row as entries. A row that no other one shares its region with is read by all threads.
template <class T, class Entry>
void make_entries(Entry* out, const SortRow& row, int64_t n) {
  const auto mask = static_cast<SortKey<T>>(row.flip);
  parallel_for(0, n, grain(kCost), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T x;
      std::memcpy(&x, row.data + i * row.stride, sizeof(T));
      out[i] = Entry::make(static_cast<SortKey<T>>(key_of(x) ^ mask), i);
    }
  });
}
template <class T>
[[gnu::always_inline]] inline void keys_loop(SortKey<T>* out, const char* data, int64_t stride, int64_t n, uint64_t flip) {
  const auto mask = static_cast<SortKey<T>>(flip);
  if (stride == static_cast<int64_t>(sizeof(T))) {
    const T* x = reinterpret_cast<const T*>(data);
    for (int64_t i = 0; i < n; ++i) out[i] = key_of(x[i]) ^ mask;
    return;
  }
  for (int64_t i = 0; i < n; ++i) out[i] = key_of(*reinterpret_cast<const T*>(data + i * stride)) ^ mask;
}
// The least of some keys.
template <class K>
[[gnu::always_inline]] inline void least_loop(const K* keys, int64_t n, K& least) {
  K found = keys[0];
  for (int64_t i = 1; i < n; ++i) found = std::min(found, keys[i]);
  least = found;
}
template <class T>
[[gnu::always_inline]] inline void keys_and_least_loop(SortKey<T>* out, const char* data, int64_t stride, int64_t n, uint64_t flip,
                                                       SortKey<T>& least) {
  keys_loop<T>(out, data, stride, n, flip);
  least_loop(out, n, least);
}
template <class T>
MONOGRAPH_TARGET_V4 void find_least_v4(SortKey<T>* out, const SortRow& row, int64_t at, int64_t n, SortKey<T>& least) {
  keys_and_least_loop<T>(out, row.data + at * row.stride, row.stride, n, row.flip, least);
}
template <class T>
MONOGRAPH_TARGET_V3 void find_least_v3(SortKey<T>* out, const SortRow& row, int64_t at, int64_t n, SortKey<T>& least) {
  keys_and_least_loop<T>(out, row.data + at * row.stride, row.stride, n, row.flip, least);
}
// The keys of n elements from `at` on, and the least of them.
template <class T>
SortKey<T> find_least(SortKey<T>* out, const SortRow& row, int64_t at, int64_t n) {
  SortKey<T> least;
  const Isa isa = host_isa();
  if (isa >= Isa::v4) find_least_v4<T>(out, row, at, n, least);
  else if (isa >= Isa::v3) find_least_v3<T>(out, row, at, n, least);
  else keys_and_least_loop<T>(out, row.data + at * row.stride, row.stride, n, row.flip, least);
  return least;
}

// ---- by digits ----

// Threads take parts of the entries.
struct Parts {
  static constexpr int64_t kMost = 8;
  int64_t count;
  explicit Parts(int64_t n)
      : count(in_parallel_region() ? 1 : std::clamp<int64_t>(n / grain(kCost), 1, std::min<int64_t>(kMost, num_threads()))) {}
  template <class F>
  void each(int64_t n, F&& f) const {
    parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) f(p, n * p / count, n * (p + 1) / count);
    });
  }
};

// The bits in which keys differ.
template <class Entry>
uint64_t varying_bits(const Entry* entries, int64_t n, const Parts& parts) {
  std::array<uint64_t, Parts::kMost> varying{};
  parts.each(n, [&](int64_t p, int64_t begin, int64_t end) {
    uint64_t found = 0;
    for (int64_t i = begin; i < end; ++i) found |= entries[i].key() ^ entries[0].key();
    varying[static_cast<size_t>(p)] = found;
  });
  for (uint64_t part : varying) varying[0] |= part;
  return varying[0];
}

// How many digits of so many bits vary.
int passes(uint64_t varying, int digit) {
  int count = 0;
  for (int shift = 0; shift < 64; shift += digit) count += (varying >> shift & ((uint64_t{1} << digit) - 1)) != 0;
  return count;
}

// Sorts entries by their key's digits that vary, and keeps the order of equal ones. The result lies in one of the two buffers. Each part counts its
// own digits, and the entries of a digit stay in the order of parts.
template <int kDigit, class Entry>
Entry* sort_digits(Entry* from, Entry* to, int64_t n, uint64_t varying, const Parts& parts) {
  constexpr uint64_t kMask = (uint64_t{1} << kDigit) - 1;
  const auto for_parts = [&](auto&& f) { parts.each(n, f); };
  std::array<std::array<int64_t, kMask + 1>, Parts::kMost> places;
  for (int shift = 0; shift < 64; shift += kDigit) {
    if ((varying >> shift & kMask) == 0) continue;
    for_parts([&](int64_t p, int64_t begin, int64_t end) {
      auto& mine = places[static_cast<size_t>(p)];
      mine.fill(0);
      for (int64_t i = begin; i < end; ++i) ++mine[from[i].key() >> shift & kMask];
    });
    int64_t before = 0;
    for (size_t digit = 0; digit <= kMask; ++digit)
      for (size_t p = 0; p < static_cast<size_t>(parts.count); ++p) before += std::exchange(places[p][digit], before);
    for_parts([&](int64_t p, int64_t begin, int64_t end) {
      auto& mine = places[static_cast<size_t>(p)];
      for (int64_t i = begin; i < end; ++i) to[mine[from[i].key() >> shift & kMask]++] = from[i];
    });
    std::swap(from, to);
  }
  return from;
}

// A stable sort. `spare` is as large.
template <class Entry>
Entry* sort_stable(Entry* entries, Entry* spare, int64_t n) {
  constexpr int64_t kFew = 64, kMany = 1 << 16;
  if (n <= kFew) {
    std::sort(entries, entries + n,
              [](const Entry& a, const Entry& b) { return a.key() != b.key() ? a.key() < b.key() : a.place() < b.place(); });
    return entries;
  }
  const Parts parts(n);
  const uint64_t varying = varying_bits(entries, n, parts);
  // The lines that 1,024 digits write to are still in a cache close by, those of 2,048 are not.
  const bool wide = n >= kMany && passes(varying, 10) < passes(varying, 8);
  return wide ? sort_digits<10>(entries, spare, n, varying, parts) : sort_digits<8>(entries, spare, n, varying, parts);
}

// Whether two of the first n sorted entries are equal.
template <class Entry>
bool any_equal(const Entry* sorted, int64_t n) {
  bool equal = false;
  for (int64_t i = 1; i < n; ++i) equal |= sorted[i].key() == sorted[i - 1].key();
  return equal;
}

// ---- a row ----

enum class Order : uint8_t { Stable, Unstable };

template <class T, class Entry>
const Entry* sort_row(const SortRow& row, Order order, Entry* buffer) {
  constexpr int64_t kInserted = 16;  // elements up to which std::sort is stable
  Entry* spare = buffer + row.n;
  make_entries<T>(buffer, row, row.n);
  const Entry* sorted = sort_stable(buffer, spare, row.n);
  if (order == Order::Stable || row.n <= kInserted || !any_equal(sorted, row.n)) return sorted;
  make_entries<T>(buffer, row, row.n);
  std::sort(buffer, buffer + row.n, Before());
  return buffer;
}

// Puts `value` in the place of a heap's first entry, as std::pop_heap does with its last one: down along the later children to the bottom, then
// up to where it belongs. The way decides which of equal entries stay.
template <class Entry>
void replace_first(Entry* heap, int64_t n, Entry value) {
  int64_t hole = 0;
  while (hole < (n - 1) / 2) {
    int64_t child = 2 * hole + 2;
    if (heap[child].key() < heap[child - 1].key()) --child;
    heap[hole] = heap[child], hole = child;
  }
  if (n % 2 == 0 && hole == (n - 2) / 2) {
    heap[hole] = heap[2 * hole + 1];
    hole = 2 * hole + 1;
  }
  while (hole > 0 && heap[(hole - 1) / 2].key() < value.key()) {
    heap[hole] = heap[(hole - 1) / 2];
    hole = (hole - 1) / 2;
  }
  heap[hole] = value;
}

// std::partial_sort's first k: a heap of the least so far, into which only what is less than its greatest comes. So blocks without such a key are
// passed over.
template <class T, class Entry>
void partial_row(const SortRow& row, int64_t k, Entry* heap) {
  constexpr int64_t kBlock = 256;
  SortKey<T> keys[kBlock];
  make_entries<T>(heap, row, k);
  std::make_heap(heap, heap + k, Before());
  for (int64_t at = k; at < row.n; at += kBlock) {
    const int64_t count = std::min(kBlock, row.n - at);
    if (find_least<T>(keys, row, at, count) >= heap[0].key()) continue;
    for (int64_t i = 0; i < count; ++i)
      if (keys[i] < heap[0].key()) replace_first(heap, k, Entry::make(keys[i], at + i));
  }
  std::sort_heap(heap, heap + k, Before());
}

// Up to kTogether neighbouring columns, whose elements lie side by side: a line of memory holds some of each, and one step down a column is far.
constexpr int kTogether = 16;
template <class T>
[[gnu::always_inline]] inline void line_keys_loop(SortKey<T>* out, SortKey<T>* least, const char* data, int64_t stride, int64_t n,
                                                  int64_t columns, uint64_t flip) {
  const auto mask = static_cast<SortKey<T>>(flip);
  for (int64_t c = 0; c < kTogether; ++c) least[c] = std::numeric_limits<SortKey<T>>::max();
  if (columns == kTogether) {
    for (int64_t i = 0; i < n; ++i)
      for (int64_t c = 0; c < kTogether; ++c) {
        const SortKey<T> key = key_of(reinterpret_cast<const T*>(data + i * stride)[c]) ^ mask;
        out[i * kTogether + c] = key, least[c] = std::min(least[c], key);
      }
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < columns; ++c) {
      const SortKey<T> key = key_of(reinterpret_cast<const T*>(data + i * stride)[c]) ^ mask;
      out[i * kTogether + c] = key, least[c] = std::min(least[c], key);
    }
}
template <class T>
MONOGRAPH_TARGET_V4 void line_keys_v4(SortKey<T>* out, SortKey<T>* least, const char* data, int64_t stride, int64_t n, int64_t columns,
                                      uint64_t flip) {
  line_keys_loop<T>(out, least, data, stride, n, columns, flip);
}
template <class T>
MONOGRAPH_TARGET_V3 void line_keys_v3(SortKey<T>* out, SortKey<T>* least, const char* data, int64_t stride, int64_t n, int64_t columns,
                                      uint64_t flip) {
  line_keys_loop<T>(out, least, data, stride, n, columns, flip);
}
// The keys of n elements of each column from `at` on, a column in every kTogether-th place, and the least of each column.
template <class T>
void line_keys(SortKey<T>* out, SortKey<T>* least, const SortRow& first, int64_t at, int64_t n, int64_t columns) {
  const char* data = first.data + at * first.stride;
  const Isa isa = host_isa();
  if (isa >= Isa::v4) return line_keys_v4<T>(out, least, data, first.stride, n, columns, first.flip);
  if (isa >= Isa::v3) return line_keys_v3<T>(out, least, data, first.stride, n, columns, first.flip);
  line_keys_loop<T>(out, least, data, first.stride, n, columns, first.flip);
}

// partial_row for each of them: the heap of column c lies at heaps + c * k.
template <class T, class Entry>
void partial_columns(const SortRow& first, int64_t columns, int64_t k, Entry* heaps) {
  constexpr int64_t kBlock = 64;
  SortKey<T> keys[kBlock * kTogether], least[kTogether];
  for (int64_t c = 0; c < columns; ++c) {
    make_entries<T>(heaps + c * k, {first.data + c * static_cast<int64_t>(sizeof(T)), first.stride, first.n, first.flip}, k);
    std::make_heap(heaps + c * k, heaps + (c + 1) * k, Before());
  }
  for (int64_t at = k; at < first.n; at += kBlock) {
    const int64_t count = std::min(kBlock, first.n - at);
    line_keys<T>(keys, least, first, at, count, columns);
    for (int64_t c = 0; c < columns; ++c) {
      Entry* heap = heaps + c * k;
      if (least[c] >= heap[0].key()) continue;
      for (int64_t i = 0; i < count; ++i) {
        const SortKey<T> key = keys[i * kTogether + c];
        if (key < heap[0].key()) replace_first(heap, k, Entry::make(key, at + i));
      }
    }
  }
  for (int64_t c = 0; c < columns; ++c) std::sort_heap(heaps + c * k, heaps + (c + 1) * k, Before());
}

constexpr int64_t kShare = 64;  // up to this part of a row, PyTorch calls std::partial_sort

template <class T, class Entry>
const Entry* top_row(const SortRow& row, int64_t k, bool sorted, Entry* buffer) {
  constexpr int64_t kFew = 64, kShort = 256;
  if (k * kShare <= row.n) return partial_row<T>(row, k, buffer), buffer;
  make_entries<T>(buffer, row, row.n);
  if (sorted && k >= kFew && row.n >= kShort) {
    const Entry* all = sort_stable(buffer, buffer + row.n, row.n);
    if (!any_equal(all, std::min(k + 1, row.n))) return all;
    make_entries<T>(buffer, row, row.n);
  }
  std::nth_element(buffer, buffer + k - 1, buffer + row.n, Before());
  if (sorted) std::sort(buffer, buffer + k - 1, Before());
  return buffer;
}

// ---- all rows ----

struct RowSizes {
  int64_t n = 1, count = 1;  // elements of a row; rows
  RowSizes(int64_t elements, int64_t rows) : n(elements), count(rows) {}
  RowSizes(const KernelTensor& t, int64_t dim) {
    for (int32_t d = 0; d < t.dim; ++d) (d == dim ? n : count) *= t.sizes[d];
  }
};

int64_t row_bytes(DType dtype, int64_t n) {
  const int64_t entry = needs_wide(dtype, n) ? sizeof(WideEntry) : sizeof(NarrowEntry);
  return (2 * n * entry + 63) / 64 * 64;
}
// How many rows are sorted at a time: each has its part of the scratch. Not by the number of threads, which may change after scratch is asked for.
int64_t slots_of(DType dtype, const RowSizes& rows) {
  constexpr int64_t kMostSlots = 16, kMostBytes = 64 << 20;
  return std::clamp<int64_t>(kMostBytes / std::max<int64_t>(1, row_bytes(dtype, rows.n)), 1,
                             std::clamp<int64_t>(rows.count, 1, kMostSlots));
}

// The bytes from the tensor's first element to the first one of a row, by the row's number.
int64_t row_offset(const KernelTensor& t, int64_t dim, int64_t row) {
  int64_t at = 0;
  for (int32_t d = t.dim; d-- > 0;) {
    if (d == dim || t.sizes[d] == 1) continue;
    at += row % t.sizes[d] * t.strides[d], row /= t.sizes[d];
  }
  return at * element_size(t.dtype);
}

// The rows of a call, by number, and where what is found in them goes.
template <class T, class Entry>
struct SortTask {
  const KernelTensor &self, &values, &indices;
  int64_t dim, k;  // the first k of each row are written
  uint64_t flip;

  SortRow row(int64_t r) const { return {self.data + row_offset(self, dim, r), stride_of(self), self.dim ? self.sizes[dim] : 1, flip}; }
  // The number of rows from r on whose elements lie side by side.
  int64_t neighbours(int64_t r) const {
    for (int32_t d = self.dim; d-- > 0;)
      if (d != dim && self.sizes[d] != 1) return self.strides[d] == 1 ? self.sizes[d] - r % self.sizes[d] : 1;
    return 1;
  }
  void write(int64_t r, const Entry* found) const {
    const SortRow from = row(r);
    char *value = values.data + row_offset(values, dim, r), *index = indices.data + row_offset(indices, dim, r);
    const int64_t value_stride = stride_of(values), index_stride = stride_of(indices);
    parallel_for(0, k, grain(kCost), [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t place = found[i].place();
        if constexpr (kKeyIsElement<T>) {
          const T element = element_of<T>(static_cast<SortKey<T>>(found[i].key() ^ flip));
          std::memcpy(value + i * value_stride, &element, sizeof(T));
        } else {
          std::memcpy(value + i * value_stride, from.data + place * from.stride, sizeof(T));
        }
        std::memcpy(index + i * index_stride, &place, sizeof(place));
      }
    });
  }
  // One entry, as the result of row r: `result_dim` is the dim in the results, or -1 where they lack it.
  void write_one(int64_t r, const Entry& found, int64_t result_dim) const {
    const SortRow from = row(r);
    const int64_t place = found.place();
    std::memcpy(values.data + row_offset(values, result_dim, r), from.data + place * from.stride, sizeof(T));
    std::memcpy(indices.data + row_offset(indices, result_dim, r), &place, sizeof(place));
  }
  int64_t stride_of(const KernelTensor& t) const { return t.dim ? t.strides[dim] * element_size(t.dtype) : 0; }
};

// Calls sort(task, r, end, buffer) until all rows are done: it writes row r, or more of those before `end`, and answers how many.
template <class T, class Entry, class F>
void for_rows(KernelCall& call, int64_t dim, bool descending, int64_t k, F&& sort) {
  const SortTask<T, Entry> task{call.args[0].tensor, call.results[0], call.results[1], dim, k, descending ? ~uint64_t{0} : 0};
  const RowSizes rows(task.self, dim);
  const int64_t slots = slots_of(task.self.dtype, rows), slot_bytes = row_bytes(task.self.dtype, rows.n);
  const auto some = [&](int64_t r, int64_t end, char* scratch) {
    while (r < end) r += sort(task, r, end, reinterpret_cast<Entry*>(scratch));
  };
  if (!shares(kCost, rows.count * rows.n) || slots == 1) return some(0, rows.count, call.scratch);
  parallel_for(0, slots, 1, [&](int64_t begin, int64_t end) {  // a slot is a piece of the rows
    for (int64_t s = begin; s < end; ++s) some(rows.count * s / slots, rows.count * (s + 1) / slots, call.scratch + s * slot_bytes);
  });
}

// Calls f(an element of the dtype, an entry) for dtypes that have an order.
template <class F>
void dispatch_ordered(DType dtype, int64_t n, F&& f) {
  auto narrow = [&](auto zero) { needs_wide(dtype, n) ? f(zero, WideEntry()) : f(zero, NarrowEntry()); };
  switch (dtype) {
    case DType::b1:
    case DType::u8: return narrow(uint8_t{});
    case DType::i8: return narrow(int8_t{});
    case DType::i16: return narrow(int16_t{});
    case DType::i32: return narrow(int32_t{});
    case DType::f16: return narrow(half{});
    case DType::bf16: return narrow(bfloat16{});
    case DType::f32: return narrow(float{});
    case DType::f64: return f(double{}, WideEntry());
    default: return f(int64_t{}, WideEntry());
  }
}

KernelStatus sort_all(KernelCall& call, int64_t dim, bool descending, Order order) {
  const KernelTensor& self = call.args[0].tensor;
  const RowSizes rows(self, dim);
  if (rows.n * rows.count == 0) return KernelStatus::Ok;
  dispatch_ordered(self.dtype, rows.n, [&](auto zero, auto entry) {
    using T = decltype(zero);
    using Entry = decltype(entry);
    for_rows<T, Entry>(call, dim, descending, rows.n, [&](const SortTask<T, Entry>& task, int64_t r, int64_t, Entry* buffer) {
      task.write(r, sort_row<T, Entry>(task.row(r), order, buffer));
      return 1;
    });
  });
  return KernelStatus::Ok;
}

// From this length on PyTorch sorts a vector of integers by digits where it ascends, which is stable.
Order default_order(const KernelTensor& self, bool descending) {
  constexpr int64_t kByDigits = 32768;
  return !descending && self.dim == 1 && self.sizes[0] >= kByDigits && is_integral(self.dtype) ? Order::Stable : Order::Unstable;
}

// The element of each row at rank(number of elements, number of NaNs) in a stable order.
template <class Rank>
KernelStatus select_by_rank(KernelCall& call, int64_t dim, bool keepdim, Rank&& rank) {
  const KernelTensor& self = call.args[0].tensor;
  const RowSizes rows(self, dim);
  if (rows.n * rows.count == 0) return KernelStatus::Ok;
  dispatch_ordered(self.dtype, rows.n, [&](auto zero, auto entry) {
    using T = decltype(zero);
    using Entry = decltype(entry);
    for_rows<T, Entry>(call, dim, false, 1, [&](const SortTask<T, Entry>& task, int64_t r, int64_t, Entry* buffer) {
      make_entries<T>(buffer, task.row(r), rows.n);
      int64_t nans = 0;
      if constexpr (kInfinity<T> != 0)
        for (int64_t i = 0; i < rows.n; ++i) nans += buffer[i].key() == std::numeric_limits<SortKey<T>>::max();
      Entry* found = buffer + rank(rows.n, nans);
      std::nth_element(buffer, found, buffer + rows.n,
                       [](const Entry& a, const Entry& b) { return a.key() != b.key() ? a.key() < b.key() : a.place() < b.place(); });
      task.write_one(r, *found, keepdim || self.dim == 0 ? dim : -1);
      return 1;
    });
  });
  return KernelStatus::Ok;
}

}  // namespace

int64_t sort_scratch(DType dtype, int64_t n, int64_t rows) { return slots_of(dtype, {n, rows}) * row_bytes(dtype, n); }

KernelStatus sort_kernel(KernelCall& call) {
  const bool descending = call.args[2].boolean;
  return sort_all(call, call.args[1].integer, descending, default_order(call.args[0].tensor, descending));
}

KernelStatus sort_stable_kernel(KernelCall& call) {
  const bool descending = call.args[3].boolean, stable = !call.args[1].none() && call.args[1].boolean;
  return sort_all(call, call.args[2].integer, descending, stable ? Order::Stable : default_order(call.args[0].tensor, descending));
}

KernelStatus topk_kernel(KernelCall& call) {
  const KernelTensor& self = call.args[0].tensor;
  const int64_t k = call.args[1].integer, dim = call.args[2].integer;
  const bool largest = call.args[3].boolean, sorted = call.args[4].boolean;
  const RowSizes rows(self, dim);
  if (rows.n * rows.count == 0 || k == 0) return KernelStatus::Ok;
  dispatch_ordered(self.dtype, rows.n, [&](auto zero, auto entry) {
    using T = decltype(zero);
    using Entry = decltype(entry);
    for_rows<T, Entry>(call, dim, largest, k, [&](const SortTask<T, Entry>& task, int64_t r, int64_t end, Entry* buffer) -> int64_t {
      const int64_t together = k * kShare <= rows.n ? std::min({end - r, int64_t{kTogether}, task.neighbours(r)}) : 1;
      if (together == 1) return task.write(r, top_row<T, Entry>(task.row(r), k, sorted, buffer)), 1;
      partial_columns<T, Entry>(task.row(r), together, k, buffer);
      for (int64_t c = 0; c < together; ++c) task.write(r + c, buffer + c * k);
      return together;
    });
  });
  return KernelStatus::Ok;
}

KernelStatus kthvalue_kernel(KernelCall& call) {
  const int64_t k = call.args[1].integer;
  return select_by_rank(call, call.args[2].integer, call.args[3].boolean, [&](int64_t, int64_t) { return k - 1; });
}

// The lower of two in the middle; the first NaN, where there is one.
KernelStatus median_kernel(KernelCall& call) {
  return select_by_rank(call, call.args[1].integer, call.args[2].boolean,
                        [](int64_t n, int64_t nans) { return nans > 0 ? n - nans : (n - 1) / 2; });
}

// The middle of the numbers; the first NaN, where there are none.
KernelStatus nanmedian_kernel(KernelCall& call) {
  return select_by_rank(call, call.args[1].integer, call.args[2].boolean,
                        [](int64_t n, int64_t nans) { return std::max<int64_t>(0, (n - 1 - nans) / 2); });
}

}  // namespace monograph
