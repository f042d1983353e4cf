// Each element becomes an entry: an unsigned key with the same order as the elements, and its index in the row. All algorithms work on entries, of which
// there are two kinds, so they do not depend on the dtype.
#include "kernels/sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "core/threads/pool.h"
#include "kernels/grain.h"
#include "kernels/round.h"
#include "kernels/variants.h"

namespace monograph {
namespace {

constexpr int64_t kSortCost = 4;  // instructions for an element in each pass over a row

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

// The bits of infinity; a float whose bits without the sign are greater is a NaN.
template <class T> constexpr SortKey<T> kInfinity = 0;
template <> constexpr uint16_t kInfinity<half> = 0x7c00;
template <> constexpr uint16_t kInfinity<bfloat16> = 0x7f80;
template <> constexpr uint32_t kInfinity<float> = 0x7f800000;
template <> constexpr uint64_t kInfinity<double> = 0x7ff0000000000000;

// Whether the key determines the element. It does not for the zeros and NaNs of floats.
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
    const K ordered = bits & kSign ? static_cast<K>(kSign - magnitude) : static_cast<K>(kSign + magnitude);  // +0 and -0 both become kSign
    return magnitude > kInfinity<T> ? static_cast<K>(~K{0}) : ordered;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<K>(bits ^ kSign);
  } else {
    return bits;
  }
}

// ---- entries ----

struct NarrowEntry {  // for keys of up to 32 bits in rows of fewer than 2^32 elements
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

// The comparison for the standard algorithms. Entries with equal keys are equal.
struct Before {
  template <class Entry>
  bool operator()(const Entry& a, const Entry& b) const {
    return a.key() < b.key();
  }
};

// A row in memory: elements `stride` bytes apart. With `flip` all ones, keys are in descending order.
struct SortRow {
  const char* data;
  int64_t stride;
  int64_t n;
  uint64_t flip;
};

// Writes the first n elements of a row as entries. If the row is alone in its parallel region, all threads read it.
template <class T, class Entry>
void make_entries(Entry* out, const SortRow& row, int64_t n) {
  const auto mask = static_cast<SortKey<T>>(row.flip);
  parallel_for(0, n, grain(kSortCost), [&](int64_t begin, int64_t end) {
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
// The smallest of some keys.
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
// The keys of n elements from `at` on, and the smallest of them.
template <class T>
SortKey<T> find_least(SortKey<T>* out, const SortRow& row, int64_t at, int64_t n) {
  SortKey<T> least;
  const Isa isa = host_isa();
  if (isa >= Isa::v4) find_least_v4<T>(out, row, at, n, least);
  else if (isa >= Isa::v3) find_least_v3<T>(out, row, at, n, least);
  else keys_and_least_loop<T>(out, row.data + at * row.stride, row.stride, n, row.flip, least);
  return least;
}

// ---- radix sort ----

// Calls f for parts of the entries, on the threads.
struct Parts {
  static constexpr int64_t kMost = 8;
  int64_t count;
  explicit Parts(int64_t n)
      : count(in_parallel_region() ? 1 : std::clamp<int64_t>(n / grain(kSortCost), 1, std::min<int64_t>(kMost, num_threads()))) {}
  template <class F>
  void each(int64_t n, F&& f) const {
    const EqualParts parts(n, count);
    parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) f(p, parts.begin(p), parts.begin(p + 1));
    });
  }
};

// The bits that differ between keys.
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

// The number of digits, of this many bits each, in which keys differ.
int passes(uint64_t varying, int digit) {
  int count = 0;
  for (int shift = 0; shift < 64; shift += digit) count += (varying >> shift & ((uint64_t{1} << digit) - 1)) != 0;
  return count;
}

// A stable radix sort by the digits that differ. The result is in one of the two buffers. Each part of the entries counts its own digits, and the entries
// with one digit stay in the order of the parts.
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

// A stable sort. `spare` is as large as the entries.
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
  // With 1,024 digits the cache lines written to stay in a near cache; with 2,048 they do not.
  const bool wide = n >= kMany && passes(varying, 10) < passes(varying, 8);
  return wide ? sort_digits<10>(entries, spare, n, varying, parts) : sort_digits<8>(entries, spare, n, varying, parts);
}

// Whether two of the first n sorted entries have equal keys.
template <class Entry>
bool any_equal(const Entry* sorted, int64_t n) {
  bool equal = false;
  for (int64_t i = 1; i < n; ++i) equal |= sorted[i].key() == sorted[i - 1].key();
  return equal;
}

