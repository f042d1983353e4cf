// Parts of shape rules that convolutions and pools over one, two and three dims share: how windows lie along an axis, and how many there are.
#pragma once

#include "core/dtype.h"
#include "ops/dispatch.h"
#include "ops/layouts.h"
#include "ops/rule.h"

namespace monograph {

// Checks a list argument that has one number for all axes, or one for each axis, or none if `or_none`.
inline void check_axes(const RuleCall& c, size_t axes, size_t i, const char* what, bool or_none = false) {
  const auto length = c.length(i);
  if (!length || *length == 1 || *length == axes || (or_none && *length == 0)) return;
  c.fail(ErrorKind::Runtime, "expected ", what, " to be a single integer value or a list of ", axes, " values, but got ", what, "=",
         c.ints(i));
}

// How windows lie along one axis.
struct Window {
  Size kernel, stride, padding, dilation;
};

inline void check_window(const RuleCall& c, const Window& w) {
  c.check(w.kernel > 0 && w.stride > 0 && w.dilation > 0 && w.padding >= 0, ErrorKind::Runtime,
          "kernel size, stride and dilation must be greater than zero and padding not negative, but got a kernel size of ", w.kernel,
          ", stride ", w.stride, ", dilation ", w.dilation, " and padding ", w.padding);
  constexpr int64_t kMost = int64_t{1} << 31;  // so that products with sizes fit into 64 bits
  c.check(w.kernel < kMost && w.stride < kMost && w.dilation < kMost && w.padding < kMost, ErrorKind::Runtime,
          "kernel size, stride, dilation and padding must be less than 2^31, but got a kernel size of ", w.kernel, ", stride ", w.stride,
          ", dilation ", w.dilation, " and padding ", w.padding);
}

// How many windows an axis has. With `ceil`, the last window may reach beyond the padding.
inline Size windows(const RuleCall& c, Size size, const Window& w, std::optional<bool> ceil = false) {
  check_window(c, w);
  const Size room = size + w.padding * 2 - w.dilation * (w.kernel - 1) - 1;
  Size out;
  if (ceil) {
    out = floordiv(*ceil ? room + w.stride - 1 : room, w.stride) + 1;
    if (*ceil) {  // the last window must start inside the image or its left padding
      const Truth beyond = (out - 1) * w.stride >= size + w.padding;
      if (certainly(beyond)) out = out - 1;
      else if (!never(beyond)) out = Size();
    }
  }
  // With `ceil` a window may be larger than the padded image.
  c.check((ceil != false || room >= 0) && (!out.known() || out > 0), ErrorKind::Runtime,
          "Calculated padded input size per channel: ", size + w.padding * 2, ". Kernel size: ", w.dilation * (w.kernel - 1) + 1,
          ". Kernel size can't be greater than actual input size");
  return out;
}

inline Size at(SizesRef s, size_t d) { return s.ranked() ? s[d] : Size(); }

// The positions of a convolution's arguments.
struct ConvolutionArguments {
  size_t stride, padding, dilation, groups;
};
inline constexpr ConvolutionArguments kConv{3, 4, 5, 6}, kTransposed{3, 4, 7, 6};

// How many windows an axis has with padding="same" (as many as its size) or "valid" (without padding).
inline Size padded_windows(const RuleCall& c, Size size, Window w) {
  const auto word = c.text(kConv.padding);
  if (!word) return {};
  c.check(*word == "valid" || *word == "same", ErrorKind::Runtime, "padding must be numbers, 'valid' or 'same', but got '", *word, "'");
  if (*word == "valid") return windows(c, size, w);
  c.check(w.stride == 1, ErrorKind::Runtime,
          "padding='same' is not supported for strided convolutions, but got stride=", c.ints(kConv.stride));
  c.check(w.kernel > 0 && w.dilation > 0, ErrorKind::Runtime, "kernel size and dilation must be greater than zero");
  const Size spread = w.dilation * (w.kernel - 1);  // the padding, one less than the window reaches
  c.check(size != 0, ErrorKind::Runtime, "Calculated padded input size per channel: ", spread, ". Kernel size: ", spread + 1,
          ". Kernel size can't be greater than actual input size");
  return size;
}

// The dtype of the result. Input and weight have the same dtype, so the one that is known is enough.
inline std::optional<DType> common_dtype(const RuleCall& c) { return c.dtype(0) ? c.dtype(0) : c.dtype(1); }

// The checks of the dtypes of input, weight and bias.
inline void check_operand_dtypes(const RuleCall& c) {
  const auto type = c.dtype(0);
  for (const size_t i : {size_t{1}, size_t{2}}) {
    if (c.none(i)) continue;
    const auto other = c.dtype(i);
    c.check(!type || !other || *type == *other, ErrorKind::Runtime, "Input type (", scalar_type(type), ") and ",
            c.op.schema().arguments()[i].name, " type (", scalar_type(other), ") should be the same; convert one of them, for example ",
            i == 1 ? "input.to(weight.dtype)" : "bias.to(input.dtype)");
  }
  c.check_dtype(type, [](DType t) { return t != DType::b1; }, c.op.base_name());
}
inline void check_weight_rows(const RuleCall& c, SizesRef w) {
  c.check(w[0] > 0, ErrorKind::Runtime, "expected weight to be at least 1 at dimension 0, but got weight of size ", w);
}

// The channels of a convolution's result. As in PyTorch, an image without channels gives no channels.
inline Size output_channels(SizesRef w, Size channels) {
  const Truth empty = channels == 0 && w[1] == 0;  // the two have been compared
  return certainly(empty) ? Size(0) : never(empty) ? w[0] : Size();
}

// The checks of channels and bias. `channels` are the channels of the input, `outputs` those of the result.
inline void check_channels(const RuleCall& c, SizesRef x, SizesRef w, Size groups, Size channels) {
  c.check(groups > 0 && mod(w[0], groups) == 0 && w[1] * groups == channels, ErrorKind::Runtime, "Given groups=", groups,
          ", weight of size ", w, ", expected input", x, " to have ", w[1] * groups, " channels, but got ", channels, " channels instead");
}
inline void check_transposed_channels(const RuleCall& c, SizesRef x, SizesRef w, Size groups, Size channels) {
  c.check(groups > 0 && mod(w[0], groups) == 0 && w[0] == channels, ErrorKind::Runtime, "Given transposed=1, weight of size ", w,
          ", expected input", x, " to have ", w[0], " channels, but got ", channels, " channels instead");
}
inline void check_transposed_weight(const RuleCall& c, SizesRef w) {
  c.check(element_count(w) != 0, ErrorKind::Runtime, "non-empty weight expected, but got one of size ", w);
}
inline void check_transposed_dtype(const RuleCall& c) {
  c.check_dtype(c.dtype(0), [](DType t) { return !is_integral(t) || t == DType::i64; }, {}, DType::i64);
}
inline void check_bias(const RuleCall& c, SizesRef w, Size outputs) {
  if (c.none(2)) return;
  const SizesRef b = c.sizes(2);
  c.check(!b.ranked() || (b.size() == 1 && b[0] == outputs), ErrorKind::Runtime, "Given weight of size ", w,
          ", expected bias to be 1-dimensional with ", outputs, " elements, but got bias of size ", b, " instead");
}

// The size of a transposed convolution's result along an axis of size `size`; `extra` is the output padding.
inline Size transposed_size(const RuleCall& c, Size size, const Window& w, Size extra) {
  check_window(c, w);
  c.check(extra >= 0 && (extra < w.stride || extra < w.dilation), ErrorKind::Runtime,
          "output padding must be smaller than either stride or dilation, but got output_padding: ", extra, ", stride: ", w.stride,
          ", dilation: ", w.dilation);
  const Size grown = (size - 1) * w.stride - w.padding * 2 + w.dilation * (w.kernel - 1) + extra + 1;
  c.check(size > 0 && grown > 0, ErrorKind::Runtime, "Given input size per channel: ", size,
          ". Calculated output size per channel: ", grown, ". Output size is too small");
  return grown;
}

// The sizes of x after pooling its last `axes` axes. The arguments from `first` on are kernel_size, stride (empty: the kernel size) and padding. As in PyTorch,
// a pool over one axis compares the padding with the dilated window, the others with the kernel size.
inline Sizes pooled_axes(const RuleCall& c, SizesRef x, size_t axes, size_t first, std::optional<size_t> dilation, size_t ceil) {
  Sizes out = x;
  const auto strides = c.length(first + 1);
  for (size_t k = 0; k < axes; ++k) {
    const size_t d = x.size() - axes + k;
    const Size kernel = c.entry(first, k), padding = c.entry(first + 2, k), spread = dilation ? c.entry(*dilation, k) : Size(1);
    c.check(padding * 2 <= (axes == 1 ? (kernel - 1) * spread + 1 : kernel), ErrorKind::Runtime,
            "pad should be at most half of effective kernel size, but got pad=", padding, ", kernel_size=", kernel);
    const Size step = !strides ? Size() : *strides == 0 ? kernel : c.entry(first + 1, k);
    out.set(d, windows(c, x[d], {kernel, step, padding, spread}, c.truth(ceil)));
  }
  return out;
}

// Whether PyTorch's convolution of volumes keeps channels_last_3d: that of float64 and that of one small volume have contiguous results.
inline bool keeps_volumes(const RuleCall& c, SizesRef x, SizesRef w, Size groups) {
  constexpr int64_t kLarge = 20480;
  if (!c.eager() || x.size() != 5 || !c.dtype(0) || !is_floating(*c.dtype(0)) || *c.dtype(0) == DType::f64) return false;
  return certainly(groups > 1) || (certainly(w[3] > 3) && certainly(w[4] > 3)) || certainly(x[0] > 1) ||
         certainly(x[0] * x[1] * x[2] * x[3] > kLarge);
}

// The rule of a convolution over `axes` axes that decomposes into conv2d. `p`: where its arguments stand.
inline void composite_rule(RuleCall& c, size_t axes, const ConvolutionArguments& p = kConv) {
  SizesRef x = c.sizes(0), w = c.sizes(1);
  c.check(!x.ranked() || x.size() == axes + 1 || x.size() == axes + 2, ErrorKind::Runtime, "Expected ", axes + 1, "D (unbatched) or ",
          axes + 2, "D (batched) input to ", c.op.base_name(), ", but got input of size: ", x);
  c.check(!w.ranked() || w.size() == axes + 2, ErrorKind::Runtime, c.op.base_name(), ": weight must have ", axes + 2,
          " dims (out, in / groups, kernel), but got one of size: ", w);
  check_operand_dtypes(c);
  const bool words = c.op.schema().arguments()[p.padding].type.is(ir::TypeKind::Str);
  check_axes(c, axes, p.stride, "stride"), check_axes(c, axes, p.dilation, "dilation");
  if (!words) check_axes(c, axes, p.padding, "padding");
  if (!x.ranked() || !w.ranked()) return c.result({}, common_dtype(c));
  const size_t lead = x.size() - axes - 1;
  check_weight_rows(c, w);
  check_channels(c, x, w, c.size(p.groups), x[lead]);
  check_bias(c, w, w[0]);
  Sizes out = x;
  out.set(lead, output_channels(w, x[lead]));
  for (size_t k = 0; k < axes; ++k) {
    const Size padding = words ? Size(0) : c.entry(p.padding, k);
    const Window window{w[2 + k], c.entry(p.stride, k), padding, c.entry(p.dilation, k)};
    const Size size = x[lead + 1 + k];
    out.set(lead + 1 + k, words ? padded_windows(c, size, window) : windows(c, size, window));
  }
  c.result(out, common_dtype(c));
  if (axes < 3 || keeps_volumes(c, x, w, c.size(p.groups))) keep_channels_last(c, {0, 1}, axes + 2);
}
// Entry k of a list that may hold one number for all axes.
inline Size pick(const IValue& v, size_t k) {
  if (v.is_ints()) return v.to_ints()[v.to_ints().size() == 1 ? 0 : k];
  return as_size(v.items()[v.items().size() == 1 ? 0 : k]);
}

// A conv1d is a conv2d over images of one row. as_image() adds the dim of rows; of_image() puts the row's number before the number of the conv1d.
inline IValue as_image(const IValue& t) { return "unsqueeze"_op(t, -2); }
inline Sizes of_image(Size of_row, const IValue& number) { return {of_row, pick(number, 0)}; }

}  // namespace monograph
