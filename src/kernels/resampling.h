// Resampling of lines, images and volumes (batch, channels, and one to three dims): the nearest element, or a weighted sum of 2 or 4 along each dim.
//
// The bits. A result sums the rows that it reads, scaled by their weights, in order; then the elements of that sum. It is computed in float32 for 16
// bits, else in the dtype. The places and weights are PyTorch's.
#pragma once

#include "kernels/call.h"

namespace monograph {

// Args self, output_size, then a scale a dim or None: the nearest element to the start of each result's part, or to its middle.
MONOGRAPH_KERNEL(nearest);
MONOGRAPH_KERNEL(nearest_exact);
// Args self, output_size, align_corners, then a scale a dim or None.
MONOGRAPH_KERNEL(linear_resample);
MONOGRAPH_KERNEL(cubic_resample);
// Their gradients: args grad_output, output_size, input_size, then as above. Of float32 and float64, without gaps.
MONOGRAPH_KERNEL(nearest_backward);
MONOGRAPH_KERNEL(nearest_exact_backward);
MONOGRAPH_KERNEL(linear_resample_backward);
MONOGRAPH_KERNEL(cubic_resample_backward);

// The scratch bytes of such a call, for sizes without batch and channels, outermost first.
int64_t resampling_scratch(const int64_t* from, const int64_t* to, size_t dims, int threads);

}  // namespace monograph
