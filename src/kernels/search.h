// Binary search in sorted rows, and cumulative maxima and minima.
#pragma once

#include "kernels/call.h"

namespace monograph {

// searchsorted(sorted_sequence, self, out_int32, right, side, sorter): for each element of self, the index at which it would be inserted into its row of
// the sequence. That is the number of elements of the sequence for which `element >= value` is false; with right (or side "right"), for which
// `element > value` is false. Comparisons with a NaN are false. The sequence has one row for all, or as many rows as self. A sorter holds the indices that
// sort the sequence. BadValue: an index of the sorter is out of range.
MONOGRAPH_KERNEL(searchsorted);

// cummax(self, dim), cummin(self, dim) -> (values, indices): the maximum or minimum up to each element, and the index of the last element equal to it.
// After a NaN every value is NaN.
MONOGRAPH_KERNEL(cummax);
MONOGRAPH_KERNEL(cummin);

}  // namespace monograph
