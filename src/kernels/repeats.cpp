// Threads share the slices.
#include "kernels/repeats.h"

#include <algorithm>
#include <numeric>

#include "kernels/element_types.h"
#include "kernels/grain.h"
#include "kernels/round.h"

namespace monograph {
namespace {

// The sum of the repeats, or -1 if one of them is negative, whose index is then *place.
template <class T>
int64_t total_of(const KernelTensor& repeats, int64_t* place) {
  const T* count = repeats.as<const T>();
  int64_t sum = 0;
  for (int64_t k = 0; k < repeats.sizes[0]; sum += count[k++])
    if (count[k] < 0) return *place = k, -1;
  return sum;
}

int64_t total_of(const KernelTensor& repeats, int64_t* place) {
  return repeats.dtype == DType::i32 ? total_of<int32_t>(repeats, place) : total_of<int64_t>(repeats, place);
}

template <class T>
void write_numbers(const KernelTensor& repeats, T* to) {
  constexpr int64_t kParts = 16;
  const T* count = repeats.as<const T>();
  const int64_t n = repeats.sizes[0], each = divide_up(n, kParts);
  T* starts[kParts + 1] = {to};  // where a part of the repeats begins to write
  for (int64_t p = 0; p < kParts; ++p)
    starts[p + 1] = std::accumulate(count + std::min(n, p * each), count + std::min(n, (p + 1) * each), starts[p]);
  share_steps(1, kParts, divide_up(starts[kParts] - to, kParts), [&](int64_t begin, int64_t end) {
    T* at = starts[begin];
    for (int64_t k = begin * each; k < std::min(n, end * each); at += count[k++]) std::fill_n(at, count[k], static_cast<T>(k));
  });
}

}  // namespace

int64_t repeat_numbers_size(const KernelCall& call) {
  int64_t place = 0;
  const int64_t sum = total_of(call.args[0].tensor, &place);
  const KernelArg& stated = call.args[1];
  return sum < 0 || (!stated.none() && stated.integer != sum && call.args[0].tensor.sizes[0] > 0) ? 1 : sum;
}

KernelStatus repeat_numbers_kernel(KernelCall& call) {
  const KernelTensor &repeats = call.args[0].tensor, &out = call.results[0];
  const KernelArg& stated = call.args[1];
  int64_t place = 0;
  const int64_t sum = total_of(repeats, &place);
  if (sum < 0) return call.fail(sum, 0, place);
  if (!stated.none() && stated.integer != sum) return call.fail(stated.integer, sum, -1, KernelStatus::BadSecond);
  if (out.dtype == DType::i32) write_numbers(repeats, out.as<int32_t>());
  else write_numbers(repeats, out.as<int64_t>());
  return KernelStatus::Ok;
}

KernelStatus repeat_interleave_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const int64_t count = call.args[1].integer;
  const auto dim = static_cast<int32_t>(call.args[2].none() ? self.dim : call.args[2].integer + 1);
  int64_t inner = 1;  // the elements of a slice
  for (int32_t d = dim; d < self.dim; ++d) inner *= self.sizes[d];
  dispatch_unsigned(element_size(out.dtype), [&](auto zero) {
    using E = decltype(zero);
    const E* slices = self.as<const E>();
    share_steps(2, self.numel() / inner, inner * count, [&](int64_t begin, int64_t end) {
      E* to = out.as<E>() + begin * inner * count;
      for (int64_t i = begin; i < end; ++i)
        for (int64_t k = 0; k < count; ++k, to += inner)
          if (inner == 1) *to = slices[i];
          else std::copy_n(slices + i * inner, inner, to);
    });
  });
  return KernelStatus::Ok;
}

}  // namespace monograph
