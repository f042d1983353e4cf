// Parts of the gradients of reductions: dims that a reduction removed, products of all other elements, and variances.
#pragma once

#include <algorithm>
#include <cmath>

#include "ops/dispatch.h"
#include "ops/families/composite.h"

namespace monograph {

// The products of the rows of a complex tensor, multiplied in ascending order. There are as many rows as results.
KernelStatus complex_products(KernelCall& call);

inline Dims all_dims(int64_t rank) {
  Dims dims;
  for (int64_t d = 0; d < rank; ++d) dims.push_back(d);
  return dims;
}
// The dims that a call reduces, in ascending order. None and an empty list mean all dims.
inline Dims dims_in_order(const IValue& dims, int64_t rank) {
  if (dims.is_none()) return all_dims(rank);
  Dims out;
  for (int64_t d : dims.to_ints())
    if (rank) out.push_back(wrap_dim(d, rank));
  if (out.empty()) return all_dims(rank);
  std::sort(out.begin(), out.end());
  return out;
}

// Gives a reduced gradient its dims back, so that it broadcasts over the argument. `dims` are in ascending order.
inline Tensor restore_dims(Tensor g, const Dims& dims, bool keep) {
  if (keep) return g;
  for (int64_t d : dims) g = "unsqueeze"_op(g, d);
  return g;
}

// For each element, the product of all other elements along dim: of those before it times those after it.
inline Tensor products_of_others(const Tensor& x, int64_t dim) {
  const Dims dims{dim};
  return "mul"_op(products_before(x, dim), "flip"_op(products_before("flip"_op(x, dims), dim), dims));
}

// How many elements a row has.
inline Size row_length(const Sizes& sizes, const Dims& dims) {
  Size n = 1;
  for (int64_t d : dims) n = n * sizes[static_cast<size_t>(d)];
  return n;
}

// The arguments of a call of var, std, var_mean or std_mean.
struct VarianceCall {
  Dims dims;
  double correction;
  bool keep;  // keepdim
  bool over_all;  // the call named no dims
};

// factor / n as a number that a graph computes. It is a division of tensors, where 0 gives inf; a division of numbers would raise an error.
inline IValue float_quotient(double factor, const IValue& n) { return "Float"_op("div"_op("full"_op(Dims{}, factor, DType::f64), n)); }

// The gradient of argument 0 from the gradient of its variance. If the variance is over all elements and these are too few, its divisor is 0 or less: there
// PyTorch's gradient is inf, or NaN for elements that equal the mean.
inline Tensor variance_gradient(GradCall& c, const VarianceCall& call, const Tensor& of_variance) {
  const Tensor self = c.arg(0);
  const Size n = row_length(c.sizes(0), call.dims);
  const Tensor centred = "sub"_op(self, "mean"_op(self, call.dims, true));
  const Tensor g = "expand"_op(restore_dims(of_variance, call.dims, call.keep), c.sizes(0));
  auto gradient_of_too_few_elements = [&]() -> Tensor {
    return "mul"_op(g, "masked_fill"_op("full_like"_op(self, HUGE_VAL), "eq"_op(centred, 0), std::nan("")));
  };
  const bool over_all = call.over_all || self.dim() == 0;
  if (!n.is_int()) {
    const IValue freedom = "sub"_op(n, call.correction);
    const Tensor slope = "mul"_op("mul"_op(g, centred), float_quotient(2.0, freedom));
    return over_all ? Tensor("where"_op("le"_op("full"_op(Dims{}, freedom, DType::f64), 0), gradient_of_too_few_elements(), slope)) : slope;
  }
  const double freedom = static_cast<double>(n.as_int()) - call.correction;
  if (freedom <= 0 && over_all) return gradient_of_too_few_elements();
  return "mul"_op("mul"_op(g, centred), 2.0 / freedom);
}

// The gradient of a variance from the gradient of its root, the standard deviation. Where that is 0, so is the gradient.
inline Tensor gradient_through_root(const Tensor& g, const Tensor& root) {
  return "masked_fill"_op("div"_op(g, "mul"_op(root, 2.0)), "eq"_op(root, 0), 0.0);
}

}  // namespace monograph
