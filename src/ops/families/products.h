// The kernels and parts of shape rules of products that records of several families state.
#pragma once

#include <array>
#include <optional>

#include "kernels/call.h"
#include "ops/dispatch.h"
#include "ops/pointwise.h"
#include "ops/rule.h"

namespace monograph {

// mv(self, vec).
KernelStatus vector_product_kernel(KernelCall& call);
// addmv(self, mat, vec) where beta and alpha are 1: the product of `mat` and `vec`, plus `self`.
KernelStatus addmv_kernel(KernelCall& call);

// The dtype of a product of arguments a and b. Both must have the same dtype, and it must not be bool.
std::optional<DType> product_dtype(const RuleCall& c, size_t a, size_t b);
// The sizes of the product of a matrix and a vector, arguments `matrix` and `vector`.
Sizes vector_product_sizes(const RuleCall& c, size_t matrix, size_t vector);
// Argument i is added to a product: it must have the product's dtype. check_expands: argument 0 must expand to the product's sizes.
void check_addend(const RuleCall& c, size_t i, std::optional<DType> dtype);
void check_expands(const RuleCall& c, SizesRef product);

// `sum(args)`, a sum of products of three tensors and two numbers. In float16 and bfloat16 it is computed in float32 and rounded once.
template <class F>
IValue rounded_once(const IValue* args, F&& sum) {
  const DType t = args[0].as_tensor().dtype();
  const bool same = args[1].as_tensor().dtype() == t && args[2].as_tensor().dtype() == t;
  if (!same || (t != DType::f16 && t != DType::bf16)) return sum(args);
  std::array<IValue, 5> wide{IValue(), IValue(), IValue(), args[3], args[4]};
  for (size_t i = 0; i < 3; ++i) wide[i] = "to"_op(args[i], DType::f32);
  return "to"_op(sum(static_cast<const IValue*>(wide.data())).to_tensor(), t);
}

}  // namespace monograph
