// Pooling over images: the largest element or the mean of each window; and the pointwise part of batch normalization. Windows lie along one axis at o * stride - padding + k * dilation.
//
// The bits. A mean is the sum of the window's elements in row-major order, one after the other, divided by their number (float32 for 16 bits); an adaptive
// pool with one window a plane is the mean over the last two dims, as a reduction. The largest element is the first of equal ones; a NaN is larger than
// anything, and the last one gives the place.
#pragma once

#include "kernels/call.h"

namespace monograph {

// Windows that divide an axis into `out` parts, which overlap by an element where they do not come out even.
struct AdaptiveWindows {
  int64_t size = 1, out = 1;
  int64_t begin(int64_t o) const { return o * size / out; }
  int64_t end(int64_t o) const { return ((o + 1) * size + out - 1) / out; }
};

// max_pool2d_with_indices: args self, kernel_size, stride, padding, dilation; results values and places in the plane. Or values alone.
MONOGRAPH_KERNEL(max_pool);
// avg_pool2d: args self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override.
MONOGRAPH_KERNEL(avg_pool);
// avg_pool2d_backward: args grad_output, then those of avg_pool2d. Its tensors lie without gaps. A pixel sums what its windows give it in their order.
MONOGRAPH_KERNEL(avg_pool_backward);
// adaptive_avg_pool2d: args self, output_size. Window o of n covers the places from floor(o * size / n) to ceil((o + 1) * size / n).
MONOGRAPH_KERNEL(adaptive_pool);
// adaptive_avg_pool2d_backward: args grad_output, self.
MONOGRAPH_KERNEL(adaptive_pool_backward);
// scale_and_shift: args input (batch, channels, ...), mean, scale, shift: (input - mean) * scale + shift, of float32 or float64.
MONOGRAPH_KERNEL(scale_and_shift);

}  // namespace monograph
