// torch.nn.functional.interpolate: resamples (batch, channels, and one to three dims) by the nearest element, or by a weighted sum of 2 (linear) or 4
// (cubic) elements along each dim.
//
// The bits. First the rows that a result reads are added in order, scaled by their weights; then the elements of that sum. It is computed in float32 for
// float16 and bfloat16, else in the dtype. The elements read and their weights are PyTorch's.
// Images of bytes are computed in integers: see resampling.cpp.
#pragma once

#include "kernels/call.h"

namespace monograph {

// upsample_nearest1d to 3d(self, output_size, a scale or None for each dim): the element at the beginning of each result's part of the input; for
// _upsample_nearest_exact1d to 3d, the element at its middle.
MONOGRAPH_KERNEL(nearest);
MONOGRAPH_KERNEL(nearest_exact);
// upsample_linear1d, bilinear2d, trilinear3d, bicubic2d(self, output_size, align_corners, a scale or None for each dim)
MONOGRAPH_KERNEL(linear_resample);
MONOGRAPH_KERNEL(cubic_resample);
// The gradients: (grad_output, output_size, input_size, then the arguments above). float32 or float64, contiguous.
MONOGRAPH_KERNEL(nearest_backward);
MONOGRAPH_KERNEL(nearest_exact_backward);
MONOGRAPH_KERNEL(linear_resample_backward);
MONOGRAPH_KERNEL(cubic_resample_backward);

// The bytes of scratch memory for a call. `from`, `to`: the sizes of the input and the result without batch and channels, outermost first.
int64_t resampling_scratch(const int64_t* from, const int64_t* to, size_t dims, int threads);

}  // namespace monograph
