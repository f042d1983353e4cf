// Moving elements between two layouts of the same sizes: transposed, sliced, reversed, repeated, put side by side.
//
// Only the size of an element counts, not its dtype: bits are moved, whatever they mean. A copy merges the dims that lie alike on both sides,
// moves whole runs where both lie side by side, and goes through blocks of registers and cache where the two sides disagree about which dim
// is innermost. Large copies are split over the pool.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/call.h"

namespace monograph {

// One side of a copy: its first element, and the elements from one to the next along each dim. A source may have strides of 0 (it repeats) and
// below (it is reversed); the places of a destination are all different, and none of them is also read.
struct CopySide {
  char* data;
  const int64_t* strides;
};

// Elements of 1, 2, 4, 8 or 16 bytes.
void copy_elements(int64_t element, std::span<const int64_t> sizes, CopySide to, CopySide from);

// flip(self, dims): `dims` are not negative.
KernelStatus flip_kernel(KernelCall& call);

// cat(tensors, dim): tensors of the result's dtype; those of one dim and no element may stand between tensors of more dims.
KernelStatus cat_kernel(KernelCall& call);

}  // namespace monograph
