// For operators of float32 and float64 alone.
#pragma once

#include <initializer_list>

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

}  // namespace monograph