// ---- networks for short rows ----

// Batcher's sorting network for N words: a fixed sequence of exchanges, so no branch depends on the elements.
struct Exchange {
  uint8_t first, second;
};
template <int N, class F>
constexpr void each_exchange(F&& f) {
  for (int p = 1; p < N; p *= 2)
    for (int k = p; k >= 1; k /= 2)
      for (int j = k % p; j + k < N; j += 2 * k)
        for (int i = 0; i < k && i + j + k < N; ++i)
          if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) f(Exchange{static_cast<uint8_t>(i + j), static_cast<uint8_t>(i + j + k)});
}
template <int N>
constexpr auto network() {
  constexpr size_t kCount = [] {
    size_t count = 0;
    each_exchange<N>([&](Exchange) { ++count; });
    return count;
  }();
  std::array<Exchange, kCount> all{};
  size_t at = 0;
  each_exchange<N>([&](Exchange e) { all[at++] = e; });
  return all;
}

// An entry as one number, which orders entries by key and place.
__extension__ using WideWord = unsigned __int128;
inline uint64_t word_of(NarrowEntry e) { return e.bits; }
inline WideWord word_of(WideEntry e) { return static_cast<WideWord>(e.bits) << 64 | e.at; }
inline NarrowEntry entry_of(uint64_t word) { return {word}; }
inline WideEntry entry_of(WideWord word) { return {static_cast<uint64_t>(word >> 64), static_cast<uint64_t>(word)}; }
template <class Entry> using WordOf = decltype(word_of(Entry{}));

template <int N, class Word>
void sort_words(Word* words) {
  static constexpr auto kNetwork = network<N>();
  const auto exchange = [&](Exchange e) {
    const Word a = words[e.first], b = words[e.second];
    const bool turn = b < a;
    words[e.first] = turn ? b : a, words[e.second] = turn ? a : b;
  };
  [&]<size_t... I>(std::index_sequence<I...>) { (exchange(kNetwork[I]), ...); }(std::make_index_sequence<kNetwork.size()>());
}

constexpr int kNetworkRow = 16;  // the longest row that a network sorts

// The smallest network that takes rows of n elements.
template <class Word>
void (*network_for(int64_t n))(Word*) {
  return n <= 2 ? sort_words<2, Word> : n <= 4 ? sort_words<4, Word> : n <= 8 ? sort_words<8, Word> : sort_words<kNetworkRow, Word>;
}

// ---- one row ----

enum class Order : uint8_t { Stable, Unstable };

template <class T, class Entry>
const Entry* sort_row(const SortRow& row, Order order, Entry* buffer) {
  constexpr int64_t kInserted = 16;  // std::sort is stable for up to this many elements
  Entry* spare = buffer + row.n;
  make_entries<T>(buffer, row, row.n);
  const Entry* sorted = sort_stable(buffer, spare, row.n);
  if (order == Order::Stable || row.n <= kInserted || !any_equal(sorted, row.n)) return sorted;
  make_entries<T>(buffer, row, row.n);
  std::sort(buffer, buffer + row.n, Before());
  return buffer;
}

// Replaces the first entry of a heap by `value`, in the same way as std::pop_heap: down along the larger children to the bottom, then up to its position.
// This decides which of equal entries stay.
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

// The first k of std::partial_sort: a heap of the smallest entries so far; only entries less than its largest one enter. So blocks without such a key are
// skipped.
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

