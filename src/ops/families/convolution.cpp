// Convolution, pooling and batch normalization over images (N, C, H, W): shape rules, decompositions and gradients. A convolution adds its products in the same
// order as a matrix product of the unfolded image and the weight (docs/numerics.md). The kernels give that result without unfolding (kernels/convolution.h).
#include "kernels/convolution.h"
#include "core/threads/pool.h"
#include "kernels/pooling.h"
#include "kernels/unfold.h"
#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/families/windows.h"
#include "ops/layouts.h"
#include "ops/packed_weight.h"
#include "ops/pointwise.h"
#include "ops/registry.h"
#include "ops/rule.h"
#include "ops/torchscript_names.h"

namespace monograph {
namespace {

// --- Rules. An argument such as stride, which has one number for each of the two axes, is given by its position in the schema.

void check_pair(const RuleCall& c, size_t i, const char* what, bool or_none = false) { check_axes(c, 2, i, what, or_none); }

// Only the batch size may be 0; channels, height and width may not.
void check_pixels(const RuleCall& c, SizesRef s) {
  for (size_t d = s.size() == 4 ? 1 : 0; d < s.size(); ++d)
    c.check(s[d] != 0, Runtime, "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got: ", s);
}

void check_image(const RuleCall& c, SizesRef s) {
  c.check(!s.ranked() || s.size() == 3 || s.size() == 4, Runtime,
          "Expected 3D (unbatched) or 4D (batched) input, but got input of size: ", s);
}

// im2col and col2im share their last four arguments: kernel_size, dilation, padding, stride.
Window unfold_window(const RuleCall& c, size_t first, size_t k) {
  return {c.entry(first, k), c.entry(first + 3, k), c.entry(first + 2, k), c.entry(first + 1, k)};
}
void check_unfold(const RuleCall& c, size_t first) {
  const char* names[] = {"kernel_size", "dilation", "padding", "stride"};
  for (size_t i = 0; i < 4; ++i) check_pair(c, first + i, names[i]);
}

// PyTorch's im2col and col2im take floats, complex numbers and bool. Here col2im also takes int64, because transposed convolutions of int64 use it.
void check_not_integers(const RuleCall& c, bool takes_long) {
  c.check_dtype(c.dtype(0), [&](DType t) { return !is_integral(t) || (takes_long && t == DType::i64); }, c.op.base_name());
}

void im2col_rule(RuleCall& c) {
  SizesRef s = c.sizes(0);
  check_not_integers(c, false);
  check_unfold(c, 1);
  if (!s.ranked()) return c.unranked(0);
  bool fits = s.size() == 3 || s.size() == 4;
  for (size_t k = s.size() == 4 ? 1 : 0; fits && k < s.size(); ++k) fits = !certainly(s[k] == 0);
  c.check(fits, s.size() < 3 ? ErrorKind::Index : Runtime,
          "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: ", s);
  const Window h = unfold_window(c, 1, 0), w = unfold_window(c, 1, 1);
  const size_t d = s.size() - 3;  // the dim of channels: 0 without a batch
  const Size rows = s[d] * h.kernel * w.kernel, columns = windows(c, s[d + 1], h) * windows(c, s[d + 2], w);
  c.like(0, d ? Sizes{s[0], rows, columns} : Sizes{rows, columns});
}

void col2im_rule(RuleCall& c) {
  SizesRef s = c.sizes(0);
  check_not_integers(c, true);
  check_pair(c, 1, "output_size"), check_unfold(c, 2);
  const Window h = unfold_window(c, 2, 0), w = unfold_window(c, 2, 1);
  const Size height = c.entry(1, 0), width = c.entry(1, 1), cells = h.kernel * w.kernel;
  const Size columns = windows(c, height, h) * windows(c, width, w);
  if (!s.ranked()) return c.unranked(0);
  const size_t d = s.size() == 3;  // the dim of channels: 0 without a batch
  c.check((d || s.size() == 2) && !certainly(s[d] == 0) && !certainly(s[d + 1] == 0), Runtime,
          "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but got: ", s);
  c.check(mod(s[d], cells) == 0 && s[d + 1] == columns, Runtime, "columns of size ", s, " do not fold into an image of size ", c.ints(1));
  c.like(0, d ? Sizes{s[0], floordiv(s[1], cells), height, width} : Sizes{floordiv(s[0], cells), height, width});
}

Window conv_window(const RuleCall& c, const ConvolutionArguments& p, SizesRef weight, size_t k) {
  return {at(weight, 2 + k), c.entry(p.stride, k), c.entry(p.padding, k), c.entry(p.dilation, k)};
}

void check_windows(const RuleCall& c, const ConvolutionArguments& p) {
  check_pair(c, p.stride, "stride"), check_pair(c, p.padding, "padding"), check_pair(c, p.dilation, "dilation");
}

// The checks of a convolution's operands, except those of channels. `outputs` is the number of the result's channels.
void check_operands(const RuleCall& c, const ConvolutionArguments& p, Size outputs) {
  SizesRef x = c.sizes(0), w = c.sizes(1);
  check_windows(c, p);
  check_operand_dtypes(c);
  if (w.size() == 4) {
    check_weight_rows(c, w);
    check_bias(c, w, outputs);
  }
  check_image(c, x);
  c.check(!w.ranked() || w.size() == 4, Runtime, "expected a weight of 4 dims, but got size ", w);
}

// Requests the kernel's scratch memory for an eager call. `make` describes the convolution, `bytes` gives the size, which is enough for any strides.
template <class Make, class Bytes>
void ask_scratch(RuleCall& c, const ConvolutionArguments& p, std::optional<DType> type, SizesRef image, SizesRef weight, SizesRef out,
                 Make make, Bytes bytes) {
  if (!c.eager()) return;
  auto four = [](SizesRef s, int64_t(&to)[4]) {
    to[0] = 1;
    for (size_t d = 0; d < s.size(); ++d) to[4 - s.size() + d] = s[d].as_int();
  };
  int64_t x[4], w[4], y[4];
  four(image, x), four(weight, w), four(out, y);
  WindowNumbers numbers{};
  for (size_t k = 0; k < 2; ++k) {
    numbers.stride[k] = c.entry(p.stride, k).as_int(), numbers.padding[k] = c.entry(p.padding, k).as_int();
    numbers.dilation[k] = c.entry(p.dilation, k).as_int();
  }
  numbers.groups = c.size(p.groups).as_int();
  Convolution convolution = make(*type, x, w, y, numbers);
  convolution.workers = c.threads();
  c.scratch(bytes(convolution));
}

void conv2d_rule(RuleCall& c) {
  SizesRef x = c.sizes(0), w = c.sizes(1);
  check_operands(c, kConv, at(w, 0));
  if (!x.ranked() || !w.ranked()) return c.result({}, common_dtype(c));
  const size_t lead = x.size() - 3;
  const Size groups = c.size(kConv.groups), channels = x[lead];
  check_channels(c, x, w, groups, channels);
  Sizes out = x;
  out.set(lead, output_channels(w, channels));
  for (size_t k = 0; k < 2; ++k) out.set(lead + 1 + k, windows(c, x[lead + 1 + k], conv_window(c, kConv, w, k)));
  c.result(out, common_dtype(c));
  keep_channels_last(c, {0, 1}, 4);
  ask_scratch(c, kConv, c.dtype(0), x, w, out, convolution_of, convolution_scratch);
}

// The packed weight of a convolution, if its kernel reads one and the weight is worth keeping packed; else null. The rule has checked the arguments.
std::shared_ptr<const void> prepare_conv2d(const IValue* args) {
  const Tensor &x = args[0].as_tensor(), &w = args[1].as_tensor();
  auto entry = [&](size_t i, size_t k) {
    const Dims& list = args[i].to_ints();
    return list[list.size() == 1 ? 0 : k];
  };
  WindowNumbers numbers{};
  numbers.groups = args[kConv.groups].to_int();
  int64_t image[4] = {1, 0, 0, 0}, out[4] = {};
  std::ranges::copy(x.sizes(), image + 4 - x.dim());
  out[0] = image[0], out[1] = w.sizes()[0];
  for (size_t k = 0; k < 2; ++k) {
    numbers.stride[k] = entry(kConv.stride, k), numbers.padding[k] = entry(kConv.padding, k),
    numbers.dilation[k] = entry(kConv.dilation, k);
    out[2 + k] = (image[2 + k] + 2 * numbers.padding[k] - numbers.dilation[k] * (w.sizes()[2 + k] - 1) - 1) / numbers.stride[k] + 1;
  }
  return ordered_weight(w, convolution_of(w.dtype(), image, w.sizes().begin(), out, numbers));
}

void conv1d_rule(RuleCall& c) { composite_rule(c, 1); }
void conv2d_of_words_rule(RuleCall& c) { composite_rule(c, 2); }

void conv_transpose2d_rule(RuleCall& c) {
  SizesRef x = c.sizes(0), w = c.sizes(1);
  check_pair(c, 5, "output_padding");
  check_transposed_dtype(c);
  const Size groups = c.size(kTransposed.groups), outputs = at(w, 1) * groups;
  check_operands(c, kTransposed, outputs);
  if (!x.ranked() || !w.ranked()) return c.result({}, common_dtype(c));
  const size_t lead = x.size() - 3;
  check_transposed_channels(c, x, w, groups, x[lead]);
  check_transposed_weight(c, w);
  Sizes out = x;
  out.set(lead, outputs);
  for (size_t k = 0; k < 2; ++k)
    out.set(lead + 1 + k, transposed_size(c, x[lead + 1 + k], conv_window(c, kTransposed, w, k), c.entry(5, k)));
  c.result(out, common_dtype(c));
  keep_channels_last(c, {0, 1}, 4);
  ask_scratch(c, kTransposed, c.dtype(0), x, w, out, transposed_of, transposed_scratch);
}

void weight_gradient_rule(RuleCall& c) {
  SizesRef g = c.sizes(0), x = c.sizes(1);
  check_windows(c, kConv), check_pair(c, 2, "kernel_size");
  check_image(c, g), check_image(c, x);
  c.check(!c.dtype(0) || is_floating(*c.dtype(0)), ErrorKind::NotImplemented, "gradients are not implemented for '",
          scalar_type(c.dtype(0)), "'");
  c.check(!c.dtype(0) || !c.dtype(1) || c.dtype(0) == c.dtype(1), Runtime, "Input type (", scalar_type(c.dtype(1)), ") and gradient type (",
          scalar_type(c.dtype(0)), ") should be the same");
  const Size height = c.entry(2, 0), width = c.entry(2, 1), groups = c.size(kConv.groups);
  c.check(groups > 0, Runtime, "expected groups to be greater than zero, but got ", groups);
  if (!g.ranked() || !x.ranked()) return c.like(0, Sizes{Size(), Size(), height, width});
  const size_t lead = x.size() - 3;
  const Sizes weight{g[lead], floordiv(x[lead], groups), height, width};
  for (size_t k = 0; k < 2; ++k) {
    const Size out = windows(c, x[lead + 1 + k], conv_window(c, kConv, weight, k));
    // A transposed convolution whose output padding is as large as its stride has a smaller gradient here.
    c.check(g.size() == x.size() && g[lead + 1 + k] <= out, Runtime, "expected a gradient of the convolution's size, but got ", g,
            " for input of size ", x);
  }
  c.like(0, weight);
  keep_channels_last(c, {0, 1}, 4);
  ask_scratch(c, kConv, c.dtype(0), x, weight, g, convolution_of, weight_gradient_scratch);
}

// The sizes of `x` after pooling. Arguments first, first + 1, first + 2 are kernel_size, stride (empty: kernel_size) and padding.
Sizes pooled(const RuleCall& c, SizesRef x, size_t first, std::optional<size_t> dilation, size_t ceil) {
  check_image(c, x), check_pixels(c, x);
  if (dilation) check_pair(c, *dilation, "dilation");
  check_pair(c, first, "kernel_size"), check_pair(c, first + 1, "stride", true), check_pair(c, first + 2, "padding");
  return x.ranked() ? pooled_axes(c, x, 2, first, dilation, ceil) : Sizes(x);
}

void max_pool_rule(RuleCall& c) {
  const Sizes out = pooled(c, c.sizes(0), 1, 4, 5);
  c.check_dtype(c.dtype(0), [](DType t) { return !is_complex(t) && t != DType::b1; }, "max_pool2d");
  c.like(0, out);
  keep_channels_last(c, {0});
  if (c.op.results() == 2) c.result(out, DType::i64), keep_channels_last(c, {0});
}

// The sizes of `x` after avg_pool2d, whose kernel_size is argument `first`; the others follow it.
Sizes avg_pooled(const RuleCall& c, SizesRef x, size_t first) {
  const Sizes out = pooled(c, x, first, {}, first + 3);
  c.check(c.none(first + 5) || c.size(first + 5) != 0, Runtime, "divisor must be not zero");
  return out;
}

void avg_pool_rule(RuleCall& c) {
  const Sizes out = avg_pooled(c, c.sizes(0), 1);
  c.check_dtype(c.dtype(0), [](DType t) { return is_floating(t) || t == DType::i64; }, "avg_pool2d");
  c.like(0, out);
  keep_channels_last(c, {0});
}

void avg_pool_backward_rule(RuleCall& c) {
  SizesRef g = c.sizes(0), x = c.sizes(1);
  const Sizes out = avg_pooled(c, x, 2);
  bool fits = !g.ranked() || !out.ranked() || g.size() == out.size();
  for (size_t d = 0; fits && g.ranked() && d < out.size(); ++d) fits = !never(g[d] == out[d]);
  c.check(fits, Runtime, "expected a gradient of size ", out, ", but got ", g);
  c.check(!c.dtype(0) || c.dtype(0) == DType::f32 || c.dtype(0) == DType::f64, ErrorKind::NotImplemented,
          "gradients are not implemented for '", scalar_type(c.dtype(0)), "'; compute in float32");
  c.like(0, x);
  keep_channels_last(c, {1});
}

void adaptive_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  check_image(c, x);
  const Sizes wanted = c.ints(1);
  c.check_dtype(c.dtype(0), is_floating, "adaptive_avg_pool2d");
  c.check(!wanted.ranked() || (wanted.size() == 2 && wanted[0] >= 0 && wanted[1] >= 0), Runtime,
          "expected output_size to have 2 values, none of them negative, but got ", wanted);
  if (!x.ranked()) return c.unranked(0);
  const size_t d = x.size() - 2;
  const Size height = c.entry(1, 0), width = c.entry(1, 1);
  c.check((x[d] != 0 && x[d + 1] != 0) || (height == 1 && width == 1), Runtime,
          "Expected input to have non-zero size for non-batch dimensions, but input has sizes ", x);
  Sizes out = x;
  out.set(d, height), out.set(d + 1, width);
  c.like(0, out);
  keep_channels_last(c, {0});
}

void adaptive_backward_rule(RuleCall& c) {
  check_image(c, c.sizes(0)), check_image(c, c.sizes(1));
  SizesRef g = c.sizes(0), x = c.sizes(1);
  c.check(!g.ranked() || !x.ranked() || g.size() == x.size(), Runtime, "expected a gradient with as many dims as the input, but got ", g,
          " and ", x);
  c.like(0, x);
  const bool one = g.ranked() && certainly(g[g.size() - 1] == 1 && g[g.size() - 2] == 1);  // PyTorch spreads one mean contiguously
  if (!one) keep_channels_last(c, {1});
}

void scale_and_shift_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  auto dtype = c.dtype(0);
  c.check_dtype(dtype, is_wide_float);
  c.check(!x.ranked() || x.size() >= 2, Runtime, "expected at least 2 dims, but got size ", x);
  for (size_t k = 1; k < 4; ++k) {
    SizesRef s = c.sizes(k);
    c.check(!x.ranked() || !s.ranked() || (s.size() == 1 && s[0] == x[1]), Runtime,
            "expected one number for each channel of an input of size ", x, ", but got size ", s);
    c.check(!dtype || !c.dtype(k) || *dtype == *c.dtype(k), Runtime, "expected scalar type ", scalar_type(dtype), ", but got ",
            scalar_type(c.dtype(k)));
  }
  c.like(0, x);
  keep_channels_last(c, {0});
}

