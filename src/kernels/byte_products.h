// Products of matrices of bytes.
#pragma once

#include "kernels/call.h"

namespace monograph {

// _int_mm: args self, mat2, of int8 or uint8; the result is int32. byte_product_scratch() bytes of scratch memory.
MONOGRAPH_KERNEL(byte_product);
// How many elements a row of the scratch memory has: k, and zeros behind it.
constexpr int64_t byte_product_depth(int64_t k) { return (k + 31) / 32 * 32; }
constexpr int64_t byte_product_scratch(int64_t m, int64_t k, int64_t n) {
  return (m + n) * byte_product_depth(k) * int64_t{sizeof(int16_t)};
}

}  // namespace monograph
