// The reduction of a loss to one number, which the families of losses share.
#pragma once

#include <optional>

#include "ops/dispatch.h"
#include "ops/rule.h"

namespace monograph {

// PyTorch's values of the argument `reduction`.
enum LossReduction : int64_t { kNone, kMean, kSum };

// The loss of each element, reduced as `reduction` says.
inline Tensor reduced(const Tensor& loss, int64_t reduction) {
  if (reduction == kMean) return "mean"_op(loss);
  return reduction == kSum ? Tensor("sum"_op(loss)) : loss;
}

// Adds the result of a loss that has the sizes `each` before the reduction, which is argument i.
inline void reduced_result(RuleCall& c, size_t i, SizesRef each, std::optional<DType> dtype) {
  const auto r = c.integer(i);
  c.result(!r ? SizesRef() : *r == kNone ? each : SizesRef(Sizes()), dtype);
}

}  // namespace monograph
