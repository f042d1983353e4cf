// Fourier transforms over dims of a tensor: lines along one dim after the other, several side by side (kernels/fourier_plan.h), computed in the dtype's
// own parts. Elements may lie anywhere; results have no gaps, in any order of dims.
//
// normalization: 0 sums, 1 divides by the root of the number of elements that one result sums, 2 by the number.
#pragma once

#include "kernels/call.h"

namespace monograph {

// _fft_c2c(self, dim, normalization, forward) of complex numbers.
MONOGRAPH_KERNEL(fft_c2c);
// _fft_r2c(self, dim, normalization, onesided), forward, of real numbers: the last of `dim` has n / 2 + 1 results, or all.
MONOGRAPH_KERNEL(fft_r2c);
// _fft_c2r(self, dim, normalization, last_dim_size), backward: the last of `dim` has n / 2 + 1 elements, of which the others are conjugates.
MONOGRAPH_KERNEL(fft_c2r);

enum class FourierKind : uint8_t { Complex, FromReal, ToReal };
// The scratch bytes of such a call. `dtype` is that of the real parts, `sizes` are those of the longer of self and the result in each dim.
int64_t fft_scratch(FourierKind kind, DType dtype, const int64_t* sizes, int32_t dim, const int64_t* dims, size_t count, int threads);

}  // namespace monograph
