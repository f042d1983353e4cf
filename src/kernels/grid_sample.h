// Images and volumes read at places between their elements: torch.nn.functional.grid_sample.
//
// A grid holds a place for each element of the result, last coordinate first, from -1 to 1 across the input. The result is the nearest element, a
// weighted sum of the 4 (8) elements around the place, or one of the 16 around it (cubic, of images alone). Weights are computed in the dtype.
#pragma once

#include "kernels/call.h"

namespace monograph {

// Args input [n, c, sizes..], grid [n, places.., 2 or 3], interpolation_mode (0 linear, 1 nearest, 2 cubic), padding_mode (0 zeros, 1 border, 2
// reflection), align_corners. Of float32 and float64, both without gaps.
MONOGRAPH_KERNEL(grid_sampler);
// Args grad_output, input, grid, then as above, and which gradients are wanted: 1 that of the input, 2 that of the grid, 3 both. The results are these
// two; one that is not wanted has no elements. An element of the input sums what reaches it in the order of the places.
MONOGRAPH_KERNEL(grid_sampler_backward);

}  // namespace monograph
