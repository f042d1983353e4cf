// Each piece is copied row by row; a row is what lies side by side in self and in the piece.
#include "kernels/split_copy.h"

#include <cstring>

namespace monograph {

KernelStatus split_copy_kernel(KernelCall& call) {
  const KernelTensor& self = call.args[0].tensor;
  const int64_t dim = call.args[2].integer;
  int64_t outer = 1, inner = element_size(self.dtype);  // inner: the bytes of one place of the dim
  for (int32_t d = 0; d < self.dim; ++d)
    if (d != dim) (d < dim ? outer : inner) *= self.sizes[d];
  const char* from = self.data;
  const int64_t row = self.sizes[dim] * inner;
  for (size_t k = 0; k < call.result_count; ++k) {
    const KernelTensor& piece = call.results[k];
    const int64_t bytes = piece.sizes[dim] * inner;
    for (int64_t o = 0; o < outer; ++o) std::memcpy(piece.data + o * bytes, from + o * row, static_cast<size_t>(bytes));
    from += bytes;
  }
  return KernelStatus::Ok;
}

}  // namespace monograph
