// Slices that are written several times in a row.
#pragma once

#include "kernels/call.h"

namespace monograph {

// repeat_interleave(self, repeats, dim), by a number, of a contiguous tensor. Without a dim the elements are repeated.
MONOGRAPH_KERNEL(repeat_interleave);

// repeat_interleave(repeats, output_size): 0 as many times as the contiguous vector `repeats` of int32 or int64 says first, then 1, and so on. BadValue: a number
// is negative. BadSecond: output_size is not the sum. repeat_numbers_size() is the size of the result; for a call that fails it is not 0.
MONOGRAPH_KERNEL(repeat_numbers);
int64_t repeat_numbers_size(const KernelCall& call);

}  // namespace monograph
