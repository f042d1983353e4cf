// A weight in the order of the matrix kernels, kept with its storage: what linear() and recurrent layers read instead of it.
#pragma once

#include <memory>

#include "kernels/matmul.h"

namespace monograph {

class Tensor;

// The transpose of a matrix as a PackedMatrix, for x @ w.T. It is packed at the second call with the same contents: in training they change with every
// step. Null before, for memory that others may write to unseen, and for what is no floating matrix.
std::shared_ptr<const PackedMatrix> packed_weight(const Tensor& w);

}  // namespace monograph
