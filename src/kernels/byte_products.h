// Products of 8-bit integer matrices.
#pragma once

#include "kernels/call.h"

namespace monograph {

// _int_mm(self [m, k], mat2 [k, n]) -> int32 [m, n]; the arguments are int8 or uint8. It needs byte_product_scratch(m, k, n) bytes of scratch.
MONOGRAPH_KERNEL(byte_product);
// The int16 elements of one row of the scratch memory: k, padded with zeros to a multiple of 32.
constexpr int64_t byte_product_depth(int64_t k) { return (k + 31) / 32 * 32; }
constexpr int64_t byte_product_scratch(int64_t m, int64_t k, int64_t n) {
  return (m + n) * byte_product_depth(k) * int64_t{sizeof(int16_t)};
}

}  // namespace monograph
