// Complex numbers put together from their parts.
#pragma once

#include "kernels/call.h"

namespace monograph {

// complex(real, imag): both have the dtype of the result's parts, and broadcast to its sizes.
MONOGRAPH_KERNEL(complex);

}  // namespace monograph
