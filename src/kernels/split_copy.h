// A tensor split into new tensors.
#pragma once

#include "kernels/call.h"

namespace monograph {

// (self, sizes or number of the pieces, dim): copies the contiguous self into the results, which lie one behind the other along `dim`.
MONOGRAPH_KERNEL(split_copy);

}  // namespace monograph
