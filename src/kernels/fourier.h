// Fourier transforms over some dims of a tensor. One dim is transformed after the other, several lines at a time (kernels/fourier_plan.h), in float
// or double as the dtype's parts. Arguments may have any strides. Results are dense; their dims may be in any order.
//
// normalization: 0 does not scale; with n the number of elements that one result sums, 1 divides by sqrt(n) and 2 by n.
#pragma once

#include "kernels/call.h"

namespace monograph {

// _fft_c2c(self, dim, normalization, forward): complex to complex.
MONOGRAPH_KERNEL(fft_c2c);
// _fft_r2c(self, dim, normalization, onesided): the forward transform of real numbers. Onesided, the last of `dim` has n / 2 + 1 results, else n.
MONOGRAPH_KERNEL(fft_r2c);
// _fft_c2r(self, dim, normalization, last_dim_size): the backward transform to real numbers. The last of `dim` has n / 2 + 1 elements; the rest of
// the n are their conjugates.
MONOGRAPH_KERNEL(fft_c2r);

enum class FourierKind : uint8_t { Complex, FromReal, ToReal };
// The bytes of scratch memory for a call. `dtype` is that of the real parts. `sizes` holds, for each dim, the larger size of self and the result.
// `dims` are the `count` dims that are transformed.
int64_t fft_scratch(FourierKind kind, DType dtype, const int64_t* sizes, int32_t dim, const int64_t* dims, size_t count, int threads);

}  // namespace monograph
