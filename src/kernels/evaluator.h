// The evaluator interprets a Body in C++, compiled so that a multiplication and an addition are never contracted to an fma. It has the interface
// and the bits of a generated kernel. Tests compare generated kernels with it; constant folding, and machines without a generated kernel, run it.
#pragma once

#include "kernels/body.h"

namespace monograph {

// Runs an expanded body (no Call) on `rows` rows of `n` elements; see KernelFn for the layout and the result.
int32_t evaluate(const Body& body, KernelForm form, char* const* operands, const int64_t* inner, int64_t n, const int64_t* outer,
                 int64_t rows);

// Combines two values of dtype t, given and returned as bits. `older` is the value that comes first in the row.
uint64_t combine(Combine how, DType t, uint64_t older, uint64_t newer);

}  // namespace monograph
