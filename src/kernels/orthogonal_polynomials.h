// Orthogonal polynomials: torch.special.chebyshev_polynomial_t and its like.
#pragma once

#include "kernels/call.h"

namespace monograph {

// (x, n): the polynomial of degree n at x; n is truncated to an integer. A polynomial of negative degree is 0. x and n broadcast and have the result's
// dtype, float32 or float64.
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
