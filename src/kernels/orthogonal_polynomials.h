// Families of orthogonal polynomials.
#pragma once

#include "kernels/call.h"

namespace monograph {

// Args x and n, which broadcast and have the result's dtype, float32 or float64: the polynomial of degree n at x, with n cut to a whole number.
// Below degree 0 it is 0.
MONOGRAPH_KERNEL(chebyshev_t);
MONOGRAPH_KERNEL(chebyshev_u);
MONOGRAPH_KERNEL(chebyshev_v);
MONOGRAPH_KERNEL(chebyshev_w);
MONOGRAPH_KERNEL(shifted_chebyshev_t);
MONOGRAPH_KERNEL(shifted_chebyshev_u);
MONOGRAPH_KERNEL(shifted_chebyshev_v);
MONOGRAPH_KERNEL(shifted_chebyshev_w);
MONOGRAPH_KERNEL(hermite_h);
MONOGRAPH_KERNEL(hermite_he);
MONOGRAPH_KERNEL(laguerre_l);
MONOGRAPH_KERNEL(legendre_p);

}  // namespace monograph
