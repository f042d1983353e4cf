// Moving elements without looking at them: copies and fills of strided tensors of one dtype.
#pragma once

#include "kernels/call.h"

namespace monograph {

// dst[i] = src[i] for every index i. Both have one dtype and the same sizes, those of dst; they do not overlap. `dst` reaches no element twice.
void copy_elements(const KernelTensor& dst, const KernelTensor& src);

// Every element of dst becomes the element at `value`.
void fill_elements(const KernelTensor& dst, const void* value);

}  // namespace monograph
