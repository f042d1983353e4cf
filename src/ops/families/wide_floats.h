// Parts of shape rules for operators whose kernels exist for float32 and float64 only.
#pragma once

#include <array>
#include <initializer_list>

#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/rule.h"

namespace monograph {

// Checks that argument 0 is float32 or float64 and that the others have its dtype. `kernel`: PyTorch's name of the kernel, for the message.
inline void check_wide_floats(const RuleCall& c, std::initializer_list<size_t> others, const char* kernel) {
  const auto t = c.dtype(0);
  c.check_dtype(t, is_wide_float, kernel);
  for (size_t i : others)
    c.check(!t || !c.dtype(i) || *t == *c.dtype(i), ErrorKind::Runtime, "Found dtype ", scalar_type(c.dtype(i)), " but expected ",
            scalar_type(t));
}

// The rule of a function of two tensors or numbers, which broadcast. Integers become the default dtype.
inline void wide_pair_rule(RuleCall& c) {
  auto t = c.promoted(std::array<size_t, 2>{0, 1});
  if (t && exact(*t)) t = default_dtype();
  c.check_dtype(t, is_wide_float);
  if (t) c.convert(0, *t), c.convert(1, *t);
  c.result(broadcast(c.sizes(0), c.sizes(1), c.op.name()), t);
}
// The tensor v. A number becomes a tensor of the dtype of `other`, or of the default dtype if `other` is integral.
inline Tensor tensor_beside(const IValue& v, const IValue& other) {
  if (v.is_tensor()) return v.to_tensor();
  const DType t = other.as_tensor().dtype();
  return "scalar_tensor"_op(v, is_floating(t) ? t : default_dtype());
}

}  // namespace monograph
