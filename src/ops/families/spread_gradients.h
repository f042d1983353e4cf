// The gradients of variances, by themselves and beside the mean.
#pragma once

#include <cmath>

#include "ops/dispatch.h"

namespace monograph {

// Gives a reduced gradient its dims back, so that it broadcasts over the argument.
inline Tensor restore_dims(Tensor g, const Dims& dims, bool keep) {
  if (keep) return g;
  for (int64_t d : dims) g = "unsqueeze"_op(g, d);
  return g;
}

// How many elements a row has.
inline Size row_length(const Sizes& sizes, const Dims& dims) {
  Size n = 1;
  for (int64_t d : dims) n = n * sizes[static_cast<size_t>(d)];
  return n;
}

struct SpreadCall {
  Dims dims;
  double correction;
  bool keep;  // the reduced dims
  bool over_all;  // no dims were named
};

// factor / n as a number that a graph computes: division of floats, where 0 gives inf. A division of Python's numbers would raise.
inline IValue float_quotient(double factor, const IValue& n) { return "Float"_op("div"_op("full"_op(Dims{}, factor, DType::f64), n)); }

// Of argument 0, from the gradient of its variance. If the variance is over all elements and they are too few, the divisor is 0 or less: PyTorch says inf and
// NaN there.
inline Tensor variance_gradient(GradCall& c, const SpreadCall& call, const Tensor& of_variance) {
  const Tensor self = c.arg(0);
  const Size n = row_length(c.sizes(0), call.dims);
  const Tensor centred = "sub"_op(self, "mean"_op(self, call.dims, true));
  const Tensor g = "expand"_op(restore_dims(of_variance, call.dims, call.keep), c.sizes(0));
  auto of_too_few = [&]() -> Tensor {
    return "mul"_op(g, "masked_fill"_op("full_like"_op(self, HUGE_VAL), "eq"_op(centred, 0), std::nan("")));
  };
  const bool over_all = call.over_all || self.dim() == 0;
  if (!n.is_int()) {
    const IValue freedom = "sub"_op(n, call.correction);
    const Tensor slope = "mul"_op("mul"_op(g, centred), float_quotient(2.0, freedom));
    return over_all ? Tensor("where"_op("le"_op("full"_op(Dims{}, freedom, DType::f64), 0), of_too_few(), slope)) : slope;
  }
  const double freedom = static_cast<double>(n.as_int()) - call.correction;
  if (freedom <= 0 && over_all) return of_too_few();
  return "mul"_op("mul"_op(g, centred), 2.0 / freedom);
}

// The gradient of the variance, from that of its root. The root has no slope where all elements are equal: 0 there.
inline Tensor from_root(const Tensor& g, const Tensor& root) {
  return "masked_fill"_op("div"_op(g, "mul"_op(root, 2.0)), "eq"_op(root, 0), 0.0);
}

}  // namespace monograph
