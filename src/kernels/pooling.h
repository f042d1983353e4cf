// Pooling over images: the maximum or the mean of each window. Also the pointwise part of batch normalization. Along one axis, element k of window o is
// at o * stride - padding + k * dilation.
//
// The bits. A mean is the sum of the window's elements in row-major order, one after the other, divided by their number (in float32 for float16 and
// bfloat16). An adaptive pool with one window for each plane is the mean over the last two dims, computed as a reduction. The maximum is the first of
// equal elements. A NaN is larger than any number; the index is that of the window's last NaN.
#pragma once

#include "kernels/call.h"

namespace monograph {

// The windows of an adaptive pool, which divide an axis into `out` parts. If `out` does not divide `size`, neighbours may overlap by an element.
struct AdaptiveWindows {
  int64_t size = 1, out = 1;
  int64_t begin(int64_t o) const { return o * size / out; }
  int64_t end(int64_t o) const { return ((o + 1) * size + out - 1) / out; }
};

// max_pool2d_with_indices(self, kernel_size, stride, padding, dilation) -> (values, indices). An index counts elements within one plane. With one
// result, only the values.
MONOGRAPH_KERNEL(max_pool);
// max_pool1d_with_indices(self, kernel_size, stride, padding, dilation): the same over lines. An index counts elements within one line.
MONOGRAPH_KERNEL(max_line_pool);
// avg_pool2d(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
MONOGRAPH_KERNEL(avg_pool);
// avg_pool2d_backward(grad_output, self, kernel_size, .., divisor_override): all tensors are contiguous. The gradient of a pixel is summed in the order
// of the windows that contain it.
MONOGRAPH_KERNEL(avg_pool_backward);
// adaptive_avg_pool2d(self, output_size): window o of n covers the elements from floor(o * size / n) up to, but not including,
// ceil((o + 1) * size / n).
MONOGRAPH_KERNEL(adaptive_pool);
// adaptive_avg_pool2d_backward(grad_output, self)
MONOGRAPH_KERNEL(adaptive_pool_backward);
// scale_and_shift(input (batch, channels, ...), mean, scale, shift): (input - mean) * scale + shift, with one mean, scale and shift for each channel.
// float32 or float64.
MONOGRAPH_KERNEL(scale_and_shift);

}  // namespace monograph
