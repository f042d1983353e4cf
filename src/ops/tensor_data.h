// x.data = y.
#pragma once

#include "core/tensor.h"

namespace monograph {

// Makes `to` show the memory of `from`. `to` stays the same tensor and keeps requires_grad. Error (Runtime) if it requires grad and the dtype of `from` is
// integral.
void set_data(const Tensor& to, const Tensor& from);

}  // namespace monograph
