// Makes complex numbers from real and imaginary parts.
#pragma once

#include "kernels/call.h"

namespace monograph {

// complex(real, imag): float32 arguments give complex64, float64 arguments complex128. They broadcast to the sizes of the result.
MONOGRAPH_KERNEL(complex);

}  // namespace monograph
