// Each row of the result is written once: zeros, a row of the matrix, zeros.
#include "kernels/block_diag.h"

#include <cstring>

#include "kernels/grain.h"

namespace monograph {

KernelStatus block_diag_kernel(KernelCall& call) {
  const KernelTensor& out = call.results[0];
  const int64_t element = element_size(out.dtype), width = out.sizes[1] * element;
  char* to = out.data;
  int64_t before = 0;
  for (size_t k = 0; k < call.args[0].tensors.count; ++k) {
    const KernelTensor& t = call.args[0].tensors.values[k];
    const int64_t rows = t.sizes[0], own = t.sizes[1] * element, behind = width - before - own;
    share_steps(1, rows, out.sizes[1], [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        char* row = to + i * width;
        if (before) std::memset(row, 0, static_cast<size_t>(before));
        if (own) std::memcpy(row + before, t.data + i * own, static_cast<size_t>(own));
        if (behind) std::memset(row + before + own, 0, static_cast<size_t>(behind));
      }
    });
    before += own, to += rows * width;
  }
  return KernelStatus::Ok;
}

}  // namespace monograph
