// Losses of targets that are classes. They give the bits of the operators that they stand for: each step of an element is rounded to the dtype, and sums
// have the order of a reduction (kernels/row_sum.h).
#pragma once

#include "kernels/call.h"

namespace monograph {

// nll_loss: args self, target without gaps, weight or None, reduction, ignore_index.
MONOGRAPH_KERNEL(nll_loss);
// multi_margin_loss: args self, target without gaps, p, margin, weight or None, reduction. multilabel_margin_loss: self, target without gaps, reduction.
MONOGRAPH_KERNEL(multi_margin_loss);
MONOGRAPH_KERNEL(multilabel_margin_loss);
// The bytes of scratch memory of each, for so many rows of so many classes.
int64_t class_loss_scratch(DType dtype, int64_t rows, int64_t classes);

}  // namespace monograph
