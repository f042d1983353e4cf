// Binary search for each element, and cumulative extremes along each row. Threads share the elements, or the rows.
#include "kernels/search.h"

#include <algorithm>
#include <complex>
#include <string_view>

#include "core/threads/pool.h"
#include "kernels/grain.h"
#include "kernels/number.h"

namespace monograph {
namespace {

constexpr int64_t kCompareCost = 8;  // instructions to compare an element
constexpr int64_t kSearchCost = 64;  // instructions to search for an element: steps that no processor predicts

template <class T>
constexpr bool kOrdered = !std::is_same_v<T, std::complex<float>> && !std::is_same_v<T, std::complex<double>>;

template <class T>
auto plain(T x) {
  if constexpr (is_half<T>) return static_cast<float>(x);
  else return x;
}
template <class T>
int64_t insertion_index(const T* row, const int64_t* order, int64_t n, T value, bool right) {
  int64_t low = 0, high = n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const auto there = plain(row[order ? order[middle] : middle]), wanted = plain(value);
    if (right ? !(there > wanted) : !(there >= wanted)) low = middle + 1;
    else high = middle;
  }
  return low;
}

template <class T>
void search(const KernelCall& call, const int64_t* order, bool right) {
  const KernelTensor &sequence = call.args[0].tensor, &values = call.args[1].tensor, &out = call.results[0];
  const int64_t n = sequence.sizes[sequence.dim - 1];
  const bool shared = sequence.dim == 1;
  const int64_t per_row = shared || values.dim == 0 ? values.numel() : values.sizes[values.dim - 1];
  const T *rows = sequence.as<T>(), *value = values.as<T>();
  parallel_for(0, values.numel(), grain(kSearchCost), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = shared ? 0 : i / per_row * n;
      const int64_t place = insertion_index(rows + row, order ? order + row : nullptr, n, value[i], right);
      if (out.dtype == DType::i32) out.as<int32_t>()[i] = static_cast<int32_t>(place);
      else out.as<int64_t>()[i] = place;
    }
  });
}

template <class T, bool kLargest>
void run_along(T* out, int64_t* places, const T* x, int64_t n, int64_t step) {
  T best = x[0];
  int64_t at = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto v = plain(x[i * step]), b = plain(best);
    if (v != v || (b == b && (kLargest ? v >= b : v <= b))) best = x[i * step], at = i;
    out[i * step] = best, places[i * step] = at;
  }
}

template <bool kLargest>
KernelStatus extremes(KernelCall& call) {
  const KernelTensor &x = call.args[0].tensor, &out = call.results[0];
  const int64_t dim = call.args[1].integer;
  int64_t outer = 1, n = 1, inner = 1;
  for (int32_t d = 0; d < x.dim; ++d) (d < dim ? outer : d > dim ? inner : n) *= x.sizes[d];
  if (outer * n * inner == 0) return KernelStatus::Ok;
  dispatch(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (kOrdered<T>)
      parallel_for(0, outer * inner, grain(kCompareCost, n), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const int64_t first = row / inner * n * inner + row % inner;
          run_along<T, kLargest>(out.as<T>() + first, call.results[1].as<int64_t>() + first, x.as<T>() + first, n, inner);
        }
      });
  });
  return KernelStatus::Ok;
}

}  // namespace

KernelStatus searchsorted_kernel(KernelCall& call) {
  const KernelArg &side = call.args[4], &sorter = call.args[5];
  const bool right = call.args[3].boolean || (!side.none() && std::string_view(side.text.characters, side.text.count) == "right");
  const int64_t* order = nullptr;
  if (!sorter.none()) {
    order = sorter.tensor.as<int64_t>();
    const int64_t n = sorter.tensor.sizes[sorter.tensor.dim - 1], count = sorter.tensor.numel();
    for (int64_t i = 0; i < count; ++i)
      if (order[i] < 0 || order[i] >= n) return call.fail(order[i], n, i);
  }
  dispatch(call.args[0].tensor.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (kOrdered<T>) search<T>(call, order, right);
  });
  return KernelStatus::Ok;
}

KernelStatus cummax_kernel(KernelCall& call) { return extremes<true>(call); }
KernelStatus cummin_kernel(KernelCall& call) { return extremes<false>(call); }

}  // namespace monograph
