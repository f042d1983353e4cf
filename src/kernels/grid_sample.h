// torch.nn.functional.grid_sample: samples images and volumes at points between their elements.
//
// The grid holds a point for each element of the result, x first, each coordinate from -1 to 1 across the input. The result is the nearest element,
// a weighted sum of the 4 (images) or 8 (volumes) elements around the point, or of 16 elements (cubic, images only). Weights are computed in the
// input's dtype.
#pragma once

#include "kernels/call.h"

namespace monograph {

// (input [n, c, sizes..], grid [n, points.., 2 or 3], interpolation_mode (0 linear, 1 nearest, 2 cubic), padding_mode (0 zeros, 1 border,
// 2 reflection), align_corners). input and grid are float32 or float64, and contiguous.
MONOGRAPH_KERNEL(grid_sampler);
// (grad_output, input, grid, interpolation_mode, padding_mode, align_corners, wanted) -> (grad_input, grad_grid). wanted: 1 the gradient of the
// input, 2 that of the grid, 3 both; one that is not wanted has no elements. Each element of grad_input is summed in the order of the points.
MONOGRAPH_KERNEL(grid_sampler_backward);

}  // namespace monograph
