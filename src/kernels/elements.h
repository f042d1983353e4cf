// Moving elements between two layouts of the same sizes: transposed, sliced, reversed, repeated, put side by side.
//
// Only the size of an element counts, not its dtype: bits are moved, whatever they mean. A copy merges the dims that lie alike on both sides, moves whole
// runs where both lie side by side, and goes through blocks of registers and cache where the two sides disagree about which dim is innermost. Large copies
// are split over the pool.
#pragma once

#include "kernels/call.h"

namespace monograph {

// dst[i] = src[i] for every index i. Both have one dtype and the same sizes, those of dst; they do not overlap. `dst` reaches no element twice.
void copy_elements(const KernelTensor& dst, const KernelTensor& src);

// Some tensors as the columns of one: row i of the result is bytes i * bytes .. of each part, in their order.
struct RowPart {
  const char* data;
  int64_t bytes;
};
void join_rows(char* to, const RowPart* parts, size_t count, int64_t rows);

// Every element of dst becomes the element at `value`.
void fill_elements(const KernelTensor& dst, const void* value);

// dst[i] = dst[i] + addend[i], in dst's dtype, which is not bool; `addend` has it too and broadcasts. `dst` has no gaps.
void add_elements(const KernelTensor& dst, const KernelTensor& addend);

// flip(self, dims)
MONOGRAPH_KERNEL(flip);

}  // namespace monograph
