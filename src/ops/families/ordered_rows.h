// Parts of shape rules that sort, topk, median and other operators that sort rows share.
#pragma once

#include <optional>

#include "kernels/sort.h"
#include "ops/rule.h"

namespace monograph {

inline void check_ordered(const RuleCall& c) {
  auto t = c.dtype(0);
  c.check(!t || !is_complex(*t), ErrorKind::Runtime, "complex numbers have no order; sort their abs() or real part");
}

// The wrapped dim that argument `argument` names. Asks for the scratch memory that sorting along it takes.
inline std::optional<size_t> sorted_dim(RuleCall& c, size_t argument) {
  SizesRef self = c.sizes(0);
  if (!self.ranked()) return {};
  auto d = c.dim(argument, self.size());
  if (c.eager() && element_count(self).is_int()) {
    const int64_t n = self.empty() ? 1 : self[*d].as_int(), count = element_count(self).as_int();
    c.scratch(n == 0 ? 0 : sort_scratch(*c.dtype(0), n, count / n));
  }
  return d;
}

}  // namespace monograph
