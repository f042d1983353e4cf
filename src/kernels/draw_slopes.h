// How draws change with the parameters of their distribution, where the draw itself says no slope: -(dF / da) / (dF / dx) of the distribution function F.
#pragma once

#include "kernels/call.h"

namespace monograph {

// _standard_gamma_grad: args self, output: the shapes and what was drawn with them. They broadcast, and have the result's floating dtype.
MONOGRAPH_KERNEL(standard_gamma_slope);
// _dirichlet_grad: args x, alpha, total: what was drawn, its concentration and the sum of all.
MONOGRAPH_KERNEL(dirichlet_slope);

}  // namespace monograph