// Weight, bias and running statistics have one element for each channel, and the input's dtype, or float32 for a 16-bit input.
void batch_norm_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  auto dtype = c.dtype(0);
  c.check_dtype(dtype, is_floating, "batch_norm");
  for (size_t k = 1; k < 5; ++k) {
    if (c.none(k) || !x.ranked() || x.size() < 2) continue;
    const std::string& name = c.op.schema().arguments()[k].name;
    const Size count = c.sizes(k).ranked() ? element_count(c.sizes(k)) : Size();
    c.check(count == x[1], Runtime, name, " should contain ", x[1], " elements (the size of dimension 1 of the input), not ", count);
    auto t = c.dtype(k);
    c.check(!t || !dtype || *t == *dtype || (element_size(*dtype) == 2 && *t == DType::f32), Runtime, "expected ", name,
            " to have scalar type ", scalar_type(dtype), ", but got ", scalar_type(t));
  }
  c.check(!x.ranked() || x.size() >= 2, Runtime, "expected at least 2 dims, but got size ", x);
  const auto training = c.truth(5);
  if (x.ranked() && training == true && !x[1].is(0)) {
    Size values = 1;
    for (size_t d = 0; d < x.size(); ++d)
      if (d != 1) values = values * x[d];
    c.check(values != 1, ErrorKind::Value, "Expected more than 1 value per channel when training, got input size torch.Size(", x, ")");
  }
  c.check(training != false || (!c.none(3) && !c.none(4)), Runtime,
          "Expected running_mean and running_var to be defined when training=False");
  c.like(0, x);
  keep_channels_last(c, {0});
}

