// torch.nn.functional.unfold (im2col) and fold (col2im).
#pragma once

#include "kernels/call.h"

namespace monograph {

// im2col(self, kernel_size, dilation, padding, stride): copies each window of an image into a column.
MONOGRAPH_KERNEL(unfold);
// col2im(self, output_size, kernel_size, dilation, padding, stride): adds the columns into an image. A pixel is summed in the order of the columns, in
// float32 for float16 and bfloat16.
MONOGRAPH_KERNEL(fold);

}  // namespace monograph
