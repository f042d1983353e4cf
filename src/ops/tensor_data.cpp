// Copies storage, sizes, strides and dtype from one TensorImpl to the other.
#include "ops/tensor_data.h"

#include "core/error.h"

namespace monograph {

void set_data(const Tensor& to, const Tensor& from) {
  MONOGRAPH_CHECK(!to->requires_grad || is_floating(from.dtype()) || is_complex(from.dtype()), Runtime,
                  "data set to a tensor that requires gradients must be floating point or complex dtype");
  to->storage = from->storage, to->sizes = from->sizes, to->strides = from->strides, to->offset = from->offset;
  to->dtype = from.dtype(), to->device = from.device();
  to->refresh();
}

}  // namespace monograph