// --- Decompositions.

IValue decompose_conv2d(const IValue* a) {
  Tensor x = a[0].to_tensor(), w = a[1].to_tensor();
  if (x.dim() == 3) return "squeeze"_op("conv2d"_op("unsqueeze"_op(x, 0), a[1], a[2], a[3], a[4], a[5], a[6]), 0);
  const Sizes image_sizes = sizes_of(x), sizes = sizes_of(w);
  const int64_t groups = a[6].to_int(), out = w.size(0);
  auto windows = [&](size_t d) {
    return floordiv(image_sizes[2 + d] + 2 * pick(a[4], d) - (sizes[2 + d] - 1) * pick(a[5], d) - 1, pick(a[3], d)) + 1;
  };
  // As in PyTorch, an image without channels gives no channels.
  if (image_sizes[1].is(0)) return "new_zeros"_op(x, Sizes{image_sizes[0], 0, windows(0), windows(1)});
  const Size k = sizes[1] * sizes[2] * sizes[3];
  Tensor columns = "im2col"_op(x, Sizes{sizes[2], sizes[3]}, a[5], a[4], a[3]);
  columns = "reshape"_op(columns, Sizes{image_sizes[0], groups, k, windows(0) * windows(1)});
  Tensor product = "matmul"_op("reshape"_op(w, Sizes{groups, out / groups, k}), columns);
  Tensor image = "reshape"_op(product, Sizes{image_sizes[0], out, windows(0), windows(1)});
  return a[2].is_none() ? image : Tensor("add"_op(image, "reshape"_op(a[2], Dims{out, 1, 1})));
}

IValue decompose_conv1d(const IValue* a) {
  return "squeeze"_op("conv2d"_op(as_image(a[0]), as_image(a[1]), a[2], of_image(1, a[3]), of_image(0, a[4]), of_image(1, a[5]), a[6]), -2);
}

// conv_tbc takes sequences with the dims (time, batch, channels).
void conv_tbc_rule(RuleCall& c) {
  SizesRef x = c.sizes(0), w = c.sizes(1), bias = c.sizes(2);
  c.check(!x.ranked() || x.size() == 3, ErrorKind::Runtime, "Input must have 3 dims: time, batch, in_channel, but got ", x);
  c.check(!w.ranked() || w.size() == 3, ErrorKind::Runtime,
          "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels, but got ", w);
  c.check(!bias.ranked() || bias.size() == 1, ErrorKind::Runtime, "Bias must be 1-D, but got ", bias);
  check_operand_dtypes(c);
  if (!x.ranked() || !w.ranked()) return c.result({}, c.dtype(0));
  c.check(x[2] == w[1], ErrorKind::Runtime, "Input dim 2 (input channels) is not == dim 1 in the weight tensor: ", x[2], " and ", w[1]);
  if (bias.ranked())
    c.check(bias[0] == w[2], ErrorKind::Runtime, "Bias size must equal dim 2 in the weight tensor (output channels): ", bias[0], " and ",
            w[2]);
  c.result(Sizes{windows(c, x[0], {w[0], 1, c.size(3), 1}), x[1], w[2]}, c.dtype(0));
}

IValue decompose_conv_tbc(const IValue* a) {
  const Sizes image = sizes_of(a[0].as_tensor()), window = sizes_of(a[1].as_tensor());
  if (window[1].is(0) || window[2].is(0))  // no product is added to the bias
    return "clone"_op("expand"_op(a[2], Sizes{image[0] + Size(a[3].to_int()) * 2 - window[0] + 1, image[1], window[2]}),
                      MemoryFormat::Contiguous);
  const Tensor x = "permute"_op(a[0], Dims{1, 2, 0}), w = "permute"_op(a[1], Dims{2, 1, 0});
  const Tensor y = "conv1d"_op(x, w, a[2], Dims{1}, Dims{a[3].to_int()});
  return "contiguous"_op("permute"_op(y, Dims{2, 0, 1}));
}

