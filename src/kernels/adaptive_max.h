// Adaptive max pooling: divides each plane or volume into output_size windows and takes the largest element of each.
#pragma once

#include "kernels/call.h"

namespace monograph {

// adaptive_max_pool2d, adaptive_max_pool3d(self, output_size) -> (values, indices). An index counts elements within one plane or volume.
// Window o of n covers the elements from floor(o * size / n) up to, but not including, ceil((o + 1) * size / n). The first of equal elements
// wins. A NaN is larger than any number; the index is that of the window's last NaN.
MONOGRAPH_KERNEL(adaptive_max_pool);

}  // namespace monograph
