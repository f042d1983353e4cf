// The products of all elements of one vector with all of another.
#pragma once

#include <cstdint>

namespace monograph {

// to[i][j] = x[i] * y[j], or self[i][j] + x[i] * y[j] if `self` is not null. x has m elements, y has n; the matrices are contiguous. The sum is rounded after
// the product.
void outer_products(float* to, const float* self, const float* x, int64_t m, const float* y, int64_t n);
void outer_products(double* to, const double* self, const double* x, int64_t m, const double* y, int64_t n);

}  // namespace monograph
