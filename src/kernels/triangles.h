// Triangular parts of matrices.
#pragma once

#include "kernels/call.h"

namespace monograph {

// tril(self, diagonal), triu(self, diagonal): the last two dims are matrices. The result may be self.
MONOGRAPH_KERNEL(tril);
MONOGRAPH_KERNEL(triu);

}  // namespace monograph
