// group_norm, instance_norm and rms_norm: shape rules, and decompositions into means, products and batch_norm.
#include <limits>

#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/layouts.h"
#include "ops/registry.h"
#include "ops/rows.h"
#include "ops/rule.h"

namespace monograph {
namespace {

// 16-bit floats are computed in float32 and rounded once, at the end.
Tensor wide(const Tensor& x) { return element_size(x.dtype()) == 2 ? Tensor("to"_op(x, DType::f32)) : x; }
Tensor narrow_to(const Tensor& y, DType dtype) { return y.dtype() == dtype ? y : Tensor("to"_op(y, dtype)); }

Sizes of_channels(const Tensor& x) {
  Sizes shape(x.sizes().size(), 1);
  shape.set(1, size_of(x, 1));
  return shape;
}

// A weight or bias has one element for each channel, and the input's dtype, or float32 for a 16-bit input.
void check_parameter(const RuleCall& c, size_t i, Size channels) {
  if (c.none(i)) return;
  SizesRef s = c.sizes(i);
  c.check(!s.ranked() || (s.size() == 1 && s[0] == channels), Runtime, "Expected ", c.op.schema().arguments()[i].name,
          " to be a vector of size equal to the number of channels in input, but got one of shape ", s, " and ", channels, " channels");
  const auto t = c.dtype(i), x = c.dtype(0);
  c.check(!t || !x || *t == *x || (element_size(*x) == 2 && *t == DType::f32), Runtime, "expected ", c.op.schema().arguments()[i].name,
          " to have scalar type ", scalar_type(x), ", but got ", scalar_type(t));
}

void group_norm_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const Size groups = c.size(1);
  c.check_dtype(c.dtype(0), is_floating);
  c.check(groups > 0, Runtime, "Expected num groups to be greater than 0, got ", groups);
  if (!x.ranked()) return c.unranked(0);
  c.check(x.size() >= 2, Runtime, "Expected at least 2 dimensions for input tensor but received ", x.size());
  c.check(mod(x[1], groups) == 0, Runtime, "Expected number of channels in input to be divisible by num_groups, but got input of shape ", x,
          " and num_groups=", groups);
  Size values = x[0] * floordiv(x[1], groups);
  for (size_t d = 2; d < x.size(); ++d) values = values * x[d];
  c.check(values != 1, ErrorKind::Value, "Expected more than 1 value per channel when training, got input size ", x);
  check_parameter(c, 2, x[1]), check_parameter(c, 3, x[1]);
  c.like(0, x);
  keep_channels_last(c, {0});
}

IValue decompose_group_norm(const IValue* a) {
  const Tensor x = wide(a[0].to_tensor());
  const Sizes s = sizes_of(x);
  const Size groups = as_size(a[1]);
  Size each = floordiv(s[1], groups);
  for (size_t d = 2; d < s.size(); ++d) each = each * s[d];
  const Tensor rows = "reshape"_op(x, Sizes{s[0], groups, each});
  const Tensor centred = "sub"_op(rows, "mean"_op(rows, Dims{-1}, true));
  const Tensor variance = "mean"_op("mul"_op(centred, centred), Dims{-1}, true);
  Tensor y = "reshape"_op("mul"_op(centred, "rsqrt"_op("add"_op(variance, a[4]))), s);
  if (!a[2].is_none()) y = "mul"_op(y, "reshape"_op(a[2], of_channels(x)));
  if (!a[3].is_none()) y = "add"_op(y, "reshape"_op(a[3], of_channels(x)));
  return narrow_to(y, a[0].as_tensor().dtype());
}

// A group is a row of layer norm, which computes the same; then every channel is scaled and shifted.
IValue group_norm_by_rows(const IValue* a) {
  const Tensor& x = a[0].as_tensor();
  if (x.numel() == 0 || !x.is_contiguous() || !is_wide_float(x.dtype())) return {};
  const int64_t rows = x.sizes()[0] * a[1].to_int(), each = x.numel() / rows;
  const Tensor flat = "native_layer_norm"_op("reshape"_op(x, Dims{rows, each}), Dims{each}, IValue(), IValue(), a[4])[0];
  Tensor y = "view"_op(flat, x.sizes());
  if (!a[2].is_none() && !a[3].is_none()) return "monograph::scale_and_shift"_op(y, "zeros"_op(Dims{x.sizes()[1]}, x.dtype()), a[2], a[3]);
  if (!a[2].is_none()) return "mul_"_op(y, "view"_op(a[2], of_channels(x)));
  if (!a[3].is_none()) return "add_"_op(y, "view"_op(a[3], of_channels(x)));
  return y;
}

void instance_norm_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  c.check_dtype(c.dtype(0), is_floating);
  c.check(c.truth(5) != false || (!c.none(3) && !c.none(4)), Runtime,
          "Expected running_mean and running_var to be defined when use_input_stats is false");
  if (!x.ranked()) return c.unranked(0);
  c.check(x.size() >= 3, Runtime, "expected at least 3 dims (batch, channels and an image), but got size ", x);
  for (size_t i = 1; i < 5; ++i) check_parameter(c, i, x[1]);
  Size values = 1;
  for (size_t d = 2; d < x.size(); ++d) values = values * x[d];
  c.check(c.truth(5) != true || values != 1, ErrorKind::Value,
          "Expected more than 1 spatial element when training, got input size torch.Size(", x, ")");
  c.like(0, x);
}

