// Copies elements between tensors of the same sizes and any strides: transposed, sliced, reversed, broadcast, concatenated.
//
// Copies move bits; only the element's size matters, not its dtype. A copy merges dims that can be merged in both tensors. Where the innermost dim
// is contiguous in both, it copies whole rows. Where the tensors have different innermost dims, it transposes blocks that fit in registers and in
// the cache. Large copies are split over the thread pool.
#pragma once

#include "kernels/call.h"

namespace monograph {

// dst[i] = src[i] for every index i. Both have the same dtype; the sizes are those of dst. They do not overlap, and no two indices of dst are the
// same memory.
void copy_elements(const KernelTensor& dst, const KernelTensor& src);

// Concatenates matrices along their columns: row i of the result is row i of each part, which begins at data + i * bytes, in the order of the parts.
struct RowPart {
  const char* data;
  int64_t bytes;
};
void join_rows(char* to, const RowPart* parts, size_t count, int64_t rows);

// Every element of dst becomes the element at `value`.
void fill_elements(const KernelTensor& dst, const void* value);

// dst[i] = dst[i] + addend[i]. Both have the same dtype, which is not bool. `addend` broadcasts; `dst` is contiguous.
void add_elements(const KernelTensor& dst, const KernelTensor& addend);

// flip(self, dims)
MONOGRAPH_KERNEL(flip);

}  // namespace monograph
