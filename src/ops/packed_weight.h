// A weight in the order of the kernels that read it, kept with its storage: what linear(), recurrent layers and conv2d() read instead of it.
//
// It is put in order at the second call with the same contents: in training they change with every step. Null before, for memory that others may
// write to unseen, and for what these kernels do not take.
#pragma once

#include <memory>

#include "core/tensor.h"
#include "kernels/convolution.h"
#include "kernels/matmul.h"

namespace monograph {

// The transpose of a floating matrix as a PackedMatrix, for x @ w.T.
std::shared_ptr<const PackedMatrix> packed_weight(const Tensor& w);
// The weight of convolution `c`, which has its sizes, for an image of these sizes.
std::shared_ptr<const OrderedWeight> ordered_weight(const Tensor& w, Convolution c);

}  // namespace monograph