// With input statistics, instance_norm is group_norm with one channel in each group. The running statistics are updated by the mean over the batch.
IValue decompose_instance_norm(const IValue* a) {
  const Tensor x = in_format(a[0].to_tensor(), MemoryFormat::Contiguous);  // PyTorch's result has this layout
  if (!a[5].to_bool()) return "batch_norm"_op(x, a[1], a[2], a[3], a[4], false, a[6], a[7], a[8]);
  if (!a[3].is_none() || !a[4].is_none()) {
    GradModeScope no_grad(false);
    const Tensor rows = "flatten"_op(wide("detach"_op(x)), 2);
    auto update = [&](const IValue& running, const Tensor& batch_value) {
      if (running.is_none()) return;
      "copy_"_op(running, "add"_op("mul"_op(running, 1 - a[6].to_double()), "mul"_op(batch_value, a[6].to_double())));
    };
    update(a[3], "mean"_op("mean"_op(rows, Dims{2}), Dims{0}));
    update(a[4], "mean"_op("var"_op(rows, Dims{2}, 1), Dims{0}));
  }
  if (size_of(x, 1).is(0)) return "clone"_op(x);
  return "group_norm"_op(x, size_of(x, 1), a[1], a[2], a[7]);
}

void rms_norm_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const Sizes shape = c.ints(1);
  c.check_dtype(c.dtype(0), [](DType t) { return is_floating(t) || is_complex(t); });
  c.check(!shape.ranked() || shape.size() > 0, Runtime, "Expected normalized_shape to be at least 1-dimensional, but got ", shape);
  check_normalized_shape(c.op, shape, x);
  if (!c.none(2)) {
    SizesRef w = c.sizes(2);
    bool fits = !w.ranked() || !shape.ranked() || w.size() == shape.size();
    for (size_t d = 0; fits && w.ranked() && shape.ranked() && d < w.size(); ++d) fits = !never(w[d] == shape[d]);
    c.check(fits, Runtime, "Expected weight to be of same shape as normalized_shape, but got weight of shape ", w,
            " and normalized_shape = ", shape);
  }
  c.like(0, x);
}

// A row for each group of each image.
Tensor groups_of(const IValue* a) { return "reshape"_op(a[0], Dims{a[0].as_tensor().sizes()[0], a[1].to_int(), -1}); }

