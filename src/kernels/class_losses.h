// Losses whose targets are class numbers. Each gives the same bits as the composition of operators that defines it: every step on an element is
// rounded to the dtype, and sums have the order of a reduction (kernels/row_sum.h).
#pragma once

#include "kernels/call.h"

namespace monograph {

// `target` is contiguous in each.
// nll_loss(self, target, weight or None, reduction, ignore_index)
MONOGRAPH_KERNEL(nll_loss);
// multi_margin_loss(self, target, p, margin, weight or None, reduction)
MONOGRAPH_KERNEL(multi_margin_loss);
// multilabel_margin_loss(self, target, reduction)
MONOGRAPH_KERNEL(multilabel_margin_loss);
// The bytes of scratch memory that each of them needs. `rows`: the number of targets or samples.
int64_t class_loss_scratch(DType dtype, int64_t rows, int64_t classes);

}  // namespace monograph
