// Compares the elements of two contiguous blocks of memory; stops soon after the first difference.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace monograph {

// Whether equal_elements supports this dtype. It does not support float16 and bfloat16.
bool compares_elements(DType type);
// Whether the first n elements at a and at b are equal as numbers: 0 equals -0, and NaN equals nothing.
bool equal_elements(DType type, const void* a, const void* b, int64_t n);

}  // namespace monograph
