// Derivatives of random samples by the parameters of their distribution (implicit reparameterization). With F(x; a) the distribution function,
// dx / da = -(dF / da) / (dF / dx).
#pragma once

#include "kernels/call.h"

namespace monograph {

// _standard_gamma_grad(self, output): the shape parameters, and the samples drawn with them. They broadcast and have the result's floating dtype.
MONOGRAPH_KERNEL(standard_gamma_slope);
// _dirichlet_grad(x, alpha, total): the samples, their concentrations, and the sums of the concentrations. Shapes and dtypes as above.
MONOGRAPH_KERNEL(dirichlet_slope);

}  // namespace monograph
