// How many elements lie in each of several bins.
#pragma once

#include "kernels/call.h"

namespace monograph {

// All tensors are contiguous and have one dtype, float32 or float64. Elements are counted one after another, as index_add does.

// histc(self, bins, min, max), where min < max: `bins` parts of one width.
MONOGRAPH_KERNEL(histc);
// histogram(self, bins, weight) -> (hist, bin_edges), where `bins` holds two edges or more, in order. Without a weight each element counts 1.
MONOGRAPH_KERNEL(histogram);

// bincount(self, weights, minlength): how often each number from 0 up is in the int64 vector self, or the sum of the weights of its places. The result is int64,
// or has the dtype of the weights. BadValue: a number is negative. bincount_size() is the size of the result; where a number is negative, it is not 0.
MONOGRAPH_KERNEL(bincount);
int64_t bincount_size(const KernelCall& call);

}  // namespace monograph