// Up to kSortedTogether neighbouring columns whose elements are contiguous: a cache line holds elements of all, and the next element of a column is far away.
constexpr int kSortedTogether = 16;
template <class T>
[[gnu::always_inline]] inline void line_keys_loop(SortKey<T>* out, SortKey<T>* least, const char* data, int64_t stride, int64_t n,
                                                  int64_t columns, uint64_t flip) {
  const auto mask = static_cast<SortKey<T>>(flip);
  for (int64_t c = 0; c < kSortedTogether; ++c) least[c] = std::numeric_limits<SortKey<T>>::max();
  if (columns == kSortedTogether) {
    for (int64_t i = 0; i < n; ++i)
      for (int64_t c = 0; c < kSortedTogether; ++c) {
        const SortKey<T> key = key_of(reinterpret_cast<const T*>(data + i * stride)[c]) ^ mask;
        out[i * kSortedTogether + c] = key, least[c] = std::min(least[c], key);
      }
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < columns; ++c) {
      const SortKey<T> key = key_of(reinterpret_cast<const T*>(data + i * stride)[c]) ^ mask;
      out[i * kSortedTogether + c] = key, least[c] = std::min(least[c], key);
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
// The keys of n elements of each column from `at` on (a column is every kSortedTogether-th key), and the smallest key of each column.
template <class T>
void line_keys(SortKey<T>* out, SortKey<T>* least, const SortRow& first, int64_t at, int64_t n, int64_t columns) {
  const char* data = first.data + at * first.stride;
  const Isa isa = host_isa();
  if (isa >= Isa::v4) return line_keys_v4<T>(out, least, data, first.stride, n, columns, first.flip);
  if (isa >= Isa::v3) return line_keys_v3<T>(out, least, data, first.stride, n, columns, first.flip);
  line_keys_loop<T>(out, least, data, first.stride, n, columns, first.flip);
}

// partial_row for each column: the heap of column c is at heaps + c * k.
template <class T, class Entry>
void partial_columns(const SortRow& first, int64_t columns, int64_t k, Entry* heaps) {
  constexpr int64_t kBlock = 64;
  SortKey<T> keys[kBlock * kSortedTogether], least[kSortedTogether];
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
        const SortKey<T> key = keys[i * kSortedTogether + c];
        if (key < heap[0].key()) replace_first(heap, k, Entry::make(key, at + i));
      }
    }
  }
  for (int64_t c = 0; c < columns; ++c) std::sort_heap(heaps + c * k, heaps + (c + 1) * k, Before());
}

constexpr int64_t kShare = 64;  // if k is at most 1/kShare of a row, PyTorch calls std::partial_sort

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
  int64_t n = 1, count = 1;  // the elements of a row; the number of rows
  RowSizes(int64_t elements, int64_t rows) : n(elements), count(rows) {}
  RowSizes(const KernelTensor& t, int64_t dim) {
    for (int32_t d = 0; d < t.dim; ++d) (d == dim ? n : count) *= t.sizes[d];
  }
};

int64_t row_bytes(DType dtype, int64_t n) {
  const int64_t entry = needs_wide(dtype, n) ? sizeof(WideEntry) : sizeof(NarrowEntry);
  return round_up(2 * n * entry, 64);
}
// The number of rows that are sorted at a time, each in its part of the scratch memory. It does not depend on the number of threads, which may change
// after the scratch memory was sized.
int64_t slots_of(DType dtype, const RowSizes& rows) {
  constexpr int64_t kMostSlots = 16, kMostBytes = 64 << 20;
  return std::clamp<int64_t>(kMostBytes / std::max<int64_t>(1, row_bytes(dtype, rows.n)), 1,
                             std::clamp<int64_t>(rows.count, 1, kMostSlots));
}

// The offset in bytes of the first element of a row, by the row's number.
int64_t row_offset(const KernelTensor& t, int64_t dim, int64_t row) {
  int64_t at = 0;
  for (int32_t d = t.dim; d-- > 0;) {
    if (d == dim || t.sizes[d] == 1) continue;
    at += row % t.sizes[d] * t.strides[d], row /= t.sizes[d];
  }
  return at * element_size(t.dtype);
}

// The offsets in bytes of the first elements of the rows, by the rows' numbers. Most tensors have the same step from each row to the next.
class RowPlaces {
 public:
  RowPlaces(const KernelTensor& t, int64_t dim) : t_(t), dim_(dim) {
    int64_t count = 1;
    for (int32_t d = t.dim; d-- > 0;) {
      if (d == dim || t.sizes[d] == 1) continue;
      if (count == 1) step_ = t.strides[d];
      even_ &= t.strides[d] == step_ * count;
      count *= t.sizes[d];
    }
    step_ *= element_size(t.dtype);
  }
  int64_t operator[](int64_t row) const { return even_ ? row * step_ : row_offset(t_, dim_, row); }

 private:
  const KernelTensor& t_;
  int64_t dim_, step_ = 0;
  bool even_ = true;
};

// The rows of a call, and the memory of their results.
template <class T, class Entry>
struct SortTask {
  const KernelTensor &self, &values, &indices;
  int64_t dim, k;  // k: the number of entries of each row that are written
  uint64_t flip;

