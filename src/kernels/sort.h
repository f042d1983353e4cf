// Sorts the rows along a dim, and finds their k largest or smallest elements.
//
// A NaN is greater than any number. All NaNs are equal, and so are +0 and -0. The indices show the order of equal elements, and it is PyTorch's: a stable
// sort keeps their order; the others give the order of std::sort, std::partial_sort and std::nth_element, which PyTorch calls. Rows without equal
// elements, and stable sorts, use a radix sort, which is several times as fast.
#pragma once

#include "kernels/call.h"

namespace monograph {

// sort(self, dim, descending) -> (values, indices); `dim` is not negative, the dtype is not complex.
MONOGRAPH_KERNEL(sort);
// sort.stable(self, stable, dim, descending): None and False are the same as sort.
MONOGRAPH_KERNEL(sort_stable);
// The bytes of scratch memory that sort, sort_stable, topk, kthvalue, median and nanmedian need for `rows` rows of n elements.
int64_t sort_scratch(DType dtype, int64_t n, int64_t rows);

// topk(self, k, dim, largest, sorted) -> (values, indices): 0 <= k <= the size of dim.
MONOGRAPH_KERNEL(topk);

// The element of each row at one position of a stable sort, as (values, indices). Rows are not empty.
// kthvalue(self, k, dim, keepdim): 1 <= k <= the size of dim. median(self, dim, keepdim), nanmedian(self, dim, keepdim).
MONOGRAPH_KERNEL(kthvalue);
MONOGRAPH_KERNEL(median);
MONOGRAPH_KERNEL(nanmedian);

}  // namespace monograph
