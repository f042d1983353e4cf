// Slices that are written several times in a row.
#pragma once

#include "kernels/call.h"

namespace monograph {

// repeat_interleave(self, repeats, dim), by a number, of a contiguous tensor. Without a dim the elements are repeated.
MONOGRAPH_KERNEL(repeat_interleave);

}  // namespace monograph