IValue decompose_conv1d_of_words(const IValue* a) {
  return "squeeze"_op("conv2d"_op(as_image(a[0]), as_image(a[1]), a[2], of_image(1, a[3]), a[4], of_image(1, a[5]), a[6]), -2);
}

// conv2d with padding="same" or "valid". For "same" the result has the image's size. If the total padding is odd, PyTorch pads one more at the end. Here both
// ends get the larger padding, and the extra first row or column of the result is dropped.
IValue decompose_conv2d_of_words(const IValue* a) {
  if (a[4].to_string() == "valid") return "conv2d"_op(a[0], a[1], a[2], a[3], Dims{0, 0}, a[5], a[6]);
  Sizes total;
  for (size_t k = 0; k < 2; ++k) total.push_back((size_of(a[1].as_tensor(), static_cast<int64_t>(k) + 2) - 1) * pick(a[5], k));
  const Sizes padding{floordiv(total[0] + 1, 2), floordiv(total[1] + 1, 2)};
  Tensor image = "conv2d"_op(a[0], a[1], a[2], a[3], padding, a[5], a[6]);
  for (size_t k = 0; k < 2; ++k) {
    const int64_t dim = static_cast<int64_t>(k) - 2;
    const Size more = mod(total[k], 2);
    if (!more.is(0)) image = "narrow"_op(image, dim, more, size_of(image, dim) - more);
  }
  return image;
}

IValue decompose_scale_and_shift(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  Sizes shape(x.sizes().size(), 1);
  shape.set(1, size_of(x, 1));
  auto of_channels = [&](const IValue& t) { return "reshape"_op(t, shape); };
  return "add"_op("mul"_op("sub"_op(x, of_channels(a[1])), of_channels(a[2])), of_channels(a[3]));
}

// Whether a batch has no elements, and so no mean: 0 is taken for it, so that the weight's gradient is 0, as in PyTorch. The sizes of such a batch are fixed
// in a capture by guards.
bool without_elements(const Tensor& x) {
  if (x->kind == TensorImpl::Kind::Symbolic) return element_count(sizes_of(x)).is(0);
  if (x.numel() != 0) return false;
  for (int64_t d = 0; d < x.dim(); ++d) fixed_size(x, d);
  return true;
}

// PyTorch's result is contiguous unless the input is channels_last: makes an input with other strides contiguous.
Tensor contiguous_or_channels_last(const Tensor& x) {
  if (x->kind != TensorImpl::Kind::Dense || x.is_contiguous()) return x;
  return "contiguous"_op(x, suggested_format(x));
}

// The mean, or the reciprocal deviation, of each channel: what a batch in training is normalized by.
template <bool kMean>
IValue statistic_of_batch(const IValue* a) {
  const Tensor& x = a[0].as_tensor();
  if (!a[5].to_bool()) return empty({0}, x.dtype());
  return statistic_of_rows("reshape"_op("transpose"_op(x, 0, 1), Dims{x.sizes()[1], -1}), a[7], kMean);
}

IValue decompose_batch_norm(const IValue* a) {
  Tensor x = contiguous_or_channels_last(a[0].to_tensor());
  const DType dtype = x.dtype();
  if (element_size(dtype) == 2) x = "to"_op(x, DType::f32);  // computed in float32, and rounded once
  Sizes shape(x.sizes().size(), 1);
  const Size channels = size_of(x, 1);
  shape.set(1, channels);
  bool training = a[5].to_bool();
  Tensor mean, var;
  if (training) {
    const Sizes sizes = sizes_of(x);
    const Size per_channel = sizes[1].is(0) ? Size(0) : floordiv(element_count(sizes), sizes[1]);
    // The number of elements of a channel; nullopt if it is symbolic.
    const std::optional<int64_t> n = per_channel.is_int() ? std::optional(per_channel.as_int()) : std::nullopt;
    Tensor rows, empty;  // `empty`, for a symbolic number: whether it is 0 in this run
    if (without_elements(x)) {
      mean = var = "sum"_op("reshape"_op("transpose"_op(x, 0, 1), Sizes{channels, 0}), Dims{1}, false);
    } else {  // one row for each channel
      rows = "reshape"_op("transpose"_op(x, 0, 1), Sizes{channels, -1});
      mean = "mean"_op(rows, Dims{1});
      var = "var"_op(rows, Dims{1}, 0);
      if (!n) {
        empty = "eq"_op("scalar_tensor"_op(per_channel, DType::i64), 0);
        mean = "masked_fill"_op(mean, empty, 0), var = "masked_fill"_op(var, empty, 0);
      }
    }
    // running = (1 - momentum) running + factor * batch_value
    auto update = [&](const IValue& running, const Tensor& batch_value, double factor) {
      if (running.is_none() || n == 0) return;
      GradModeScope no_grad(false);
      Tensor updated = "add"_op("mul"_op(running, 1 - a[6].to_double()), "mul"_op("detach"_op(batch_value), factor));
      if (empty.defined()) updated = "where"_op(empty, running, updated);
      "copy_"_op(running, updated);
    };
    update(a[3], mean, a[6].to_double());
    if (n) update(a[4], var, a[6].to_double() * (static_cast<double>(*n) / static_cast<double>(*n - 1)));
    else update(a[4], "var"_op(rows, Dims{1}, 1), a[6].to_double());
  } else {
    mean = a[3].to_tensor(), var = a[4].to_tensor();
  }
  Tensor scale = "rsqrt"_op("add"_op(var, a[7]));
  if (!a[1].is_none()) scale = "mul"_op(scale, a[1]);
  Tensor y;
  if (a[2].is_none()) y = "mul"_op("sub"_op(x, "reshape"_op(mean, shape)), "reshape"_op(scale, shape));
  else y = "monograph::scale_and_shift"_op(x, mean, scale, "to"_op(a[2], x.dtype()));
  return y.dtype() == dtype ? y : Tensor("to"_op(y, dtype));
}

// --- Gradients. A convolution is linear in its image and in its weight. So each gradient is conv2d, conv_transpose2d or conv2d_weight_backward.

// The output_padding that makes the transposed convolution of `out` as large as the image: the rows and columns at the end that no window reaches.
Sizes output_padding(const Sizes& image, const Sizes& out, const Sizes& weight, const IValue& stride, const IValue& padding,
                     const IValue& dilation) {
  Sizes extra;
  for (size_t k = 0; k < 2; ++k) {
    const Size reached =
        (out[out.size() - 2 + k] - 1) * pick(stride, k) - 2 * pick(padding, k) + (weight[2 + k] - 1) * pick(dilation, k) + 1;
    extra.push_back(image[image.size() - 2 + k] - reached);
  }
  return extra;
}

Tensor sum_of_channels(const Tensor& grad) {
  return grad.dim() == 4 ? "sum"_op(grad, Dims{0, 2, 3}, false) : "sum"_op(grad, Dims{1, 2}, false);
}

