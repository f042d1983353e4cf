// The products of vectors in three dimensions.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace monograph {

// to = a × b for contiguous tensors of one dtype, float32, float64, int32 or int64, whose dim of size 3 has `outer` elements before it and `inner` behind
// it. Each element is a product minus a product; each is rounded. Integers wrap.
void cross_products(DType dtype, void* to, const void* a, const void* b, int64_t outer, int64_t inner);

}  // namespace monograph
