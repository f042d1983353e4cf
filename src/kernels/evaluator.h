// The evaluator: runs a Body in plain C++ built without contraction. It is the oracle of the generated kernels, folds constants, and
// serves machines that have no generated kernel. Same interface and same bits as a kernel.
#pragma once

#include "kernels/body.h"

namespace monograph {

// Runs an expanded body (no Call) on `rows` rows of `n` elements; see KernelFn for the layout and the result.
int32_t evaluate(const Body& body, KernelForm form, char* const* operands, const int64_t* inner, int64_t n, const int64_t* outer,
                 int64_t rows);

// An earlier value with a later one, both as their bits.
uint64_t combine(Combine how, DType t, uint64_t older, uint64_t newer);

}  // namespace monograph