int64_t elements_of_channel(const Tensor& x) { return x.numel() / std::max<int64_t>(x.sizes()[0] * x.sizes()[1], 1); }

double rms_eps(const IValue& given, DType dtype) {
  if (!given.is_none()) return given.to_double();
  return dtype == DType::f64 || dtype == DType::c128 ? std::numeric_limits<double>::epsilon()
                                                     : static_cast<double>(std::numeric_limits<float>::epsilon());
}

IValue rms_norm_by_rows(const IValue* a) {
  const Tensor& x = a[0].as_tensor();
  if (is_complex(x.dtype()) || !x.is_contiguous() || x.numel() == 0 || (!a[2].is_none() && a[2].as_tensor().dtype() != x.dtype()))
    return {};
  return "monograph::root_mean_square_norm"_op(x, a[1], a[2], rms_eps(a[3], x.dtype()));
}

IValue decompose_rms_norm(const IValue* a) {
  const Tensor x = wide(a[0].to_tensor());
  const DType dtype = a[0].as_tensor().dtype();
  const size_t dims = a[1].is_ints() ? a[1].to_ints().size() : a[1].items().size();
  Dims last;
  for (size_t d = dims; d > 0; --d) last.push_back(-static_cast<int64_t>(d));
  Tensor y = "mul"_op(x, "rsqrt"_op("add"_op("mean"_op("mul"_op(x, x), last, true), rms_eps(a[3], x.dtype()))));
  if (!a[2].is_none()) y = "mul"_op(y, a[2]);
  return narrow_to(y, dtype);
}

}  // namespace

