// Matrices with zeros on one side of a diagonal.
#pragma once

#include "kernels/call.h"

namespace monograph {

// tril, triu: args self, diagonal. The result may be self.
MONOGRAPH_KERNEL(tril);
MONOGRAPH_KERNEL(triu);

}  // namespace monograph
