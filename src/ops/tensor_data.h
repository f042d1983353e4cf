// What a tensor shows.
#pragma once

#include "core/tensor.h"

namespace monograph {

// x.data = y: `to` shows the memory of `from` from here on; its identity stays, and its mark that it requires grad. Error (Runtime) where that mark does not fit the dtype.
void set_data(const Tensor& to, const Tensor& from);

}  // namespace monograph
