// The largest element of each of the windows that divide a line, an image or a volume into a number of parts.
#pragma once

#include "kernels/call.h"

namespace monograph {

// adaptive_max_pool2d and adaptive_max_pool3d: args self, output_size; results values, and their places in the plane or volume. Window o of n covers
// the places from floor(o * size / n) to ceil((o + 1) * size / n). The first of equal elements wins; a NaN is larger than anything, and the last one
// gives the place.
MONOGRAPH_KERNEL(adaptive_max_pool);

}  // namespace monograph
