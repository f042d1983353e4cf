// How many elements lie in each of several bins.
#pragma once

#include "kernels/call.h"

namespace monograph {

// All tensors are contiguous and have one dtype, float32 or float64. Elements are counted one after another, as index_add does.

// histc(self, bins, min, max), where min < max: `bins` parts of one width.
MONOGRAPH_KERNEL(histc);
// histogram(self, bins, weight) -> (hist, bin_edges), where `bins` holds two edges or more, in order. Without a weight each element counts 1.
MONOGRAPH_KERNEL(histogram);

}  // namespace monograph