Sizes window_of(const Sizes& weight) { return {weight[2], weight[3]}; }

// The gradient of a convolution by its weight. It is linear in g and in x, so complex numbers are computed from their real and imaginary parts.
template <class... Rest>
Tensor weight_gradient(const Tensor& g, const Tensor& x, const Rest&... rest) {
  auto real_gradient = [&](const Tensor& a, const Tensor& b) -> Tensor { return "conv2d_weight_backward"_op(a, b, rest...); };
  if (!is_complex(g.dtype())) return real_gradient(g, x);
  const Tensor g_re = "real"_op(g), g_im = "imag"_op(g), x_re = "real"_op(x), x_im = "imag"_op(x);
  const Tensor re = "sub"_op(real_gradient(g_re, x_re), real_gradient(g_im, x_im));
  const Tensor im = "add"_op(real_gradient(g_re, x_im), real_gradient(g_im, x_re));
  return "complex"_op(re, im);
}

// Images without a batch as a batch of one.
Tensor batched(const Tensor& t) { return t.dim() == 3 ? Tensor("unsqueeze"_op(t, 0)) : t; }

// The format that the gradients of images and weights get, as in PyTorch.
MemoryFormat gradient_format(const GradCall& c) { return format_of_any({&c.values()[0], &c.values()[1]}, 4); }
// The incoming gradient, and the argument that goes with it in the gradient of the weights.
std::pair<Tensor, Tensor> for_weights(const GradCall& c, const Tensor& g, const Tensor& other) {
  const MemoryFormat format = gradient_format(c);
  if (format == MemoryFormat::Contiguous || g.dim() == 4) return {g, other};
  return {in_format(batched(g), format), batched(other)};
}

void conv2d_gradient(GradCall& c) {
  const Tensor g = in_format(c.grad(), gradient_format(c));
  const IValue &stride = c.value(3), &padding = c.value(4), &dilation = c.value(5), &groups = c.value(6);
  const bool has_channels = !c.sizes(1)[1].is(0);  // without channels the result is empty, and the gradients are 0
  if (c.needs(0)) {
    const Sizes extra = output_padding(c.sizes(0), sizes_of(g), c.sizes(1), stride, padding, dilation);
    if (!has_channels) c.set(0, "zeros_like"_op(c.arg(0)));
    else c.set(0, "conv_transpose2d"_op(g, c.arg(1), IValue(), stride, padding, extra, groups, dilation));
  }
  if (c.needs(1)) {
    if (!has_channels) c.set(1, "zeros_like"_op(c.arg(1)));
    else {
      const auto [grads, images] = for_weights(c, g, c.arg(0));
      c.set(1, weight_gradient(grads, images, window_of(c.sizes(1)), stride, padding, dilation, groups));
    }
  }
  if (c.needs(2)) c.set(2, has_channels ? sum_of_channels(g) : Tensor("zeros_like"_op(c.arg(2))));
}

// Cuts height and width to `sizes`. An output padding as large as the stride gives windows that belong to no pixel.
Tensor cut(const Tensor& t, const Sizes& sizes) {
  Tensor out = t;
  for (size_t d = sizes.size() - 2; d < sizes.size(); ++d)
    if (!certainly(size_of(out, static_cast<int64_t>(d)) == sizes[d])) out = "narrow"_op(out, static_cast<int64_t>(d), 0, sizes[d]);
  const IValue whole = t;
  return out.is_same(t) ? t : Tensor("contiguous"_op(out, format_of_any({&whole})));
}

void conv_transpose2d_gradient(GradCall& c) {
  const Tensor g = in_format(c.grad(), gradient_format(c));
  const IValue &stride = c.value(3), &padding = c.value(4), &groups = c.value(6), &dilation = c.value(7);
  if (c.needs(0)) c.set(0, cut("conv2d"_op(g, c.arg(1), IValue(), stride, padding, dilation, groups), c.sizes(0)));
  if (c.needs(1)) {
    const auto [grads, images] = for_weights(c, g, c.arg(0));
    c.set(1, weight_gradient(images, grads, window_of(c.sizes(1)), stride, padding, dilation, groups));
  }
  if (c.needs(2)) c.set(2, sum_of_channels(g));
}

void weight_gradient_gradient(GradCall& c) {
  const Tensor g = c.grad();
  const IValue &stride = c.value(3), &padding = c.value(4), &dilation = c.value(5), &groups = c.value(6);
  if (c.needs(0)) c.set(0, cut("conv2d"_op(c.arg(1), g, IValue(), stride, padding, dilation, groups), c.sizes(0)));
  if (c.needs(1)) {
    const Sizes extra = output_padding(c.sizes(1), c.sizes(0), sizes_of(g), stride, padding, dilation);
    c.set(1, "conv_transpose2d"_op(c.arg(0), g, IValue(), stride, padding, extra, groups, dilation));
  }
}

}  // namespace

