// One pass over the elements, on one thread.
#include "kernels/histograms.h"

#include <algorithm>
#include <cstring>

#include "kernels/number.h"

namespace monograph {
namespace {

void clear(const KernelTensor& bins) { std::memset(bins.data, 0, static_cast<size_t>(bins.numel()) * element_size(bins.dtype)); }

template <class T>
void count_equal_bins(const KernelTensor& x, T first, T last, const KernelTensor& hist) {
  const int64_t bins = hist.sizes[0];
  const T range = last - first, count = static_cast<T>(bins);
  T* to = hist.as<T>();
  const T* values = x.as<const T>();
  for (int64_t k = 0, n = x.numel(); k < n; ++k)
    if (const T value = values[k]; value >= first && value <= last)
      to[std::min(static_cast<int64_t>((value - first) / range * count), bins - 1)] += T(1);
}

// `weight` may be null.
template <class T>
void count_between(const KernelTensor& x, const KernelTensor& edges, const T* weight, T* bins) {
  const int64_t count = edges.sizes[0];
  const T *values = x.as<const T>(), *edge = edges.as<const T>();
  const T low = edge[0], high = edge[count - 1];
  for (int64_t k = 0, n = x.numel(); k < n; ++k) {
    if (!(values[k] >= low && values[k] <= high)) continue;
    const T* above = edge;  // the first edge above the element
    for (int64_t rest = count; rest > 0;) {
      const int64_t half = rest / 2;
      const bool right = !(above[half] > values[k]);
      above = right ? above + half + 1 : above;
      rest = right ? rest - half - 1 : half;
    }
    bins[std::clamp<int64_t>(above - edge - 1, 0, count - 2)] += weight ? weight[k] : T(1);
  }
}

template <class T>
void count_numbers(const KernelTensor& x, const KernelArg& weight, T* to) {
  const auto* number = x.as<const int64_t>();
  const T* weights = weight.none() ? nullptr : weight.tensor.as<const T>();
  for (int64_t k = 0, n = x.numel(); k < n; ++k) to[number[k]] += weights ? weights[k] : T(1);
}

}  // namespace

int64_t bincount_size(const KernelCall& call) {
  const KernelTensor& x = call.args[0].tensor;
  const auto* number = x.as<const int64_t>();
  int64_t least = 0, most = -1;
  for (int64_t k = 0, n = x.numel(); k < n; ++k) least = std::min(least, number[k]), most = std::max(most, number[k]);
  return least < 0 ? 1 : std::max(call.args[2].integer, most + 1);
}

KernelStatus bincount_kernel(KernelCall& call) {
  const KernelTensor &x = call.args[0].tensor, &counts = call.results[0];
  const auto* number = x.as<const int64_t>();
  for (int64_t k = 0, n = x.numel(); k < n; ++k)
    if (number[k] < 0) return call.fail(number[k], 0, k);
  clear(counts);
  if (counts.dtype == DType::i64) count_numbers(x, call.args[1], counts.as<int64_t>());
  else if (counts.dtype == DType::f32) count_numbers(x, call.args[1], counts.as<float>());
  else count_numbers(x, call.args[1], counts.as<double>());
  return KernelStatus::Ok;
}

KernelStatus histc_kernel(KernelCall& call) {
  const KernelTensor &x = call.args[0].tensor, &hist = call.results[0];
  const double low = real_of(call.args[2]), high = real_of(call.args[3]);
  clear(hist);
  if (x.dtype == DType::f32) count_equal_bins(x, static_cast<float>(low), static_cast<float>(high), hist);
  else count_equal_bins(x, low, high, hist);
  return KernelStatus::Ok;
}

KernelStatus histogram_kernel(KernelCall& call) {
  const KernelTensor &x = call.args[0].tensor, &edges = call.args[1].tensor, &hist = call.results[0];
  const KernelArg& weight = call.args[2];
  clear(hist);
  std::memcpy(call.results[1].data, edges.data, static_cast<size_t>(edges.numel()) * element_size(edges.dtype));
  if (x.dtype == DType::f32) count_between(x, edges, weight.none() ? nullptr : weight.tensor.as<const float>(), hist.as<float>());
  else count_between(x, edges, weight.none() ? nullptr : weight.tensor.as<const double>(), hist.as<double>());
  return KernelStatus::Ok;
}

}  // namespace monograph
