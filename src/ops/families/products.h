// The kernels of products that records of several families state.
#pragma once

#include "kernels/call.h"

namespace monograph {

// mv(self, vec).
KernelStatus vector_product_kernel(KernelCall& call);
// addmv(self, mat, vec) where beta and alpha are 1: the product of `mat` and `vec`, plus `self`.
KernelStatus addmv_kernel(KernelCall& call);

}  // namespace monograph
