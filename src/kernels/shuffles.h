// Images whose channels and pixels change places. Sources may have any strides; results are contiguous.
#pragma once

#include "kernels/call.h"

namespace monograph {

// pixel_shuffle(self, factor): squares of factor by factor pixels, made of as many channels. pixel_unshuffle(self, factor) is the way back. Both have at most
// kMaxDims - 2 dims.
MONOGRAPH_KERNEL(pixel_shuffle);
MONOGRAPH_KERNEL(pixel_unshuffle);
// channel_shuffle(self, groups): the first channel (dim 1) of each group, then the second ones, and so on. At most kMaxDims - 1 dims.
MONOGRAPH_KERNEL(channel_shuffle);

}  // namespace monograph
