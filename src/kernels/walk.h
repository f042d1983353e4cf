// Walking over several tensors of one size whose strides differ: row by row of the last dim.
#pragma once

#include <array>
#include <cstdint>

#include "core/threads/pool.h"
#include "kernels/call.h"
#include "kernels/grain.h"

namespace monograph {

// The elements of some tensors along one row: where each begins, and how far its elements lie apart.
template <size_t kCount>
struct BroadcastRow {
  std::array<char*, kCount> first;
  std::array<int64_t, kCount> step;  // in elements
  int64_t n;
};

// Calls f(BroadcastRow) for each row of `tensors`, which broadcast to the sizes of the first. `cost`: instructions for an element.
template <size_t kCount, class F>
void for_rows(const std::array<const KernelTensor*, kCount>& tensors, int64_t cost, F&& f) {
  const KernelTensor& whole = *tensors[0];
  const int32_t last = whole.dim - 1;
  const int64_t n = last < 0 ? 1 : whole.sizes[last], rows = n == 0 ? 0 : whole.numel() / n;
  auto stride = [&](const KernelTensor& t, int32_t d) -> int64_t {  // along dim d of `whole`
    const int32_t own = d - (whole.dim - t.dim);
    return own < 0 || t.sizes[own] == 1 ? 0 : t.strides[own];
  };
  parallel_for(0, rows, grain(cost, n), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      BroadcastRow<kCount> r;
      r.n = n;
      for (size_t k = 0; k < kCount; ++k) {
        int64_t rest = row, at = 0;
        for (int32_t d = last; d-- > 0; rest /= whole.sizes[d]) at += rest % whole.sizes[d] * stride(*tensors[k], d);
        r.first[k] = tensors[k]->data + at * element_size(tensors[k]->dtype);
        r.step[k] = last < 0 ? 0 : stride(*tensors[k], last);
      }
      f(r);
    }
  });
}

}  // namespace monograph