void group_norms(Registry& r) {
  r.op("group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> "
       "Tensor")
      .rule(group_norm_rule)
      .decompose(decompose_group_norm, Reads::Symbols)
      .decompose_eagerly(group_norm_by_rows)
      .one_step()
      .keeps("result1", [](const IValue* a) -> IValue { return statistic_of_rows(groups_of(a), a[4], true); })
      .keeps("result2", [](const IValue* a) -> IValue { return statistic_of_rows(groups_of(a), a[4], false); })
      .keeps("N", [](const IValue* a) -> IValue { return a[0].as_tensor().sizes()[0]; })
      .keeps("C", [](const IValue* a) -> IValue { return a[0].as_tensor().sizes()[1]; })
      .keeps("group", [](const IValue* a) { return a[1]; })
      .keeps("HxW", [](const IValue* a) -> IValue { return elements_of_channel(a[0].as_tensor()); })
      .function_only()
      .onnx(none("decomposes to the means of its groups"))
      .special(Special::Factorization, "an error is relative to the largest element: a group may vary little")
      .doc(
          "Each group of channels of each image to mean 0 and variance 1, then every channel scaled and shifted.\n\nweight: The factor of "
          "each channel. None: 1.\nbias: What is added to each channel. None: 0.\n\n>>> torch.group_norm(torch.tensor([[1.0, 3.0, 2.0, "
          "6.0]]), 2)")
      .samples(
          R"([[x, g, *p] for x in (t(f32, 2, 6, 3, 4), t(f64, 2, 6, 5), t(f64, 3, 6), t(f32, 4, 3, 6, 2).permute(3, 2, 1, 0)) for g in (1, 2, 3, 6)
                    for p in ((), (t(x.dtype, 6), t(x.dtype, 6)), (t(x.dtype, 6), None, 0.1)) if x.dim() > 2 or g < 3]
                 + [[t(bf16, 2, 4, 3), 2, t(bf16, 4), t(bf16, 4)], [t(f16, 2, 4, 3), 2, t(f16, 4), t(f16, 4)], [t(f32, 0, 4, 3), 2]]
                 + [[t(f32, 2, 6, 3), *n] for n in ((4,), (0,), (2, t(f32, 3)), (2, t(f32, 6, 1)), (2, t(f64, 6)))] + [[t(f32, 6), 2], [t(i64, 2, 6, 3), 2]])")
      .special(Special::OtherSchemaText, "the shortest text of eps");
  ir::Effects updates;
  updates.reads = updates.writes = ir::Effects::Memory;  // the running statistics, which the schema does not mark
  r.op("instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float "
       "momentum, float eps, bool cudnn_enabled) -> Tensor")
      .rule(instance_norm_rule)
      .decompose(decompose_instance_norm, Reads::Symbols)
      .function_only()
      .effects(updates)
      .onnx(none("decomposes to the layer normalization of each image"))
      .doc(
          "Each channel of each image centred and scaled by its own statistics, or by running ones.\n\nweight: The factor of each channel. "
          "None: 1.\nbias: What is added to each channel. None: 0.\n\n>>> x = torch.tensor([[[1.0, 3.0], [2.0, 6.0]]])\n>>> "
          "torch.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, False)")
      .samples(R"([[x, *p, None, None, True, 0.1, 1e-05, True] for x in (t(f32, 2, 3, 4, 5), t(f64, 2, 3, 7), t(f32, 1, 3, 2, 3, 2))
                    for p in ((None, None), (t(x.dtype, 3), t(x.dtype, 3)))]
                 + [[t(d, 2, 3, 4), t(d, 3), t(d, 3), t(d, 3), t(d, 3, low=0.5), False, 0.1, 1e-05, True] for d in (f32, f64)]
                 + [[t(f32, 2, 3, 4), None, None, None, None, False, 0.1, 1e-05, True], [t(f32, 2, 3, 4), t(f32, 2), None, None, None, True, 0.1, 1e-05, True]])");
  // rms_norm calls it outside of captures: one pass, with the same bits as its parts.
  r.rows({"monograph::root_mean_square_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, float eps) -> Tensor"},
         {.body =
              [](RowContext& c) {
                const Num x = c.x();
                Num y = x * rsqrt(row_sum(x * x) / c.count() + c.scalar(0));
                if (c.has(1)) y = y * c.tensor(1);
                c.out(y);
              },
          .rows = RowRule::Rows::NormalizedShape,
          .tensors = {0, 2, -1},
          .scalars = {3, -1},
          .dtypes = kFloating})
      .gradient(none("its parts have one"))
      .decompose(decompose_rms_norm, Reads::Symbols)
      .onnx(none("decomposes to the mean of squares"))
      .doc("rms_norm, computed as one.")
      .samples(none("PyTorch has no such operator; rms_norm's samples run it"));
  r.op("rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor")
      .rule(rms_norm_rule)
      .decompose(decompose_rms_norm, Reads::Symbols)
      .decompose_eagerly(rms_norm_by_rows)
      .function_only()
      .onnx(none("decomposes to the mean of squares"))
      .doc(
          "`input` divided by the root of the mean square over the last dims, times `weight`.\n\nweight: The factor of each element. None: "
          "1.\neps: What is added to the mean of squares. None: the dtype's eps.\n\n>>> torch.rms_norm(torch.tensor([3.0, 4.0]), (2,))")
      .samples(
          R"([[x, n, *p] for x in (t(f32, 2, 3, 4), t(f64, 2, 3, 4), t(f32, 4, 3, 2).permute(2, 1, 0)) for n in ([4], [3, 4], [2, 3, 4])
                    for p in ((), (t(x.dtype, *n),), (None, 0.1))] + [[t(bf16, 2, 4), [4], t(bf16, 4)], [t(f16, 2, 4), [4]], [t(f32, 0, 4), [4]]]
                 + [[t(f32, 2, 4), *n] for n in (([3],), ([],), ([4], t(f32, 3)), ([1, 2, 4],))] + [[t(i64, 2, 4), [4]], [t(c64, 2, 4), [4]], [t(c64, 2, 4), [2, 4], None, 0.1]])");
}

}  // namespace monograph
