// Sums of rows for handwritten kernels, with the bits of a generated reduction in KernelForm::Inner (docs/numerics.md).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/body.h"

namespace monograph {

// The sum of element(0) .. element(n - 1); element(i) returns a W.
template <class W, class F>
W row_sum(int64_t n, F&& element) {
  std::array<W, 64> older;  // sums of 2^i blocks, one for each 1 in the binary number of blocks so far
  size_t count = 0;
  for (int64_t begin = 0; begin < n; begin += kInnerBlock) {
    std::array<W, kInnerLanes> lanes{};
    const int64_t length = std::min(kInnerBlock, n - begin);
    for (int64_t i = 0; i < length; ++i) lanes[static_cast<size_t>(i % kInnerLanes)] += element(begin + i);
    const auto used = static_cast<size_t>(std::min<int64_t>(length, kInnerLanes));  // the lanes behind are +0, and no lane is -0
    for (size_t half = kInnerLanes / 2; half > 0; half /= 2)
      for (size_t j = 0; j < half && j + half < used; ++j) lanes[j] += lanes[j + half];
    W sum = lanes[0];
    for (int64_t block = begin / kInnerBlock; block % 2; block /= 2) sum = older[--count] + sum;
    older[count++] = sum;
  }
  if (count == 0) return W(0);
  W sum = older[--count];
  while (count > 0) sum = older[--count] + sum;
  return sum;
}

// Rows of contiguous float32 elements, `step` elements from one row to the next.
struct FloatRows {
  const float* data;
  int64_t step, count;
};

// The means of rows begin .. end - 1, each of n elements, at most kInnerBlock; the mean of row r goes to to[r * to_step].
void short_row_means(const FloatRows& rows, int64_t n, int64_t begin, int64_t end, float* to, int64_t to_step);

}  // namespace monograph
