// softmax, log_softmax and layer norm. Each is a row program (ops/rows.h) whose result has as many elements as its row.
#include "ops/dispatch.h"
#include "ops/registry.h"
#include "ops/rows.h"
#include "ops/rule.h"

namespace monograph {
namespace {

using Result = RowRule::Result;
using Rows = RowRule::Rows;

Tensor norm_except_dim(const Tensor& v, int64_t pow, int64_t dim) {
  if (dim == -1) return "norm"_op(v, pow);
  Dims others;
  for (size_t d = 0; d < v.sizes().size(); ++d)
    if (static_cast<int64_t>(d) != dim) others.push_back(static_cast<int64_t>(d));
  return others.empty() ? "abs"_op(v) : "norm"_op(v, pow, others, true);
}

// The gradients of softmax and log_softmax along `dim` for their input, from that of their result and the result.
Tensor softmax_gradient(const Tensor& grad, const Tensor& result, int64_t dim) {
  const Tensor weighted = "mul"_op(grad, result);
  return "sub"_op(weighted, "mul"_op(result, "sum"_op(weighted, Dims{dim}, true)));
}
Tensor log_softmax_gradient(const Tensor& grad, const Tensor& result, int64_t dim) {
  return "sub"_op(grad, "mul"_op("exp"_op(result), "sum"_op(grad, Dims{dim}, true)));
}

// PyTorch's operators for these gradients. The arguments are the gradient, the result, `dim` and the dtype of the input.
template <Tensor (*Gradient)(const Tensor&, const Tensor&, int64_t)>
IValue gradient_in_dtype(const IValue* a) {
  return "to"_op(Gradient(a[0].to_tensor(), a[1].to_tensor(), a[2].to_int()), a[3]);
}

}  // namespace

void norms(Registry& r) {
  r.rows({"softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"}, {.body =
                                                                                       [](RowContext& c) {
                                                                                         Num e = exp(c.x() - row_max(c.x()));
                                                                                         c.out(e / row_sum(e));
                                                                                       },
                                                                                   .dtype_arg = 2,
                                                                                   .dtypes = kFloating})
      .out()
      .one_step()
      .alias({"special_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"})
      .gradient([](GradCall& c) { c.set(0, softmax_gradient(c.grad(), c.result(), c.value(1).to_int())); })
      .onnx("Softmax(self, axis=dim)")
      .doc("exp(self), scaled so that it sums to 1 along `dim`.");
  r.rows({"log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"}, {.body =
                                                                                           [](RowContext& c) {
                                                                                             Num shifted = c.x() - row_max(c.x());
                                                                                             c.out(shifted - log(row_sum(exp(shifted))));
                                                                                           },
                                                                                       .dtype_arg = 2,
                                                                                       .dtypes = kFloating})
      .out()
      .one_step()
      .alias({"special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor"})
      .gradient([](GradCall& c) { c.set(0, log_softmax_gradient(c.grad(), c.result(), c.value(1).to_int())); })
      .onnx("LogSoftmax(self, axis=dim)")
      .doc("The logarithm of softmax, computed as one.");
  auto backward = [&](const char* schema, DecomposeFn make, const char* doc, const char* samples) {
    r.op(schema).decompose(make, Reads::Nothing).function_only().onnx(none("decomposes to mul, sum and sub")).doc(doc).samples(samples);
  };
  backward("_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
           gradient_in_dtype<softmax_gradient>,
           R"(The gradient of softmax for its input, from that of its result.

grad_output: The gradient of the result.
output: The result.
input_dtype: The dtype of the input.)",
           "[[t(d, 3, 4), t(d, 3, 4).softmax(n), n, d] for d in (f32, f64) for n in (0, -1)]");
  backward("_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
           gradient_in_dtype<log_softmax_gradient>,
           R"(The gradient of log_softmax for its input, from that of its result.

grad_output: The gradient of the result.
output: The result.
input_dtype: The dtype of the input.)",
           "[[t(d, 3, 4), t(d, 3, 4).log_softmax(n), n, d] for d in (f32, f64) for n in (0, -1)]");
  r.rows(
       {"native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)"},
       {.body =
            [](RowContext& c) {
              Num x = c.x(), mean = row_sum(x) / c.count(), d = x - mean;
              Num rstd = rsqrt(row_sum(d * d) / c.count() + c.scalar(0));
              Num y = d * rstd;
              if (c.has(1)) y = y * c.tensor(1);
              if (c.has(2)) y = y + c.tensor(2);
              c.out(y);
              c.out_row(mean);
              c.out_row(rstd);
            },
        .rows = Rows::NormalizedShape,
        .tensors = {0, 2, 3},
        .scalars = {4, -1},
        .dtypes = kFloating})
      .gradient([](GradCall& c) {
        Tensor x = c.arg(0), mean = c.result(1), rstd = c.result(2);
        const Tensor g = c.grad().defined() ? c.grad() : Tensor("zeros_like"_op(c.result()));
        Dims dims = row_dims(c.op, c.dim(0), c.values());
        Tensor normal = "mul"_op("sub"_op(x, mean), rstd);
        Tensor gw = c.value(2).is_none() ? g : Tensor("mul"_op(g, c.value(2)));
        if (c.needs(0)) {
          Tensor centred = "sub"_op(gw, "mean"_op(gw, dims, true));
          Tensor projected = "mul"_op(normal, "mean"_op("mul"_op(gw, normal), dims, true));
          Tensor gx = "mul"_op("sub"_op(centred, projected), rstd);
          // Gradients of the mean and rstd, which a second derivative brings.
          Size n = 1;
          for (int64_t d : dims) n = n * c.sizes(0)[static_cast<size_t>(d)];
          if (c.grad(1).defined()) gx = "add"_op(gx, "div"_op(c.grad(1), n));
          if (c.grad(2).defined()) gx = "sub"_op(gx, "mul"_op(normal, "div"_op("mul"_op(c.grad(2), "mul"_op(rstd, rstd)), n)));
          c.set(0, gx);
        }
        if (c.needs(2)) c.set(2, "mul"_op(g, normal));  // the engine sums it to the weight's sizes
        if (c.needs(3)) c.set(3, g);
      })
      .onnx("out: LayerNormalization(input, weight, bias, axis=negative_length(normalized_shape), epsilon=eps) if given(weight)")
      .doc(
          "Layer normalization over the last dims, with the mean and reciprocal deviation of each row.\n\nweight: The factor of each "
          "element of a row. None: 1.\nbias: What is added to each element of a row. None: 0.\n\n>>> "
          "torch.native_layer_norm(torch.tensor([[1.0, 3.0]]), (2,), None, None, 1e-5)")
      .samples(R"([[t(d, 2, 3, 4), n, *wb, 1e-05] for d in FLOATS
                  for n, wb in (([4], (t(d, 4), t(d, 4))), ([3, 4], (None, None)), ([4], (t(d, 4), None)))]
               + [[t(f32, 2, 3), [4], None, None, 1e-05]])")
      .special(Special::FirstResultAlone, "PyTorch drops what comes from the mean and the deviation");
  r.op("layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool "
       "cudnn_enable=True) -> Tensor")
      .rule([](RuleCall& c) {
        check_normalized_shape(c.op, c.ints(1), c.sizes(0));
        c.like(0, c.sizes(0));
      })
      .decompose([](const IValue* a) -> IValue { return "native_layer_norm"_op(a[0], a[1], a[2], a[3], a[4]).items()[0]; }, Reads::Nothing)
      .one_step()
      .keeps("result1", [](const IValue* a) -> IValue { return "native_layer_norm"_op(a[0], a[1], a[2], a[3], a[4]).items()[1]; })
      .keeps("result2", [](const IValue* a) -> IValue { return "native_layer_norm"_op(a[0], a[1], a[2], a[3], a[4]).items()[2]; })
      .onnx(
          "out: LayerNormalization(input, weight, bias, axis=negative_length(normalized_shape), epsilon=eps) if given(weight), "
          "cudnn_enable ~ True")
      .doc(
          "Layer normalization over the last dims.\n\nweight: The factor of each element of a row. None: 1.\nbias: What is added to each "
          "element of a row. None: 0.\n\n>>> torch.layer_norm(torch.tensor([[1.0, 3.0], [2.0, 8.0]]), (2,))")
      .samples(R"([[t(f32, 2, 4), [4], t(f32, 4), t(f32, 4), 1e-05, True], [t(f32, 2, 4) * 1000, [4], None, None, 1e-05, True]]
               + [[t(f32, 2, 4), [4], v, None, 1e-05, True] for v in (t(f32, 1, 1, 4), t(f32, 1), t(f32), t(f32, 2, 3), t(f64, 4))]
               + [[t(f32, 2, 4), [4], t(f32, 4), v, 1e-05, True] for v in (t(f32, 1), t(f32, 2, 4))])")
      .special(Special::OtherSchemaText, "the shortest text of eps");
  r.op("norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return norm_except_dim(a[0].as_tensor(), a[1].to_int(), a[2].to_int()); }, Reads::Nothing)
      .function_only()
      .onnx(none("decomposes to norm"))
      .doc(
          "The norms over all dims but one, which keeps its place; over all of them where `dim` is -1.\n\nv: The weight.\npow: The order "
          "of the norm.")
      .samples("[[t(f32, 3, 2), 2, 0], [t(f32, 3, 2), 2, 1], [t(f64, 2, 3, 2), 1, -1], [t(f32, 3), 2, 0]]");
  r.op("_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor")
      .decompose(
          [](const IValue* a) -> IValue { return "mul"_op(a[0], "div"_op(a[1], norm_except_dim(a[0].as_tensor(), 2, a[2].to_int()))); },
          Reads::Nothing)
      .one_step()
      .function_only()
      .onnx(none("decomposes to norm, div and mul"))
      .doc("A weight of the direction `v` and the lengths `g`, one for each place of `dim`; one for all where `dim` is -1.")
      .samples(
          "[[t(f32, 3, 2), t(f32, 3, 1), 0], [t(f32, 3, 2), t(f32, 1, 2), 1], [t(f64, 2, 3, 2), t(f64), -1], [t(f32, 3), t(f32, 3), 0]]");
}

}  // namespace monograph
