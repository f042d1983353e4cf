// put and index_fill check all places, then copy `self` and write into the copy. Threads share the copy, the slices of index_fill, and the elements of take.
#include "kernels/index_fill.h"

#include <algorithm>
#include <atomic>

#include "kernels/element_types.h"
#include "kernels/grain.h"
#include "kernels/number.h"

namespace monograph {
namespace {

bool outside(int64_t place, int64_t n) { return place < -n || place >= n; }

// Names the first place that is out of range, if there is one.
KernelStatus check_places(KernelCall& call, const KernelTensor& index, int64_t n) {
  const auto* places = index.as<const int64_t>();
  for (int64_t k = 0, count = index.numel(); k < count; ++k)
    if (outside(places[k], n)) return call.fail(places[k], n, k);
  return KernelStatus::Ok;
}

void copy_all(const KernelTensor& out, const KernelTensor& from) { share_copy(out.data, from.data, out.numel() * element_size(out.dtype)); }

template <class E>
void fill_slices(const KernelTensor& out, int64_t dim, const KernelTensor& index, E value) {
  const auto* places = index.as<const int64_t>();
  const int64_t n = out.sizes[dim], count = index.numel();
  int64_t outer = 1, inner = 1;
  for (int32_t d = 0; d < out.dim; ++d)
    if (d != dim) (d < dim ? outer : inner) *= out.sizes[d];
  // A part of the slices or, of a single slice, a part of each of its elements: a place may stand in the index twice, so one thread has it.
  const bool whole = outer > 1;
  share_steps(1, whole ? outer : inner, whole ? count * inner : count, [&](int64_t begin, int64_t end) {
    const int64_t first = whole ? 0 : begin, width = whole ? inner : end - begin;
    E* to = out.as<E>() + (whole ? begin * n * inner : 0);
    for (int64_t o = whole ? begin : 0; o < (whole ? end : 1); ++o, to += n * inner)
      for (int64_t k = 0; k < count; ++k) std::fill_n(to + (places[k] < 0 ? places[k] + n : places[k]) * inner + first, width, value);
  });
}

// Whether all places are in range. It reads element 0 for one that is not, so that the loop has no branch.
template <class E>
bool take_elements(const KernelTensor& self, const KernelTensor& index, E* to) {
  const int64_t n = self.numel();
  const E* from = self.as<const E>();
  const auto* places = index.as<const int64_t>();
  if (n == 0) return false;
  std::atomic<bool> inside = true;
  share_steps(4, index.numel(), 1, [&](int64_t begin, int64_t end) {
    bool found = false;
    for (int64_t k = begin; k < end; ++k) {
      const int64_t i = places[k] + (places[k] >> 63 & n);
      const bool bad = static_cast<uint64_t>(i) >= static_cast<uint64_t>(n);
      found |= bad;
      to[k] = from[bad ? 0 : i];
    }
    if (found) inside.store(false);
  });
  return inside;
}

}  // namespace

KernelStatus index_fill_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &index = call.args[2].tensor, &out = call.results[0];
  const KernelArg& value = call.args[3];
  const int64_t dim = call.args[1].integer;
  if (const KernelStatus status = check_places(call, index, self.sizes[dim]); status != KernelStatus::Ok) return status;
  copy_all(out, self);
  dispatch(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    fill_slices<T>(out, dim, index, value.kind == KernelArg::Kind::Tensor ? *value.tensor.as<const T>() : number_as<T>(value));
  });
  return KernelStatus::Ok;
}

KernelStatus take_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &index = call.args[1].tensor, &out = call.results[0];
  bool inside = false;
  dispatch_unsigned(element_size(out.dtype), [&](auto zero) { inside = take_elements(self, index, out.as<decltype(zero)>()); });
  return inside ? KernelStatus::Ok : check_places(call, index, self.numel());
}

KernelStatus put_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &index = call.args[1].tensor, &source = call.args[2].tensor, &out = call.results[0];
  const int64_t n = self.numel(), count = index.numel();
  if (const KernelStatus status = check_places(call, index, n); status != KernelStatus::Ok) return status;
  copy_all(out, self);
  const auto* places = index.as<const int64_t>();
  dispatch_unsigned(element_size(out.dtype), [&](auto zero) {
    using E = decltype(zero);
    const E* from = source.as<const E>();
    for (int64_t k = 0; k < count; ++k) out.as<E>()[places[k] < 0 ? places[k] + n : places[k]] = from[k];
  });
  return KernelStatus::Ok;
}

}  // namespace monograph
