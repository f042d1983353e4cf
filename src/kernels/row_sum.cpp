// The kInnerLanes sums of a row are kept in registers. Elements after the row that its last vector reads are masked.
#include "kernels/row_sum.h"

#include <algorithm>
#include <cstring>

#include "kernels/clones.h"
#include "kernels/vector_types.h"

namespace monograph {
namespace {

constexpr int kWidth = 16, kVectors = static_cast<int>(kInnerLanes) / kWidth;
using FloatVector = Vector<float, 4 * kWidth>;
using Mask = int32_t __attribute__((vector_size(4 * kWidth)));

[[gnu::always_inline]] inline void load(FloatVector& v, const float* from) { std::memcpy(&v, from, sizeof v); }

// Adds lanes 32 .. 1 of a row's sums to the lanes before them.
[[gnu::always_inline]] inline float halved(const FloatVector* sums) {
  const FloatVector v = (sums[0] + sums[2]) + (sums[1] + sums[3]);
  const auto eight = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  const auto four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

struct Means {
  [[gnu::always_inline]] static void run(const float* data, int64_t step, int64_t rows, int64_t n, int64_t begin, int64_t end, float* to,
                                         int64_t to_step) {
    const int64_t groups = n / kInnerLanes * kInnerLanes, rest = n - groups, read = (n + kWidth - 1) / kWidth * kWidth;
    Mask masks[kVectors];
    for (int u = 0; u < kVectors; ++u)
      for (int j = 0; j < kWidth; ++j) masks[u][j] = u * kWidth + j < rest ? -1 : 0;
    for (int64_t r = begin; r < end; ++r) {
      const float* row = data + r * step;
      float last[kInnerLanes];  // a copy of the row's last elements, since there may be no memory after them
      const float* tail = row + groups;
      if (r * step + read > (rows - 1) * step + n) {
        std::copy_n(tail, rest, last);
        std::fill(last + rest, last + kInnerLanes, 0.0f);
        tail = last;
      }
      FloatVector sums[kVectors] = {}, x;
      for (int64_t i = 0; i < groups; i += kInnerLanes) {
#pragma GCC unroll 4
        for (int u = 0; u < kVectors; ++u) load(x, row + i + u * kWidth), sums[u] += x;
      }
#pragma GCC unroll 4
      for (int u = 0; u < kVectors; ++u) {
        if (u * kWidth >= rest) break;
        load(x, tail + u * kWidth);
        sums[u] += reinterpret_cast<FloatVector>(reinterpret_cast<Mask>(x) & masks[u]);
      }
      to[r * to_step] = halved(sums) / static_cast<float>(n);
    }
  }
};

}  // namespace

void short_row_means(const FloatRows& rows, int64_t n, int64_t begin, int64_t end, float* to, int64_t to_step) {
  run_clone<Means>(rows.data, rows.step, rows.count, n, begin, end, to, to_step);
}

}  // namespace monograph
