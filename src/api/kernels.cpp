// Implements the threads and matrix products of monograph/kernels.h. Only the C library contains this file; it must not use the C++ runtime
// (cmake/Kernels.cmake).
#include <monograph/kernels.h>

#include <cstddef>
#include <span>

#include "core/threads/pool.h"
#include "kernels/matmul.h"

namespace {

using namespace monograph;

static_assert(MONOGRAPH_BFLOAT16 == static_cast<int>(DType::bf16) && MONOGRAPH_BFLOAT16 + 1 == kComputedDTypeCount);
static_assert(MONOGRAPH_BOOL == static_cast<int>(DType::b1) && MONOGRAPH_FLOAT32 == static_cast<int>(DType::f32));
static_assert(sizeof(monograph_product_batch) == sizeof(MatmulBatch) &&
              offsetof(monograph_product_batch, size) == offsetof(MatmulBatch, size) &&
              offsetof(monograph_product_batch, a) == offsetof(MatmulBatch, a) &&
              offsetof(monograph_product_batch, b) == offsetof(MatmulBatch, b) &&
              offsetof(monograph_product_batch, c) == offsetof(MatmulBatch, c));

bool known(uint8_t dtype) { return dtype < kComputedDTypeCount; }
bool has_chain(uint8_t dtype) { return known(dtype) && (is_floating(static_cast<DType>(dtype)) || is_complex(static_cast<DType>(dtype))); }

// The kernels for an instruction set; 0 means the best one of this machine. Null if the machine or the library lacks it.
const MatmulKernels* kernels_for(uint8_t dtype, uint8_t isa) {
  const DType type = chain_type(static_cast<DType>(dtype));
  if (isa == 0) return &matmul_kernels(type);
  if (isa > static_cast<uint8_t>(host_isa())) return nullptr;
  const MatmulKernels& found = matmul_kernels(type, static_cast<Isa>(isa));
  return found.isa == isa ? &found : nullptr;
}

// Whether the fields of the product are valid.
bool is_valid(const monograph_product& p) {
  if (!known(p.dtype) || p.m < 0 || p.n < 0 || p.k < 0 || (p.batch_count && !p.batch)) return false;
  if (p.m == 0 || p.n == 0) return true;
  if (!p.c || (p.k > 0 && (!p.a || (p.b == nullptr) == (p.packed == nullptr)))) return false;
  if (p.bias && p.dtype != MONOGRAPH_FLOAT32 && p.dtype != MONOGRAPH_FLOAT64) return false;
  return has_chain(p.dtype) || (!p.packed && p.isa == 0);
}

}  // namespace

extern "C" {

int32_t monograph_num_threads(void) { return detail::threads_or_zero(); }

int32_t monograph_set_num_threads(int32_t threads) {
  if (threads < 1 || threads > kMaxThreads) return MONOGRAPH_INVALID;
  detail::use_threads(threads);
  return MONOGRAPH_OK;
}

int32_t monograph_parallel_for(int64_t begin, int64_t end, int64_t grain, void (*f)(void*, int64_t, int64_t), void* context) {
  if (grain < 1 || !f) return MONOGRAPH_INVALID;
  parallel_for(begin, end, grain, [=](int64_t b, int64_t e) { f(context, b, e); });
  return MONOGRAPH_OK;
}

int32_t monograph_matmul(const monograph_product* product) {
  const monograph_product& p = *product;
  if (!is_valid(p)) return MONOGRAPH_INVALID;
  Matmul x;
  x.type = static_cast<DType>(p.dtype), x.m = p.m, x.n = p.n, x.k = p.k;
  x.a = p.a, x.a_row = p.a_row, x.a_col = p.a_col, x.b = p.b, x.b_row = p.b_row, x.b_col = p.b_col;
  x.c = p.c, x.c_row = p.c_row, x.c_col = p.c_col, x.bias = p.bias;
  x.batch = {reinterpret_cast<const MatmulBatch*>(p.batch), p.batch_count};
  PackedMatrix packed;
  if (has_chain(p.dtype)) {
    x.kernels = kernels_for(p.dtype, p.isa);
    if (!x.kernels) return MONOGRAPH_INVALID;
    if (p.packed) packed = PackedMatrix::over(x.type, p.packed, p.k, p.n, *x.kernels), x.packed = &packed;
  }
  return try_matmul(x) ? MONOGRAPH_OK : MONOGRAPH_NO_MEMORY;
}

int64_t monograph_packed_bytes(uint8_t dtype, uint8_t isa, int64_t k, int64_t n) {
  const MatmulKernels* kernels = has_chain(dtype) && k >= 0 && n >= 0 ? kernels_for(dtype, isa) : nullptr;
  return kernels ? PackedMatrix::bytes_for(static_cast<DType>(dtype), k, n, *kernels) : int64_t{MONOGRAPH_INVALID};
}

int32_t monograph_pack(uint8_t dtype, uint8_t isa, int64_t k, int64_t n, const void* b, int64_t b_row, int64_t b_col, void* packed) {
  const int64_t bytes = monograph_packed_bytes(dtype, isa, k, n);
  if (bytes < 0 || (bytes > 0 && (!b || !packed))) return MONOGRAPH_INVALID;
  PackedMatrix::pack_into(packed, static_cast<DType>(dtype), b, k, n, b_row, b_col, *kernels_for(dtype, isa));
  return MONOGRAPH_OK;
}

}  // extern "C"
