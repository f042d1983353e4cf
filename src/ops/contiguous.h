// What an operator's own evaluation (`eval`) asks of tensors whose memory it reads directly. For other tensors it calls run_decomposition.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "core/ivalue.h"
#include "core/tensor.h"

namespace monograph {

// The tensor, or null for None.
inline const Tensor* tensor_or_null(const IValue& v) { return v.is_none() ? nullptr : &v.as_tensor(); }

// Whether all have elements (none is on the meta device) and are contiguous. Null stands for an argument that is None.
inline bool all_contiguous(std::initializer_list<const Tensor*> tensors) {
  return std::ranges::all_of(tensors, [](const Tensor* t) { return !t || (!t->is_meta() && t->is_contiguous()); });
}

// Whether, moreover, all have one dtype, which is float32 or float64. The first is not null.
inline bool all_contiguous_floats(std::initializer_list<const Tensor*> tensors) {
  const DType first = (*tensors.begin())->dtype();
  return (first == DType::f32 || first == DType::f64) && all_contiguous(tensors) &&
         std::ranges::all_of(tensors, [first](const Tensor* t) { return !t || t->dtype() == first; });
}

}  // namespace monograph
