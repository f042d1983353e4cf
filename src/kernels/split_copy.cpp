// Each piece is copied row by row; a row is what lies side by side in self and in the piece. Threads share the bytes of self.
#include "kernels/split_copy.h"

#include <algorithm>
#include <cstring>

#include "core/threads/pool.h"

namespace monograph {

KernelStatus split_copy_kernel(KernelCall& call) {
  constexpr int64_t kBytes = 1 << 18;  // the fewest for one thread
  const KernelTensor& self = call.args[0].tensor;
  const int64_t dim = call.args[2].integer;
  int64_t outer = 1, inner = element_size(self.dtype);  // inner: the bytes of one place of the dim
  for (int32_t d = 0; d < self.dim; ++d)
    if (d != dim) (d < dim ? outer : inner) *= self.sizes[d];
  const int64_t row = self.sizes[dim] * inner;
  parallel_for(0, outer * row, kBytes, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin / row; o * row < end; ++o) {
      int64_t first = o * row;  // of the piece's bytes in this row of self
      for (size_t k = 0; k < call.result_count; ++k) {
        const KernelTensor& piece = call.results[k];
        const int64_t bytes = piece.sizes[dim] * inner, from = std::max(begin, first), to = std::min(end, first + bytes);
        if (from < to) std::memcpy(piece.data + o * bytes + (from - first), self.data + from, static_cast<size_t>(to - from));
        first += bytes;
      }
    }
  });
  return KernelStatus::Ok;
}

}  // namespace monograph
