// Places in ordered rows, and extremes along a row from one end to the other.
#pragma once

#include "kernels/call.h"

namespace monograph {

// searchsorted(sorted_sequence, self, out_int32, right, side, sorter): of each element of self, how many elements of its row of the sequence stand before
// the place where it belongs: those below it, with right (or side "right") those that are not above it. No element is above a NaN, and a NaN is above none. The sequence has one
// row for all, or as many rows as self. With a sorter the sequence's elements are in the order of its indices; one out of range is a bad value.
MONOGRAPH_KERNEL(searchsorted);

// cummax(self, dim), cummin(self, dim): the largest or smallest element so far, and the place where it stands last. A NaN stays.
MONOGRAPH_KERNEL(cummax);
MONOGRAPH_KERNEL(cummin);

}  // namespace monograph