  SortRow row(int64_t r) const { return {self.data + row_offset(self, dim, r), stride_of(self), self.dim ? self.sizes[dim] : 1, flip}; }
  // The number of rows from r on whose elements are contiguous.
  int64_t neighbours(int64_t r) const {
    for (int32_t d = self.dim; d-- > 0;)
      if (d != dim && self.sizes[d] != 1) return self.strides[d] == 1 ? self.sizes[d] - r % self.sizes[d] : 1;
    return 1;
  }
  void write(int64_t r, const Entry* found) const {
    const SortRow from = row(r);
    char *value = values.data + row_offset(values, dim, r), *index = indices.data + row_offset(indices, dim, r);
    const int64_t value_stride = stride_of(values), index_stride = stride_of(indices);
    parallel_for(0, k, grain(kSortCost), [&](int64_t first, int64_t last) {
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
  // The words of a row. Not inlined: four kinds of loops read rows.
  [[gnu::noinline]] void read_short_row(const char* from, int64_t n, int64_t step, WordOf<Entry>* words) const {
    const auto mask = static_cast<SortKey<T>>(flip);
    for (int64_t i = 0; i < n; ++i, from += step) {
      T x;
      std::memcpy(&x, from, sizeof(T));
      words[i] = word_of(Entry::make(static_cast<SortKey<T>>(key_of(x) ^ mask), i));
    }
  }
  // Sorts rows r .. end - 1, which are short, and calls take(row, its entries in order) for each.
  template <class F>
  void short_rows(int64_t r, int64_t end, F&& take) const {
    const RowPlaces places(self, dim);
    const int64_t n = self.dim ? self.sizes[dim] : 1, step = stride_of(self);
    const auto sort = network_for<WordOf<Entry>>(n);
    WordOf<Entry> words[kNetworkRow];
    std::fill_n(words, kNetworkRow, ~WordOf<Entry>(0));  // behind all entries
    for (; r < end; ++r) {
      read_short_row(self.data + places[r], n, step, words);
      sort(words);
      take(r, words);
    }
  }
  // The same for rows of which the first k entries are the results. With `distinct`, rest(row) writes a row in which two of them have equal keys, or the
  // last of them and the next.
  template <class F>
  void write_short_rows(int64_t r, int64_t end, bool distinct, F&& rest) const {
    const RowPlaces from(self, dim), to(values, dim), places(indices, dim);
    const int64_t step = stride_of(self), value_step = stride_of(values), index_step = stride_of(indices);
    const int64_t compared = distinct ? std::min(k, (self.dim ? self.sizes[dim] : 1) - 1) : 0;
    short_rows(r, end, [&](int64_t row, const WordOf<Entry>* words) {
      bool equal = false;
      for (int64_t i = 0; i < compared; ++i) equal |= entry_of(words[i]).key() == entry_of(words[i + 1]).key();
      if (equal) return rest(row);
      const char* x = self.data + from[row];
      char *value = values.data + to[row], *index = indices.data + places[row];
      for (int64_t i = 0; i < k; ++i) {
        const int64_t place = entry_of(words[i]).place();
        std::memcpy(value + i * value_step, x + place * step, sizeof(T));
        std::memcpy(index + i * index_step, &place, sizeof(place));
      }
    });
  }
  // Writes one entry as the result of row r. `result_dim` is the dim in the results, or -1 if they do not have it.
  void write_one(int64_t r, const Entry& found, int64_t result_dim) const {
    const SortRow from = row(r);
    const int64_t place = found.place();
    std::memcpy(values.data + row_offset(values, result_dim, r), from.data + place * from.stride, sizeof(T));
    std::memcpy(indices.data + row_offset(indices, result_dim, r), &place, sizeof(place));
  }
  int64_t stride_of(const KernelTensor& t) const { return t.dim ? t.strides[dim] * element_size(t.dtype) : 0; }
};

// Calls sort(task, r, end, buffer) until all rows are done. It writes row r and perhaps more rows before `end`, and returns their number.
template <class T, class Entry, class F>
void for_rows(KernelCall& call, int64_t dim, bool descending, int64_t k, F&& sort) {
  const SortTask<T, Entry> task{call.args[0].tensor, call.results[0], call.results[1], dim, k, descending ? ~uint64_t{0} : 0};
  const RowSizes rows(task.self, dim);
  const int64_t slots = slots_of(task.self.dtype, rows), slot_bytes = row_bytes(task.self.dtype, rows.n);
  const auto some = [&](int64_t r, int64_t end, char* scratch) {
    while (r < end) r += sort(task, r, end, reinterpret_cast<Entry*>(scratch));
  };
  if (!shares(kSortCost, rows.count * rows.n) || slots == 1) return some(0, rows.count, call.scratch);
  parallel_for(0, slots, 1, [&](int64_t begin, int64_t end) {  // a slot is a part of the rows
    for (int64_t s = begin; s < end; ++s) some(rows.count * s / slots, rows.count * (s + 1) / slots, call.scratch + s * slot_bytes);
  });
}

// Calls f(zero of the dtype's type, an entry) for dtypes that have an order.
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
    for_rows<T, Entry>(call, dim, descending, rows.n,
                       [&](const SortTask<T, Entry>& task, int64_t r, int64_t end, Entry* buffer) -> int64_t {
                         if (rows.n <= kNetworkRow)
                           return task.write_short_rows(r, end, false, [](int64_t) {}), end - r;  // std::sort is stable for so few
                         task.write(r, sort_row<T, Entry>(task.row(r), order, buffer));
                         return 1;
                       });
  });
  return KernelStatus::Ok;
}

