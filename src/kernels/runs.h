// Runs of equal neighbours.
#pragma once

#include "kernels/call.h"

namespace monograph {

// unique_consecutive(self, return_inverse, return_counts), of a contiguous tensor whose elements count as one row: the first element of each run; the number
// of each element's run; the length of each run. The second or third result has no elements if the call does not ask for it. 0 equals -0, and NaN equals
// nothing. count_runs() is how many runs there are.
MONOGRAPH_KERNEL(unique_consecutive);
int64_t count_runs(const KernelCall& call);

}  // namespace monograph
