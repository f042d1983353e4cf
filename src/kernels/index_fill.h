// Elements read or written at the places that an index names: index_fill, take and put.
#pragma once

#include "kernels/call.h"

namespace monograph {

// In all of them `self` and the index are contiguous, and the index is of int64. A negative place counts from the end. BadValue: a place is out of range.

// index_fill(self, dim, index, value): a copy of self, with a number, or the element of a tensor of self's dtype, in the slices at `index` along `dim`.
MONOGRAPH_KERNEL(index_fill);
// take(self, index): the elements at these places, which count all elements of self in row-major order.
MONOGRAPH_KERNEL(take);
// put(self, index, source): a copy of self, with the elements of the contiguous `source` at such places, one after the other.
MONOGRAPH_KERNEL(put);

}  // namespace monograph
