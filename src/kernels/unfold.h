// Images as the columns of their windows, and columns added into images.
#pragma once

#include "kernels/call.h"

namespace monograph {

// im2col: args self, kernel_size, dilation, padding, stride.
MONOGRAPH_KERNEL(unfold);
// col2im: args self, output_size, then those of im2col. A pixel sums its columns in their order, in float32 for 16 bits.
MONOGRAPH_KERNEL(fold);

}  // namespace monograph