// PyTorch sorts contiguous integers of at least this length ascending by a radix sort, which is stable.
Order default_order(const KernelTensor& self, bool descending) {
  constexpr int64_t kByDigits = 32768;
  return !descending && self.dim == 1 && self.sizes[0] >= kByDigits && is_integral(self.dtype) ? Order::Stable : Order::Unstable;
}

// Finds the element of each row at position rank(number of elements, number of NaNs) of a stable sort.
template <class Rank>
KernelStatus select_by_rank(KernelCall& call, int64_t dim, bool keepdim, Rank&& rank) {
  const KernelTensor& self = call.args[0].tensor;
  const RowSizes rows(self, dim);
  if (rows.n * rows.count == 0) return KernelStatus::Ok;
  dispatch_ordered(self.dtype, rows.n, [&](auto zero, auto entry) {
    using T = decltype(zero);
    using Entry = decltype(entry);
    const int64_t result_dim = keepdim || self.dim == 0 ? dim : -1;
    const auto nans_in = [](auto key, int64_t n) {
      int64_t nans = 0;
      if constexpr (kInfinity<T> != 0)
        for (int64_t i = 0; i < n; ++i) nans += key(i) == std::numeric_limits<SortKey<T>>::max();
      return nans;
    };
    for_rows<T, Entry>(call, dim, false, 1, [&](const SortTask<T, Entry>& task, int64_t r, int64_t end, Entry* buffer) -> int64_t {
      if (rows.n <= kNetworkRow) {
        task.short_rows(r, end, [&](int64_t row, const WordOf<Entry>* words) {
          const int64_t nans = nans_in([&](int64_t i) { return entry_of(words[i]).key(); }, rows.n);
          task.write_one(row, entry_of(words[rank(rows.n, nans)]), result_dim);
        });
        return end - r;
      }
      make_entries<T>(buffer, task.row(r), rows.n);
      const int64_t nans = nans_in([&](int64_t i) { return buffer[i].key(); }, rows.n);
      Entry* found = buffer + rank(rows.n, nans);
      std::nth_element(buffer, found, buffer + rows.n,
                       [](const Entry& a, const Entry& b) { return a.key() != b.key() ? a.key() < b.key() : a.place() < b.place(); });
      task.write_one(r, *found, result_dim);
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
      if (sorted && rows.n <= kNetworkRow) {
        task.write_short_rows(r, end, true, [&](int64_t row) { task.write(row, top_row<T, Entry>(task.row(row), k, sorted, buffer)); });
        return end - r;
      }
      const int64_t together = k * kShare <= rows.n ? std::min({end - r, int64_t{kSortedTogether}, task.neighbours(r)}) : 1;
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

// The lower of the two middle elements; the first NaN if there is one.
KernelStatus median_kernel(KernelCall& call) {
  return select_by_rank(call, call.args[1].integer, call.args[2].boolean,
                        [](int64_t n, int64_t nans) { return nans > 0 ? n - nans : (n - 1) / 2; });
}

// The middle of the numbers; the first NaN if there are only NaNs.
KernelStatus nanmedian_kernel(KernelCall& call) {
  return select_by_rank(call, call.args[1].integer, call.args[2].boolean,
                        [](int64_t n, int64_t nans) { return std::max<int64_t>(0, (n - 1 - nans) / 2); });
}

}  // namespace monograph
