// Iterates over several tensors that broadcast to the same sizes, one row of the last dim at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "core/threads/pool.h"
#include "kernels/call.h"
#include "kernels/element_types.h"
#include "kernels/grain.h"
#include "kernels/round.h"

namespace monograph {

// One row, or a piece of one, of kCount tensors.
template <size_t kCount>
struct BroadcastRow {
  std::array<char*, kCount> first;  // the first element in each tensor
  std::array<int64_t, kCount> step;  // from one element to the next, in elements; 0 broadcasts
  int64_t n;  // the number of elements
};

// Calls f(BroadcastRow) for each row of `tensors`, or for pieces of long rows, on the thread pool. The tensors broadcast to the sizes of the first one.
// `cost`: the instructions for one element.
template <size_t kCount, class F>
void for_rows(const std::array<const KernelTensor*, kCount>& tensors, int64_t cost, F&& f) {
  const KernelTensor& whole = *tensors[0];
  const int32_t last = whole.dim - 1;
  const int64_t n = last < 0 ? 1 : whole.sizes[last], rows = n == 0 ? 0 : whole.numel() / n;
  auto stride = [&](const KernelTensor& t, int32_t d) -> int64_t {  // along dim d of `whole`
    const int32_t own = d - (whole.dim - t.dim);
    return own < 0 || t.sizes[own] == 1 ? 0 : t.strides[own];
  };
  const int64_t piece = grain(cost), pieces = divide_up(n, piece);  // pieces of a row
  parallel_for(0, rows * pieces, grain(cost, std::min(piece, n)), [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t row = task / pieces, start = task % pieces * piece;
      BroadcastRow<kCount> r;
      r.n = std::min(piece, n - start);
      for (size_t k = 0; k < kCount; ++k) {
        r.step[k] = last < 0 ? 0 : stride(*tensors[k], last);
        int64_t rest = row, at = start * r.step[k];
        for (int32_t d = last; d-- > 0; rest /= whole.sizes[d]) at += rest % whole.sizes[d] * stride(*tensors[k], d);
        r.first[k] = tensors[k]->data + at * element_size(tensors[k]->dtype);
      }
      f(r);
    }
  });
}

// Computes each element of the result as f(array of the elements of the first kArgs arguments, as OpMathType). The arguments have the result's floating
// dtype and broadcast to its sizes. `cost`: the instructions for one element.
template <size_t kArgs, class F>
KernelStatus map_elements(KernelCall& call, int64_t cost, F f) {
  dispatch(call.results[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T> || is_half<T>) {
      using C = OpMathType<T>;
      std::array<const KernelTensor*, kArgs + 1> tensors{&call.results[0]};
      for (size_t k = 0; k < kArgs; ++k) tensors[k + 1] = &call.args[k].tensor;
      for_rows<kArgs + 1>(tensors, cost, [&](const BroadcastRow<kArgs + 1>& r) {
        for (int64_t i = 0; i < r.n; ++i) {
          std::array<C, kArgs> x;
          for (size_t k = 0; k < kArgs; ++k) x[k] = static_cast<C>(reinterpret_cast<const T*>(r.first[k + 1])[i * r.step[k + 1]]);
          reinterpret_cast<T*>(r.first[0])[i * r.step[0]] = T(static_cast<C>(f(x)));
        }
      });
    }
  });
  return KernelStatus::Ok;
}

}  // namespace monograph
