// Whether two stretches of memory hold equal elements, up to the first that differ.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace monograph {

// Whether elements of this dtype are compared here: 16-bit floats are not.
bool compares_elements(DType type);
// Whether the first n elements at a and at b are equal as numbers: 0 equals -0, and NaN equals nothing.
bool equal_elements(DType type, const void* a, const void* b, int64_t n);

}  // namespace monograph
