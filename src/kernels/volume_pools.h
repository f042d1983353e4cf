// Pooling over volumes: the maximum or the mean of each window along three axes. The bits are those of two pools over images (kernels/pooling.h), the
// first over each slice, the second along the depth.
#pragma once

#include "kernels/call.h"

namespace monograph {

// max_pool3d_with_indices(self, kernel_size, stride, padding, dilation) -> (values, indices). An index counts elements within one volume. With one
// result, only the values.
MONOGRAPH_KERNEL(max_volume_pool);
// avg_pool3d(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override): the sums of a window's slices are added, then divided.
MONOGRAPH_KERNEL(avg_volume_pool);

}  // namespace monograph
