// What an operator with a decomposition asks of a call that its kernel takes. The rule leaves every other call to the decomposition.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "core/ivalue.h"
#include "core/tensor.h"
#include "ops/rule.h"

namespace monograph {

// The tensor, or null for None.
inline const Tensor* tensor_or_null(const IValue& v) { return v.is_none() ? nullptr : &v.as_tensor(); }

// Whether a tensor has elements: it is not on the meta device, and does not stand for a value of a graph. True of None.
inline bool is_in_memory(const IValue& v) {
  const Tensor* t = tensor_or_null(v);
  return !t || (!t->is_meta() && (*t)->kind == TensorImpl::Kind::Dense);
}

// Whether the call is eager, and these tensor arguments have elements. An argument may be None.
inline bool all_in_memory(const RuleCall& c, std::initializer_list<size_t> which) {
  return c.eager() && std::ranges::all_of(which, [&](size_t i) { return is_in_memory(c.value(i)); });
}

// Whether, moreover, they are contiguous.
inline bool all_contiguous(const RuleCall& c, std::initializer_list<size_t> which) {
  return all_in_memory(c, which) && std::ranges::all_of(which, [&](size_t i) {
           const Tensor* t = tensor_or_null(c.value(i));
           return !t || t->is_contiguous();
         });
}

// Whether, moreover, all have one dtype, which is float32 or float64. The first is not None.
inline bool all_contiguous_floats(const RuleCall& c, std::initializer_list<size_t> which) {
  if (!all_contiguous(c, which)) return false;
  const DType first = c.value(*which.begin()).as_tensor().dtype();
  return is_wide_float(first) && std::ranges::all_of(which, [&](size_t i) {
           const Tensor* t = tensor_or_null(c.value(i));
           return !t || t->dtype() == first;
         });
}

}  // namespace monograph
