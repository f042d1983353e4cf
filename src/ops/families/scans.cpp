// Operators that go through the elements along a dim in order: cumsum, cumprod, flip.
#include <array>
#include <utility>

#include "kernels/elements.h"
#include "kernels/scan.h"
#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/pointwise.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

DType scan_dtype(DType input) { return is_integral(input, true) ? DType::i64 : input; }

void scan_rule(RuleCall& c) {
  auto input = c.dtype(0);
  auto dtype = c.dtype_or(2, input ? std::optional(scan_dtype(*input)) : std::nullopt);
  c.check(c.none(2) || dtype != DType::b1, ErrorKind::NotImplemented, "\"", c.op.base_name(), "_out_cpu\" not implemented for 'Bool'; ",
          "convert the result, for example ", c.op.base_name(), "(x, dim).to(torch.bool)");
  if (c.sizes(0).ranked()) c.dim(1, c.sizes(0).size());
  if (dtype) c.convert(0, *dtype);
  c.result(c.sizes(0), dtype);
}

void cumprod_backward_rule(RuleCall& c) {
  auto grad = c.dtype(0), input = c.dtype(1), output = c.dtype(3);
  c.check((!grad || !input || *input == *grad) && (!grad || !output || *output == *grad), ErrorKind::Runtime,
          "its tensors differ in dtype");
  c.check(!grad || is_floating(*grad), ErrorKind::NotImplemented, "gradients are not implemented for '",
          info(grad.value_or(DType::f32)).scalar_type, "'");
  if (c.sizes(1).ranked()) c.dim(2, c.sizes(1).size());
  c.like(0, c.sizes(1));
}

void flip_rule(RuleCall& c) {
  SizesRef self = c.sizes(0);
  Sizes dims = c.ints(1);
  if (self.ranked() && dims.ranked() && SizesRef(dims).all_ints()) {
    std::array<bool, kMaxDims> seen{};
    for (size_t i = 0; i < dims.size(); ++i) {
      const auto d = static_cast<size_t>(wrap_dim(dims[i].as_int(), static_cast<int64_t>(self.size())));
      c.check(d >= seen.size() || !std::exchange(seen[d], true), ErrorKind::Runtime, "dim ", dims[i],
              " appears multiple times in the list of dims");
    }
  }
  c.like_layout(0, c.dtype(0));
}

// cumprod's gradient in operators that can be differentiated. Without zeros, the gradient of x_j is (sum over i >= j of grad_i * result_i) / x_j. With zeros,
// which a capture must allow for, it is the sum over i >= j of grad_i times the product of x_0 .. x_i without x_j; that takes a table of n x n products.
Tensor differentiable_cumprod_backward(GradCall& c, const Tensor& x) {
  Tensor g = c.grad();
  if (x.dim() == 0) return g;
  const int64_t dim = wrap_dim(c.value(1).to_int(), x.dim());
  const Size n = c.sizes(0)[static_cast<size_t>(dim)];
  if (n.is(0)) return g;
  const bool zeros = dispatch_state().top || "item"_op("any"_op("eq"_op(x, 0))).to_bool();
  if (!zeros) {
    Tensor reaching = "flip"_op("cumsum"_op("flip"_op("mul"_op(g, c.result()), Dims{dim}), dim), Dims{dim});
    return "div"_op(reaching, x);
  }
  Tensor row = "transpose"_op(x, dim, -1), ordinal = "arange"_op(n), from = "unsqueeze"_op(ordinal, 1);
  Tensor after = "where"_op("gt"_op(ordinal, from), "unsqueeze"_op(row, -2), 1.0);  // [j, k]: x_k if k > j, else 1
  Tensor products = "where"_op("ge"_op(ordinal, from), "cumprod"_op(after, -1), 0.0);  // [j, i]: the product of x_k for j < k <= i
  Tensor reaching = "sum"_op("mul"_op(products, "unsqueeze"_op("transpose"_op(g, dim, -1), -2)), Dims{-1}, false);
  return "transpose"_op("mul"_op(reaching, products_before(row, x.dim() - 1)), dim, -1);
}

}  // namespace

void scans(Registry& r) {
  r.op("cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor")
      .inplace()
      .out()
      .out_dtype(OutDType::Computes, kAllDTypes & ~kBool)
      .rule(scan_rule)
      .kernel(cumsum_kernel)
      .contiguous_args()
      .gradient([](GradCall& c) {
        Dims dim{c.value(1).to_int()};
        c.set(0, "flip"_op("cumsum"_op("flip"_op(c.grad(), dim), c.value(1)), dim));
      })
      .onnx("CumSum(self, Squeeze([dim])) if keeps(self), dtype = None")
      .doc("The sums along `dim` up to each element; integers are summed as int64.")
      .samples(R"([[t(d, 3, 4), 0] for d in ALL] + [[x, -1] for x in layouts(2, 3, 4)] + [[special(d), 0]
                  for d in ALL] + [[t(f32, 300), 0], [t(f32), 0],
                [t(f32, 0, 2), 0], [t(f32, 3), 0, f64], [t(i32, 3), 0, f32], [t(f32, 3), 1]])");
  r.op("cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor")
      .inplace()
      .out()
      .out_dtype(OutDType::Computes, kAllDTypes & ~kBool)
      .rule(scan_rule)
      .kernel(cumprod_kernel)
      .contiguous_args()
      .gradient([](GradCall& c) {
        Tensor x = "to"_op(c.value(0), c.grad().dtype());
        const bool recorded = dispatch_state().grad_enabled || is_complex(x.dtype());
        c.set(0, recorded ? differentiable_cumprod_backward(c, x) : Tensor("cumprod_backward"_op(c.grad(), x, c.value(1), c.result())));
      })
      .onnx(none("ONNX has no cumulative product before opset 26"))
      .doc("The products along `dim` up to each element; integers are multiplied as int64.")
      .samples(R"([[t(d, 3, 4), 0] for d in ALL] + [[x, -1] for x in layouts(2, 3, 4)] + [[special(d), 0]
                  for d in ALL] + [[t(f32, 20), 0], [t(f32), 0],
                [t(f32, 0, 2), 0], [t(f32, 3), 0, f64], [at([2.0, 0.0, 3.0, 0.0, -1.0]), 0]])");
  r.op("cumprod_backward(Tensor grad, Tensor input, int dim, Tensor output) -> Tensor")
      .rule(cumprod_backward_rule)
      .kernel(cumprod_backward_kernel)
      .contiguous_args()
      .function_only()
      .gradient(none("differentiate cumprod with create_graph=True, which does without this operator"))
      .onnx(none("training only"))
      .doc("The gradient of a cumulative product.")
      .samples(none("cumprod's gradient: gradients_test has its results"));
  r.op("flip(Tensor self, int[] dims) -> Tensor")
      .operator_out()
      .rule(flip_rule)
      .kernel(flip_kernel)
      .storage_only(StorageOnly::AsBits)
      .quantized(Quantized::Kept)
      .gradient([](GradCall& c) { c.set(0, "flip"_op(c.grad(), c.value(1))); })
      .onnx(none("a Slice with a negative step reads back as no flip"))
      .doc("A copy with the elements along `dims` in reverse order.")
      .samples(R"([[x, d] for x in layouts(2, 3, 4) for d in ([0], [-1, 1], [])] + [[t(f32), [0]], [t(f32, 2, 3), [0, -2]],
                  [t(f32, 0, 3), [0, 1]]])");
}

}  // namespace monograph
