// For each row, copies a part and writes zeros to the rest.
#include "kernels/triangles.h"

#include <algorithm>

#include "kernels/element_types.h"
#include "kernels/grain.h"

namespace monograph {
namespace {

template <class E>
void copy_piece(E* to, int64_t to_step, const E* from, int64_t from_step, int64_t begin, int64_t end) {
  if (to_step == 1 && from_step == 1) {
    if (to != from) std::copy_n(from + begin, end - begin, to + begin);
    return;
  }
  for (int64_t j = begin; j < end; ++j) to[j * to_step] = from[j * from_step];
}

template <class E>
void clear_piece(E* to, int64_t step, int64_t begin, int64_t end) {
  if (step == 1) std::fill_n(to + begin, end - begin, E{});
  else
    for (int64_t j = begin; j < end; ++j) to[j * step] = E{};
}

// Computes rows [begin, end) of all matrices.
template <bool kUpper, class E>
void triangle_rows(const KernelTensor& out, const KernelTensor& self, int64_t diagonal, int64_t begin, int64_t end) {
  const int32_t last = out.dim - 1;
  const int64_t rows = out.sizes[last - 1], columns = out.sizes[last];
  for (int64_t at = begin; at < end; ++at) {
    int64_t to = 0, from = 0, rest = at;
    for (int32_t d = last; d-- > 0; rest /= out.sizes[d])
      to += rest % out.sizes[d] * out.strides[d], from += rest % out.sizes[d] * self.strides[d];
    // Columns below `border` are on one side of the diagonal; the diagonal belongs to the side that is kept.
    const int64_t border = std::clamp<int64_t>(at % rows + diagonal + (kUpper ? 0 : 1), 0, columns);
    E* row = out.as<E>() + to;
    copy_piece(row, out.strides[last], self.as<const E>() + from, self.strides[last], kUpper ? border : 0, kUpper ? columns : border);
    clear_piece(row, out.strides[last], kUpper ? 0 : border, kUpper ? border : columns);
  }
}

template <bool kUpper>
KernelStatus triangle(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const int64_t rows = out.sizes[out.dim - 2], columns = out.sizes[out.dim - 1];
  const int64_t diagonal = std::clamp(call.args[1].integer, -rows, columns);  // a diagonal outside of the matrix equals one at its corner
  const int64_t all = columns > 0 ? out.numel() / columns : 0;
  dispatch_unsigned(element_size(out.dtype), [&](auto element) {
    auto part = [&](int64_t begin, int64_t end) { triangle_rows<kUpper, decltype(element)>(out, self, diagonal, begin, end); };
    constexpr int64_t kCost = 1, kRowCost = 16;  // computing the position of a row takes as long as this many elements
    share_steps(kCost, all, columns + kRowCost, part);
  });
  return KernelStatus::Ok;
}

}  // namespace

KernelStatus tril_kernel(KernelCall& call) { return triangle<false>(call); }
KernelStatus triu_kernel(KernelCall& call) { return triangle<true>(call); }

}  // namespace monograph
