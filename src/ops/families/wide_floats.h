// For operators of float32 and float64 alone.
#pragma once

#include <array>
#include <initializer_list>

#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/rule.h"

namespace monograph {

// Argument 0 is float32 or float64, and the others have its dtype. `called`: PyTorch's name for the kernel.
inline void check_wide_floats(const RuleCall& c, std::initializer_list<size_t> others, const char* called) {
  const auto t = c.dtype(0);
  c.check(!t || *t == DType::f32 || *t == DType::f64, ErrorKind::NotImplemented, "\"", called, "\" not implemented for '", scalar_type(t),
          "'");
  for (size_t i : others)
    c.check(!t || !c.dtype(i) || *t == *c.dtype(i), ErrorKind::Runtime, "Found dtype ", scalar_type(c.dtype(i)), " but expected ",
            scalar_type(t));
}

// Of two numbers or tensors that broadcast; integers count as the default dtype.
inline void wide_pair_rule(RuleCall& c) {
  auto t = c.promoted(std::array<size_t, 2>{0, 1});
  if (t && exact(*t)) t = default_dtype();
  c.check(!t || *t == DType::f32 || *t == DType::f64, ErrorKind::NotImplemented, "not implemented for '", scalar_type(t), "'");
  if (t) c.convert(0, *t), c.convert(1, *t);
  c.result(broadcast(c.sizes(0), c.sizes(1), c.op.name()), t);
}
// A tensor, or a number as one of the dtype that it has beside the other argument.
inline Tensor tensor_beside(const IValue& v, const IValue& other) {
  if (v.is_tensor()) return v.to_tensor();
  const DType t = other.as_tensor().dtype();
  return "scalar_tensor"_op(v, is_floating(t) ? t : default_dtype());
}

}  // namespace monograph
