// Sorting the rows along a dim, and finding the first elements of each row.
//
// A NaN is greater than any number, and all NaNs are equal, as are the zeros. Which of equal elements comes first shows in the indices. There it
// is PyTorch's order: a stable sort keeps theirs; the others leave them where the standard library's std::sort, std::partial_sort and
// std::nth_element do, which PyTorch calls. Rows without equal elements, and stable sorts, go by digits, which is several times as fast.
#pragma once

#include "kernels/call.h"

namespace monograph {

// sort(self, dim, descending) -> (values, indices); `dim` is not negative, the dtype is not complex.
MONOGRAPH_KERNEL(sort);
// sort.stable(self, stable, dim, descending): None and False are the same as sort.
MONOGRAPH_KERNEL(sort_stable);
// The bytes of scratch that a sort of `rows` rows of n elements needs, or a topk.
int64_t sort_scratch(DType dtype, int64_t n, int64_t rows);

// topk(self, k, dim, largest, sorted) -> (values, indices): 0 <= k <= the size of dim.
MONOGRAPH_KERNEL(topk);

// One element of each row, by its place in a stable order: kthvalue(self, k, dim, keepdim) -> (values, indices), 1 <= k <= the size of dim;
// median(self, dim, keepdim) and nanmedian, of rows that are not empty. The scratch is that of a sort.
MONOGRAPH_KERNEL(kthvalue);
MONOGRAPH_KERNEL(median);
MONOGRAPH_KERNEL(nanmedian);

}  // namespace monograph
