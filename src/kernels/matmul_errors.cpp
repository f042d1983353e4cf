// Products for C++ callers: what matmul.cpp answers by a status is an exception here.
#include <new>

#include "core/error.h"
#include "core/threads/pool.h"
#include "kernels/matmul.h"

namespace monograph {

PackedMatrix PackedMatrix::pack(DType type, const void* data, int64_t k, int64_t n, int64_t row, int64_t col,
                                const MatmulKernels* kernels) {
  MONOGRAPH_ASSERT(is_floating(type) || is_complex(type));
  PackedMatrix packed = try_pack(type, data, k, n, row, col, kernels);
  if (!packed) throw std::bad_alloc();
  return packed;
}

void matmul(const Matmul& product) {
  const bool floating = is_floating(product.type) || is_complex(product.type);
  MONOGRAPH_ASSERT(!product.bias || product.type == DType::f32 || product.type == DType::f64);
  MONOGRAPH_ASSERT(!product.packed || floating);
  num_threads();  // raises where the setting is wrong
  if (!try_matmul(product)) throw std::bad_alloc();
}

}  // namespace monograph
