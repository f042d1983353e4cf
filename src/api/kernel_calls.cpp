// Implements the functions of monograph/kernels.h that size scratch memory, and checks that its structs match those of the kernels. (MONOGRAPH_KERNEL gives
// the kernels their C names.) Only the C library contains this file; it must not use the C++ runtime (cmake/Kernels.cmake). It is apart from kernels.cpp, so
// that a program which only needs products does not link all kernels.
#include <monograph/kernels.h>

#include <cstddef>

#include "kernels/call.h"
#include "kernels/class_losses.h"
#include "kernels/convolution.h"
#include "kernels/fourier.h"
#include "kernels/resampling.h"
#include "kernels/sort.h"

namespace {

using namespace monograph;

// The structs of the header have the layout of the kernels' structs.
static_assert(MONOGRAPH_TENSORS == static_cast<int>(KernelArg::Kind::Tensors) &&
              MONOGRAPH_BAD_THIRD == static_cast<int>(KernelStatus::BadThird));
#define SAME(c, cpp, field, member) (offsetof(c, field) == offsetof(cpp, member) && sizeof(c::field) == sizeof(cpp::member))
static_assert(sizeof(monograph_tensor) == sizeof(KernelTensor) && SAME(monograph_tensor, KernelTensor, data, data) &&
              SAME(monograph_tensor, KernelTensor, sizes, sizes) && SAME(monograph_tensor, KernelTensor, strides, strides) &&
              SAME(monograph_tensor, KernelTensor, dim, dim) && SAME(monograph_tensor, KernelTensor, dtype, dtype));
static_assert(sizeof(monograph_argument) == sizeof(KernelArg) && SAME(monograph_argument, KernelArg, kind, kind) &&
              SAME(monograph_argument, KernelArg, value.integer, integer) && SAME(monograph_argument, KernelArg, value.tensor, tensor) &&
              SAME(monograph_argument, KernelArg, value.ints.count, ints.count) &&
              SAME(monograph_argument, KernelArg, value.tensors.count, tensors.count));
static_assert(sizeof(monograph_call) == sizeof(KernelCall) && SAME(monograph_call, KernelCall, args, args) &&
              SAME(monograph_call, KernelCall, results, results) && SAME(monograph_call, KernelCall, arg_count, arg_count) &&
              SAME(monograph_call, KernelCall, result_count, result_count) && SAME(monograph_call, KernelCall, scratch, scratch) &&
              SAME(monograph_call, KernelCall, value, value) && SAME(monograph_call, KernelCall, limit, limit) &&
              SAME(monograph_call, KernelCall, place, place) && SAME(monograph_call, KernelCall, scratch_bytes, scratch_bytes) &&
              SAME(monograph_call, KernelCall, threads, threads) && SAME(monograph_call, KernelCall, prepared, prepared));

const KernelCall& call_of(const monograph_call* call) { return *reinterpret_cast<const KernelCall*>(call); }

}  // namespace

extern "C" {

int64_t monograph_convolution_scratch(const monograph_call* call) { return convolution_call_scratch(call_of(call)); }
int64_t monograph_transposed_convolution_scratch(const monograph_call* call) { return transposed_call_scratch(call_of(call)); }
int64_t monograph_weight_gradient_scratch(const monograph_call* call) { return weight_gradient_call_scratch(call_of(call)); }
int64_t monograph_resampling_scratch(const int64_t* from, const int64_t* to, size_t dims, int threads) {
  return dims >= 1 && dims <= 3 && threads > 0 ? resampling_scratch(from, to, dims, threads) : int64_t{MONOGRAPH_INVALID};
}
int64_t monograph_fft_scratch(int kind, uint8_t dtype, const int64_t* sizes, int32_t dim, const int64_t* dims, size_t count, int threads) {
  const auto t = static_cast<DType>(dtype);
  const bool valid = kind >= 0 && kind <= 2 && (t == DType::f32 || t == DType::f64) && threads > 0 && dim >= 0;
  return valid ? fft_scratch(static_cast<FourierKind>(kind), t, sizes, dim, dims, count, threads) : int64_t{MONOGRAPH_INVALID};
}
int64_t monograph_sort_scratch(uint8_t dtype, int64_t n, int64_t rows) {
  return dtype < kComputedDTypeCount && n >= 0 && rows >= 0 ? sort_scratch(static_cast<DType>(dtype), n, rows) : int64_t{MONOGRAPH_INVALID};
}

int64_t monograph_class_loss_scratch(uint8_t dtype, int64_t rows, int64_t classes) {
  return dtype < kComputedDTypeCount && rows >= 0 && classes >= 0 ? class_loss_scratch(static_cast<DType>(dtype), rows, classes)
                                                                  : int64_t{MONOGRAPH_INVALID};
}

}  // extern "C"