void convolution(Registry& r) {
  r.op("im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor")
      .rule(im2col_rule)
      .kernel(unfold_kernel)
      .namespaced("_nn")
      .gradient([](GradCall& c) {
        const Sizes s = c.sizes(0);
        const size_t d = s.size() - 2;
        c.set(0, "col2im"_op(c.grad(), Sizes{s[d], s[d + 1]}, c.value(1), c.value(2), c.value(3), c.value(4)));
      })
      .onnx(none("export the convolution that it is part of"))
      .doc("Each window of the images as a column.")
      .samples(
          "[[t(f32, 2, 4, 5, 6), [3, 2], [1, 1], [1, 0], [2, 1]], [t(f32, 2, 4, 5, 6), [2, 2], [2, 1], [0, 0], [1, 1]], "
          "[t(f32, 4, 5, 6), [2, 2], [2, 1], [0, 0], [1, 1]], [t(i64, 4, 5, 6), [2, 2], [2, 1], [0, 0], [1, 1]]]");
  r.op("col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor")
      .rule(col2im_rule)
      .kernel(fold_kernel)
      .namespaced("_nn")
      .gradient([](GradCall& c) { c.set(0, "im2col"_op(c.grad(), c.value(2), c.value(3), c.value(4), c.value(5))); })
      .onnx(none("im2col, its inverse, has no operator"))
      .doc("Columns added into the images whose windows they are.")
      .samples(
          "[[t(f32, 2, 12, 15), [5, 7], [2, 3], [2, 1], [0, 0], [1, 1]], [t(f32, 12, 15), [5, 7], [2, 3], [2, 1], [0, 0], [1, 1]], "
          "[t(u8, 12, 15), [5, 7], [2, 3], [2, 1], [0, 0], [1, 1]]]");
  r.op("conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] dilation=1, SymInt "
       "groups=1) -> Tensor")
      .rule(conv2d_rule)
      .kernel(convolution_kernel)
      .prepare(prepare_conv2d)
      .decompose(decompose_conv2d, Reads::Symbols)
      .contracts(1, Contraction::Terms::AllButFirst)
      .gradient(conv2d_gradient)
      .onnx("Conv(input, weight, bias, strides=stride, pads=twice(padding), dilations=dilation, group=groups) if rank(input) = 4")
      .autocast(Autocast::LowerPrecision)
      .doc(
          "Each output channel: the sum over the input channels and the window of weight times input.\n\nweight: The windows, of shape "
          "(output channels, input channels / groups, sizes of the window).\n\n>>> x = torch.arange(9.0).reshape(1, 1, 3, 3)\n>>> "
          "torch.conv2d(x, torch.ones(1, 1, 2, 2))")
      .samples(R"([[t(f32, 2, 4, 5, 6), t(f32, 6, 4, 3, 3), b, st, p, d, 1] for b in (None, t(f32, 6))
                  for st, p, d in (([1, 1], [0, 0], [1, 1]), ([2, 1], [1, 2], [1, 1]), ([1, 1], [2, 2], [2, 2]))]
               + [[t(f32, 2, 4, 5, 6), t(f32, 6, 2, 3, 3), t(f32, 6), [1, 1], [1, 1], [1, 1], 2],
                [t(f32, 2, 4, 5, 6), t(f32, 4, 1, 3, 3), None, [1, 1], [1, 1], [1, 1], 4],
                [t(f32, 2, 4, 5, 6)[0], t(f32, 6, 4, 3, 3), None, [1, 1], [0, 0], [1, 1], 1],
                [t(f32, 2, 4, 5, 6).double(), t(f32, 6, 4, 3, 3).double(), None, [1, 1], [0, 0], [1, 1], 1],
                [t(f32, 2, 4, 5, 6), t(f32, 6, 3, 3, 3), None, [1, 1], [0, 0], [1, 1], 1]]
               + [[t(f32, 1, 2, 5, 5), t(f32, 4, 2, 3, 3), v, [1, 1], [0, 0], [1, 1], 1]
                  for v in (t(f32, 4), t(f32, 1), t(f32, 3), t(f32, 1, 4), t(f32, 4, 1, 1), t(f32), t(f64, 4))]
               + [[t(f32, 1, 2, 5, 5), t(f32, 4, 2, 3, 3), None, *n, 1]
                  for n in (([1, 1] * 2, [1, 1], [1, 1]), ([], [1, 1], [1, 1]), ([1, 1], [1, 1, 1], [1, 1]), ([1, 1], [1, 1], [1, 1, 1]))]
               + [[t(f32, 1, 2, 5, 5), v, None, [1, 1], [1, 1], [1, 1], 1] for v in (t(f32, 4, 2, 3, 3).double(), t(f32, 0, 2, 3, 3))]
               + [[t(f32, 1, 0, 5, 5), t(f32, 4, 0, 3, 3), v, [1, 1], [0, 0], [1, 1], 1] for v in (None, t(f32, 4))]
               + [[t(f32, 0, 2, 5, 5), t(f32, 4, 2, 3, 3), t(f32, 4), [1, 1], [0, 0], [1, 1], 1]])");
  r.op("conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, str padding=\"valid\", SymInt[2] dilation=1, "
       "SymInt groups=1) -> Tensor")
      .rule(conv2d_of_words_rule)
      .decompose(decompose_conv2d_of_words, Reads::Symbols)
      .contracts(1, Contraction::Terms::AllButFirst)
      .onnx(none("decomposes to conv2d with numbers for its padding"))
      .autocast(Autocast::LowerPrecision)
      .doc(
          "conv2d without padding (\"valid\"), or with as many outputs as inputs (\"same\").\n\nweight: The windows, of shape (output "
          "channels, input channels / groups, sizes of the window).")
      .samples(R"([[t(f32, 2, 4, 5, 6), t(f32, 6, 4, *k), b, [1, 1], word, d] for k in ((3, 3), (2, 3), (4, 1)) for b in (None, t(f32, 6))
                   for word in ("same", "valid") for d in ([1, 1], [2, 1])]
                + [[t(f32, 4, 5, 6), t(f32, 6, 2, 3, 2), None, [1, 1], "same", [1, 1], 2], [t(f32, 2, 3, 5, 6), t(f32, 6, 4, 3, 3), None, [1, 1], "same"]]
                + [[t(f32, 2, 4, 5, 6), t(f32, 6, 4, 3, 3), None, [2, 1], word] for word in ("valid", "same", "full")]
                + [[t(f32, 2, 2, 5, 5), t(f32, 2, 2, 7, 7), None, [1, 1], word] for word in ("valid", "same")])");
  r.op("conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] dilation=1, SymInt "
       "groups=1) -> Tensor")
      .rule(conv1d_rule)
      .decompose(decompose_conv1d, Reads::Nothing)
      .contracts(1, Contraction::Terms::AllButFirst)
      .onnx(none("decomposes to conv2d"))
      .autocast(Autocast::LowerPrecision)
      .doc(
          "conv2d over images of one row, without that row.\n\nweight: The windows, of shape (output channels, input channels / groups, "
          "sizes of the window).\n\n>>> x = torch.tensor([[[1.0, 2.0, 3.0, 4.0]]])\n>>> torch.conv1d(x, torch.tensor([[[1.0, -1.0]]]))")
      .samples(
          R"([[t(f32, 2, 4, 9), t(f32, 6, 4, 3), b, st, p, d] for b in (None, t(f32, 6)) for st, p, d in (([1], [0], [1]), ([2], [1], [1]), ([1], [2], [2]))]
                + [[t(f32, 4, 9), t(f32, 6, 2, 3), None, [1], [0], [1], 2], [t(f64, 2, 4, 9), t(f64, 6, 4, 3)]]
                + [[t(f32, 2, 4, 9), v] for v in (t(f32, 6, 3, 3), t(f32, 6, 4, 10), t(f64, 6, 4, 3), t(f32, 6, 4, 3, 3), t(f32, 4))]
                + [[v, t(f32, 6, 4, 3)] for v in (t(f32, 2, 4, 5, 6), t(f32, 9), t(f32, 0, 4, 9))]
                + [[t(f32, 2, 4, 9), t(f32, 6, 4, 3), None, [1, 2]], [t(f32, 2, 4, 9), t(f32, 6, 4, 3), t(f32, 5)]])");
  r.op("conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, str padding=\"valid\", SymInt[1] dilation=1, "
       "SymInt groups=1) -> Tensor")
      .rule(conv1d_rule)
      .decompose(decompose_conv1d_of_words, Reads::Nothing)
      .contracts(1, Contraction::Terms::AllButFirst)
      .onnx(none("decomposes to conv2d"))
      .autocast(Autocast::LowerPrecision)
      .doc(
          "conv1d without padding (\"valid\"), or with as many outputs as inputs (\"same\").\n\nweight: The windows, of shape (output "
          "channels, input channels / groups, sizes of the window).")
      .samples(
          R"([[t(f32, 2, 4, 9), t(f32, 6, 4, k), None, [1], word, d] for k in (3, 2, 1) for word in ("same", "valid") for d in ([1], [2])]
                + [[t(f32, 2, 4, 9), t(f32, 6, 4, 3), t(f32, 6), [2], word] for word in ("same", "valid", "full")])");
  r.op("conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor")
      .rule(conv_tbc_rule)
      .decompose(decompose_conv_tbc, Reads::Nothing)
      .function_only()
      .out()
      .onnx(none("decomposes to conv1d"))
      .autocast(Autocast::LowerPrecision)
      .doc(
          "conv1d of sequences whose dims are steps, batch and channels.\n\nweight: The windows, of shape (size of the window, input "
          "channels, output channels).\nbias: What is added to each output channel.\npad: How many zeros are added at each end.\n\n>>> x "
          "= torch.arange(4.0).reshape(4, 1, 1)\n>>> torch.conv_tbc(x, torch.ones(2, 1, 1), torch.zeros(1)).flatten()")
      .samples(
          R"([[t(d, 5, 2, 3), t(d, 2, 3, 4), t(d, 4), p] for d in (f32, f64) for p in (0, 1, 2)]
                + [[t(f32, 5, 0, 3), t(f32, 2, 3, 4), t(f32, 4)]]
                + [[v, t(f32, 2, 3, 4), t(f32, 4)] for v in (t(f32, 2, 3), t(f32, 5, 2, 4), t(f64, 5, 2, 3))]
                + [[t(f32, 5, 2, 3), t(f32, 3, 4), t(f32, 4)], [t(f32, 5, 2, 3), t(f32, 2, 3, 4), t(f32, 3)], [t(f32, 5, 2, 3), t(f32, 2, 3, 4), t(f32)]])");
  r.op("conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] "
       "output_padding=0, SymInt groups=1, SymInt[2] dilation=1) -> Tensor")
      .rule(conv_transpose2d_rule)
      .kernel(transposed_convolution_kernel)
      .contracts(1, Contraction::Terms::AllButFirst)
      .gradient(conv_transpose2d_gradient)
      .onnx("ConvTranspose(input, weight, bias, strides=stride, pads=twice(padding), output_padding=output_padding) if rank(input) = 4")
      .autocast(Autocast::LowerPrecision)
      .doc(
          "The transpose of a convolution: each pixel adds its window of the weight into the result.\n\nweight: The windows, of shape "
          "(input channels, output channels / groups, sizes of the window).\n\n>>> x = torch.tensor([[[[1.0, 2.0]]]])\n>>> "
          "torch.conv_transpose2d(x, torch.ones(1, 1, 1, 2))")
      .samples(R"([[t(f32, 2, 4, 5, 6), t(f32, 4, 6, 3, 2), b, st, p, o, 1, d] for b in (None, t(f32, 6))
                  for st, p, o, d in (([1, 1], [0, 0], [0, 0], [1, 1]), ([2, 3], [1, 0], [1, 2], [1, 1]), ([2, 1], [2, 1], [0, 1], [1, 3]))]
               + [[t(f32, 2, 4, 5, 6), t(f32, 4, 3, 3, 3), t(f32, 6), [2, 2], [1, 1], [1, 1], 2, [1, 1]],
                [t(f32, 2, 4, 5, 6)[0], t(f32, 4, 2, 2, 2), None, [2, 2], [0, 0], [0, 0], 1, [1, 1]],
                [t(f32, 2, 4, 5, 6), t(f32, 5, 2, 2, 2), None, [1, 1], [0, 0], [0, 0], 1, [1, 1]],
                [t(f32, 2, 4, 5, 6), t(f32, 4, 2, 2, 2), None, [2, 2], [0, 0], [2, 2], 1, [1, 1]],
                [t(f32, 2, 4, 5, 6), t(f32, 4, 2, 2, 2), t(f32, 3), [2, 2], [0, 0], [0, 0], 1, [1, 1]],
                [t(i64, 1, 2, 3, 3), t(i64, 2, 1, 2, 2)], [t(u8, 1, 2, 3, 3), t(u8, 2, 1, 2, 2)]])");
  r.op("conv2d_weight_backward(Tensor grad_output, Tensor input, SymInt[2] kernel_size, SymInt[2] stride, SymInt[2] padding, SymInt[2] "
       "dilation, SymInt groups) -> Tensor")
      .rule(weight_gradient_rule)
      .kernel(weight_gradient_kernel)
      .namespaced("_nn")
      .gradient(weight_gradient_gradient)
      .onnx(none("training only"))
      .doc("The gradient of conv2d by its weight.")
      .samples(none("a part of conv2d's gradient: gradients_test has its results"));
  no_torchscript("aten::conv2d_weight_backward", "PyTorch has no operator of this name");
  r.op("max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool "
       "ceil_mode=False) -> (Tensor, Tensor)")
      .rule(max_pool_rule)
      .kernel(max_pool_kernel)
      .namespaced("_nn")
      .gradient([](GradCall& c) {
        Sizes flat = c.sizes(0);
        const Size width = flat.back();
        flat.erase(flat.size() - 1);
        flat.set(flat.size() - 1, flat.back() * width);
        Tensor g = "gather_backward"_op("flatten"_op(c.grad(), -2), flat, -1, "flatten"_op(c.result(1), -2));
        c.set(0, in_format("reshape"_op(g, c.sizes(0)), format_of_any({&c.values()[0]})));
      })
      .piecewise_linear()
      .onnx(
          "out: MaxPool(self, kernel_shape=kernel_size, strides=kernel_size, pads=twice(padding), dilations=dilation, ceil_mode=ceil_mode) "
          "| MaxPool(self, kernel_shape=kernel_size, strides=stride, pads=twice(padding), dilations=dilation, ceil_mode=ceil_mode)")
      .doc("The largest element of each window, and its place in the plane.")
      .samples("[[t(f32, 2, 4, 5, 6), [3, 2], [2, 2], [1, 1], [1, 1], False], [t(f32, 2, 4, 5, 6)[0], [2, 2], [], [0, 0], [2, 1], True]]");
  r.op("max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor")
      .rule(max_pool_rule)
      .kernel(max_pool_kernel)
      .decompose([](const IValue* a) -> IValue { return "max_pool2d_with_indices"_op(a[0], a[1], a[2], a[3], a[4], a[5]).items()[0]; },
                 Reads::Nothing)
      .one_step()
      .keeps("result1",
             [](const IValue* a) -> IValue { return "max_pool2d_with_indices"_op(a[0], a[1], a[2], a[3], a[4], a[5]).items()[1]; })
      .onnx(
          "MaxPool(self, kernel_shape=kernel_size, strides=kernel_size, pads=twice(padding), dilations=dilation, ceil_mode=ceil_mode) | "
          "MaxPool(self, kernel_shape=kernel_size, strides=stride, pads=twice(padding), dilations=dilation, ceil_mode=ceil_mode)")
      .doc("The largest element of each window.")
      .samples(R"([[t(f32, 2, 4, 5, 6), k, st, p, [1, 1], c]
                  for k, st, p, c in (([2, 2], [], [0, 0], False), ([3, 3], [2, 2], [1, 1], False), ([2, 3], [2, 2], [0, 1], True))]
               + [[v, [2, 2], [], [1, 1], [1, 1], False]
                  for v in [t(f32, *n) for n in ((1, 2, 0, 6), (1, 0, 6, 6), (0, 2, 6, 6), (0, 6, 6))]]
               + [[t(f32, 1, 2, 6, 6), *n, False] for n in (([2, 2, 2], [], [0, 0], [1, 1]), ([2, 2], [1, 1, 1], [0, 0], [1, 1]),
                  ([2, 2], [], [1, 1] * 2, [1, 1]), ([2, 2], [], [0, 0], [1, 1, 1]))])");
  r.op("avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, "
       "int? divisor_override=None) -> Tensor")
      .out()
      .rule(avg_pool_rule)
      .kernel(avg_pool_kernel)
      .namespaced("_nn")
      .gradient([](GradCall& c) {
        c.set(0, "avg_pool2d_backward"_op(c.grad(), c.value(0), c.value(1), c.value(2), c.value(3), c.value(4), c.value(5), c.value(6)));
      })
      .onnx(
          "AveragePool(self, kernel_shape=kernel_size, strides=kernel_size, pads=twice(padding), ceil_mode=ceil_mode, "
          "count_include_pad=count_include_pad) if floats(self) | AveragePool(self, kernel_shape=kernel_size, strides=stride, "
          "pads=twice(padding), ceil_mode=ceil_mode, count_include_pad=count_include_pad) if floats(self)")
      .doc("The mean of each window.")
      .samples(R"([[t(f32, 2, 4, 5, 6), k, st, p, c, inc]
                  for k, st, p, c, inc in (([2, 2], [], [0, 0], False, True), ([3, 3], [2, 2], [1, 1], False, False),
                  ([2, 3], [2, 2], [1, 1], True, True))]
               + [[v, [2, 2], [], [1, 1], False, True] for v in [t(f32, *n) for n in ((1, 2, 0, 6), (1, 0, 6, 6), (0, 2, 6, 6), (0, 6, 6))]]
               + [[t(i64, 1, 2, 4, 5), [3, 2], [1, 2], [1, 1], c, inc, d] for c in (True, False) for inc in (True, False) for d in (None, 3)]
               + [[t(u8, 1, 2, 4, 5), [2, 2]]]
               + [[t(f32, 1, 2, 6, 6), *n, False, True] for n in (([2, 2, 2], [], [0, 0]), ([2, 2], [1, 1, 1], [0, 0]),
                  ([2, 2], [], [1, 1, 1]))])");
  r.op("avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, bool ceil_mode, bool "
       "count_include_pad, int? divisor_override) -> Tensor")
      .rule(avg_pool_backward_rule)
      .kernel(avg_pool_backward_kernel)
      .namespaced("_nn")
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "avg_pool2d"_op(c.grad(), c.value(2), c.value(3), c.value(4), c.value(5), c.value(6), c.value(7)));
        if (c.needs(1)) c.set(1, "zeros_like"_op(c.arg(1)));
      })
      .onnx(none("training only"))
      .doc("The gradient of avg_pool2d.")
      .samples(none("avg_pool2d's gradient: gradients_test has its results"));
  r.op("adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor")
      .out()
      .kernel(adaptive_pool_kernel)
      .gradient([](GradCall& c) { c.set(0, "adaptive_avg_pool2d_backward"_op(c.grad(), c.value(0))); })
      .rule(adaptive_rule)
      .namespaced("_nn")
      .onnx("out: GlobalAveragePool(self) if output_size = 1")
      .doc("The means of windows that divide each plane into `output_size` parts.")
      .samples(R"([[t(f32, 2, 4, 5, 6), n] for n in ([1, 1], [2, 3], [5, 6])] + [[t(f32, 1, 2, 4, 6), [2]], [t(f32, 1, 2, 0, 6), [2, 2]],
                [t(f32, 0, 2, 4, 6), [2, 2]], [torch.ones(1, 2, 3, 3), [-1, 2]]])");
  r.op("adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor")
      .rule(adaptive_backward_rule)
      .kernel(adaptive_pool_backward_kernel)
      .namespaced("_nn")
      .gradient([](GradCall& c) {
        const Sizes g = c.sizes(0);
        if (c.needs(0)) c.set(0, "adaptive_avg_pool2d"_op(c.grad(), Sizes{g[g.size() - 2], g[g.size() - 1]}));
        if (c.needs(1)) c.set(1, "zeros_like"_op(c.arg(1)));
      })
      .onnx(none("training only"))
      .doc("The gradient of adaptive_avg_pool2d.")
      .samples(none("adaptive_avg_pool2d's gradient: gradients_test has its results"));
  no_torchscript("aten::adaptive_avg_pool2d_backward", "PyTorch has no operator of this name");
  r.op("monograph::scale_and_shift(Tensor input, Tensor mean, Tensor scale, Tensor shift) -> Tensor")
      .rule(scale_and_shift_rule)
      .kernel(scale_and_shift_kernel)
      .decompose(decompose_scale_and_shift, Reads::Symbols)
      .namespaced("_nn")
      .onnx(none("export the batch normalization that it is part of"))
      .doc("(input - mean) * scale + shift, with a number a channel: what batch normalization does to each element.")
      .samples(none("PyTorch has no such operator; batch_norm is made of it"));
  ir::Effects updates;
  updates.reads = updates.writes = ir::Effects::Memory;  // the running statistics, which the schema does not mark
  r.op("batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, "
       "float eps, bool cudnn_enabled) -> Tensor")
      .rule(batch_norm_rule)
      .decompose(decompose_batch_norm, Reads::Symbols)
      .one_step()
      .keeps("result1", [](const IValue* a) -> IValue { return statistic_of_batch<true>(a); })
      .keeps("result2", [](const IValue* a) -> IValue { return statistic_of_batch<false>(a); })
      .effects(updates)
      .onnx(
          "BatchNormalization(input, weight, bias, running_mean, running_var, epsilon=eps) if given(weight), given(bias), training = "
          "False, momentum ~ 0.1, cudnn_enabled ~ True")
      .doc(
          "Each channel centred and scaled, by its own statistics in training, which then move the running ones, else by those.\n\nweight: "
          "The factor of each channel. None: 1.\nbias: What is added to each channel. None: 0.\n\n>>> x = torch.tensor([[1.0, 2.0], [3.0, "
          "6.0]])\n>>> torch.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, False)")
      .samples(R"([[t(f32, 2, 4, 5, 6), t(f32, 4), t(f32, 4), t(f32, 4), t(f32, 4, low=0.5), tr, 0.1, 1e-05, True] for tr in (False, True)]
               + [[t(f32, 2, 4, 5, 6), None, None, None, None, True, 0.1, 1e-05, False]]
               + [[v.to(f16), *(t(f32, 3, low=0.1) for _ in range(4)), tr, 0.1, 1e-05, True] for v in (t(f32, 4, 3, 2),)
                  for tr in (False, True)]
               + [[t(f32, 4, 3, 2), *p, False, 0.1, 1e-05, True]
                  for p in ((None, None, t(f64, 3), t(f64, 3)), (t(f64, 3), None, t(f32, 3), t(f32, 3, low=0.1)),
                  (t(f32, 1), None, t(f32, 3), t(f32, 3, low=0.1)), (None, t(f32, 4), t(f32, 3), t(f32, 3, low=0.1)),
                  (None, None, t(f16, 3), t(f16, 3)))]
               + [[t(i64, 4, 3, 2), None, None, t(f32, 3), t(f32, 3), False, 0.1, 1e-05, True],
                [t(f32, 0, 3, 2), None, None, t(f32, 3), t(f32, 3, low=0.1), True, 0.1, 1e-05, True]])")
      .special(Special::ReadsBackOtherwise, "without what only training and other devices read");
}

}  // namespace monograph
