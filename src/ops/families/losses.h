// What the families of losses share: the reduction of a loss to one number.
#pragma once

#include <optional>

#include "ops/dispatch.h"
#include "ops/rule.h"

namespace monograph {

// The values of argument `reduction`, PyTorch's.
enum LossReduction : int64_t { kNone, kMean, kSum };

inline Tensor reduced(const Tensor& loss, int64_t reduction) {
  if (reduction == kMean) return "mean"_op(loss);
  return reduction == kSum ? Tensor("sum"_op(loss)) : loss;
}

// A loss of these sizes, or one number: the reduction is argument i.
inline void reduced_result(RuleCall& c, size_t i, SizesRef each, std::optional<DType> dtype) {
  const auto r = c.integer(i);
  c.result(!r ? SizesRef() : *r == kNone ? each : SizesRef(Sizes()), dtype);
}

}  // namespace monograph
