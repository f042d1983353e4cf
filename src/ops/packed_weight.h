// Copies of weights in the order in which kernels read them, for linear(), recurrent layers and conv2d(). A copy is kept with the storage of the weight.
//
// It is made at the second call with the same contents, because in training the contents change with every step. These functions return null at the first call,
// for memory that other libraries may write to, and for weights that the kernels do not take.
#pragma once

#include <memory>

#include "core/tensor.h"
#include "kernels/convolution.h"
#include "kernels/matmul.h"

namespace monograph {

// The transpose of a floating matrix as a PackedMatrix, for x @ w.T.
std::shared_ptr<const PackedMatrix> packed_weight(const Tensor& w);
// The weight of the convolution `c`, which also states the sizes of the image.
std::shared_ptr<const OrderedWeight> ordered_weight(const Tensor& w, Convolution c);

}  // namespace monograph
