// The backward pass of Tensor.unfold, and fractional max pooling.
#pragma once

#include "kernels/call.h"

namespace monograph {

// unfold_backward(grad_in, input_sizes, dim, size, step): grad_in is contiguous; its last dim is the window. An element is summed in the order of the
// windows that contain it, in float32 for float16 and bfloat16.
MONOGRAPH_KERNEL(unfold_backward);

// fractional_max_pool2d, fractional_max_pool3d(self, kernel_size, output_size, random_samples) -> (values, indices). An index counts elements within one
// channel. self is contiguous, and so is random_samples [batch, channels, 2 or 3], numbers in [0, 1): for images (width, height), for volumes (depth,
// height, width).
MONOGRAPH_KERNEL(fractional_max_pool);

}  // namespace monograph
