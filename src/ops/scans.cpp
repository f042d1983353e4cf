// What runs along a dim from one end to the other.
#include <algorithm>

#include "kernels/copy.h"
#include "kernels/scan.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/kernel_call.h"
#include "ops/pointwise.h"
#include "ops/registry.h"

namespace monograph {
namespace {

DType scan_dtype(DType input, std::optional<DType> stated) { return stated ? *stated : is_integral(input, true) ? DType::i64 : input; }

template <StructuredKernel kKernel>
void eval_scan(const Operator&, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  const DType type = scan_dtype(self.dtype(), args[2].is_none() ? std::nullopt : std::optional(args[2].to_dtype()));
  const int64_t d = wrap_dim(args[1].to_int(), self.dim());
  Tensor x = contiguous(self.dtype() == type ? self : convert_tensor(self, type)), out = empty(x.sizes(), type, x.device());
  results[0] = out;
  if (out.is_meta()) return;
  KernelCall call;
  run_kernel(kKernel, call, {x, d}, {out});
}

void eval_cumprod_backward(const Operator& op, const IValue* args, IValue* results) {
  Tensor grad = contiguous(args[0].as_tensor()), x = contiguous(args[1].as_tensor()), y = contiguous(args[3].as_tensor());
  MONOGRAPH_CHECK(x.dtype() == grad.dtype() && y.dtype() == grad.dtype(), Runtime, "[", op.name(), "] its tensors differ in dtype");
  MONOGRAPH_CHECK(is_floating(grad.dtype()), NotImplemented, "[", op.name(), "] gradients are not implemented for '",
                  info(grad.dtype()).scalar_type, "'");
  const int64_t d = wrap_dim(args[2].to_int(), x.dim());
  Tensor out = empty(x.sizes(), grad.dtype(), grad.device());
  results[0] = out;
  if (out.is_meta()) return;
  KernelCall call;
  run_kernel(cumprod_backward_kernel, call, {grad, x, d, y}, {out});
}

// The same in operators that can be differentiated: what reaches the products from j on, over the factor; beside zeros, which a graph of unknown
// elements may have, sum over i >= j of grad_i times the factors up to i but the j-th, of which there are as many as elements, squared.
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
  Tensor after = "where"_op("gt"_op(ordinal, from), "unsqueeze"_op(row, -2), 1.0);  // [j, k]: x_k where k > j
  Tensor products = "where"_op("ge"_op(ordinal, from), "cumprod"_op(after, -1), 0.0);  // [j, i]: the factors between j and i
  Tensor reaching = "sum"_op("mul"_op(products, "unsqueeze"_op("transpose"_op(g, dim, -1), -2)), Dims{-1}, false);
  Tensor one = "ones_like"_op("narrow"_op(row, -1, 0, 1));
  Tensor before = "cumprod"_op("cat"_op(IValue::list({one, "narrow"_op(row, -1, 0, n - 1)}), -1), -1);
  return "transpose"_op("mul"_op(reaching, before), dim, -1);
}

void infer_scan(InferCall& c) {
  std::optional<DType> stated = c.arg(2).dtype;
  if (c.arg(2).unknown() || (!stated && !c.dtype(0))) return c.tensor(c.sizes(0), {});
  c.tensor(c.sizes(0), scan_dtype(c.dtype(0).value_or(DType::f32), stated));
}

void infer_first(InferCall& c) { c.like(0, c.sizes(0)); }
void infer_cumprod_backward(InferCall& c) { c.like(0, c.sizes(1)); }

void eval_flip(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  Dims dims = args[1].to_ints();
  for (size_t i = 0; i < dims.size(); ++i) {
    dims[i] = wrap_dim(dims[i], self.dim());
    MONOGRAPH_CHECK(std::find(dims.begin(), dims.begin() + static_cast<ptrdiff_t>(i), dims[i]) == dims.begin() + static_cast<ptrdiff_t>(i),
                    Runtime, "[", op.name(), "] dim ", dims[i], " appears multiple times in the list of dims");
  }
  Tensor out = empty_like(self, self.dtype());
  results[0] = out;
  if (out.is_meta()) return;
  KernelCall call;
  run_kernel(flip_kernel, call, {self, dims}, {out});
}

}  // namespace

void scans(Registry& r) {
  r.op("cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor")
      .infer(infer_scan)
      .eval(eval_scan<cumsum_kernel>)
      .gradient([](GradCall& c) {
        Dims dim{c.value(1).to_int()};
        c.set(0, "flip"_op("cumsum"_op("flip"_op(c.grad(), dim), c.value(1)), dim));
      })
      .onnx(none("CumSum keeps the dtype of narrow integers"))
      .doc("The sums along `dim` up to each element; integers are summed as int64.");
  r.op("cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor")
      .infer(infer_scan)
      .eval(eval_scan<cumprod_kernel>)
      .gradient([](GradCall& c) {
        Tensor x = "to"_op(c.value(0), c.grad().dtype());
        c.set(0, dispatch_state().grad_enabled ? differentiable_cumprod_backward(c, x)
                                               : Tensor("cumprod_backward"_op(c.grad(), x, c.value(1), c.result())));
      })
      .onnx(none("ONNX has no cumulative product before opset 26"))
      .doc("The products along `dim` up to each element; integers are multiplied as int64.");
  r.op("cumprod_backward(Tensor grad, Tensor input, int dim, Tensor output) -> Tensor")
      .infer(infer_cumprod_backward)
      .eval(eval_cumprod_backward)
      .function_only()
      .gradient(none("differentiate cumprod with create_graph=True, which does without this operator"))
      .onnx(none("training only"))
      .doc("The gradient of a cumulative product.");
  r.op("flip(Tensor self, int[] dims) -> Tensor")
      .infer(infer_first)
      .eval(eval_flip)
      .gradient([](GradCall& c) { c.set(0, "flip"_op(c.grad(), c.value(1))); })
      .onnx(none("a Slice with a negative step reads back as no flip"))
      .doc("A copy with the elements along `dims` in reverse order.");
}

}  // namespace monograph
