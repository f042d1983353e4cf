// Windows that slide along a dim, and pools of windows at random places.
#pragma once

#include "kernels/call.h"

namespace monograph {

// unfold_backward: args grad_in without gaps, whose last dim is the window, input_sizes, dim, size, step. An element sums the windows that show it in
// their order, in float32 for 16 bits.
MONOGRAPH_KERNEL(unfold_backward);

// fractional_max_pool2d and 3d: args self without gaps, kernel_size, output_size, random_samples without gaps (batch, channels, and a number in [0, 1) a
// dim, the last dim's first for images, the first dim's first for volumes). Results values and places within a channel.
MONOGRAPH_KERNEL(fractional_max_pool);

}  // namespace monograph
