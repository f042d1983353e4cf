// Copies and fills run along the innermost dims of the destination. Dims that both tensors walk without a gap are made one, so that a copy of whole rows is
// memcpy; only the size of an element matters, not its dtype.
#include "kernels/elements.h"

#include <algorithm>
#include <cstring>

#include "core/threads/pool.h"

namespace monograph {
namespace {

constexpr int kMaxDims = 64;
constexpr int64_t kBlockBytes = int64_t{1} << 17;  // what one thread takes at a time

// The dims of a copy, outermost first, in the order of the destination's memory.
struct Walk {
  int dims = 0;
  int64_t sizes[kMaxDims], to[kMaxDims], from[kMaxDims];  // steps in bytes

  void add(int64_t size, int64_t to_step, int64_t from_step) {
    int at = dims++;
    for (; at > 0 && to[at - 1] < to_step; --at) sizes[at] = sizes[at - 1], to[at] = to[at - 1], from[at] = from[at - 1];
    sizes[at] = size, to[at] = to_step, from[at] = from_step;
  }
  // Dims that continue each other become one.
  void merge() {
    int kept = 0;
    for (int d = 1; d < dims; ++d) {
      if (to[kept] == to[d] * sizes[d] && from[kept] == from[d] * sizes[d]) {
        sizes[kept] *= sizes[d], to[kept] = to[d], from[kept] = from[d];
      } else {
        ++kept;
        sizes[kept] = sizes[d], to[kept] = to[d], from[kept] = from[d];
      }
    }
    dims = dims ? kept + 1 : 0;
  }
};

struct Bytes16 {
  uint64_t low, high;
};

template <class T>
void copy_row(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n) {
  if (to_step == sizeof(T) && from_step == sizeof(T)) return void(std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T)));
  if (to_step == sizeof(T) && from_step == 0) return void(std::fill_n(reinterpret_cast<T*>(to), n, *reinterpret_cast<const T*>(from)));
  for (int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(to + i * to_step) = *reinterpret_cast<const T*>(from + i * from_step);
}

using RowFn = void (*)(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n);
RowFn row_of(int64_t element) {
  switch (element) {
    case 1: return copy_row<uint8_t>;
    case 2: return copy_row<uint16_t>;
    case 4: return copy_row<uint32_t>;
    case 8: return copy_row<uint64_t>;
    default: return copy_row<Bytes16>;
  }
}

// Rows begin..end of a walk whose last dim is the row.
void copy_rows(const Walk& w, RowFn row, char* to, const char* from, int64_t begin, int64_t end) {
  int64_t index[kMaxDims];
  const int last = w.dims - 1;
  for (int64_t rest = begin, d = last - 1; d >= 0; --d) {
    index[d] = rest % w.sizes[d], rest /= w.sizes[d];
    to += index[d] * w.to[d], from += index[d] * w.from[d];
  }
  for (int64_t r = begin; r < end; ++r) {
    row(to, w.to[last], from, w.from[last], w.sizes[last]);
    for (int d = last - 1; d >= 0; --d) {
      to += w.to[d], from += w.from[d];
      if (++index[d] < w.sizes[d]) break;
      to -= w.to[d] * w.sizes[d], from -= w.from[d] * w.sizes[d], index[d] = 0;
    }
  }
}

void run(Walk& w, int64_t element, char* to, const char* from) {
  w.merge();
  if (w.dims == 0) w.add(1, element, element);
  const RowFn row = row_of(element);
  int64_t rows = 1;
  for (int d = 0; d + 1 < w.dims; ++d) rows *= w.sizes[d];
  const int64_t bytes = w.sizes[w.dims - 1] * element;
  if (rows == 1 && w.to[0] == element) {  // one long row: cut it
    parallel_for(0, w.sizes[0], kBlockBytes / element,
                 [&](int64_t b, int64_t e) { row(to + b * w.to[0], w.to[0], from + b * w.from[0], w.from[0], e - b); });
    return;
  }
  parallel_for(0, rows, std::max<int64_t>(1, kBlockBytes / std::max<int64_t>(bytes, 1)),
               [&](int64_t b, int64_t e) { copy_rows(w, row, to, from, b, e); });
}

}  // namespace

void copy_elements(const KernelTensor& dst, const KernelTensor& src) {
  if (dst.numel() == 0) return;
  const int64_t element = element_size(dst.dtype);
  Walk w;
  for (int32_t d = 0; d < dst.dim; ++d)
    if (dst.sizes[d] != 1) w.add(dst.sizes[d], dst.strides[d] * element, src.strides[d] * element);
  run(w, element, dst.data, src.data);
}

void fill_elements(const KernelTensor& dst, const void* value) {
  if (dst.numel() == 0) return;
  const int64_t element = element_size(dst.dtype);
  Walk w;
  for (int32_t d = 0; d < dst.dim; ++d)
    if (dst.sizes[d] != 1) w.add(dst.sizes[d], dst.strides[d] * element, 0);
  run(w, element, dst.data, static_cast<const char*>(value));
}

}  // namespace monograph
