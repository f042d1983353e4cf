// Convolutions and pools over one and three dims, which decompose into those over two. A line is an image of one row. A volume becomes a batch of its slices
// (depth by depth): a convolution puts the slices of its window among the channels, a pool runs a second time along the depth. Outside of graphs some pools have
// a kernel with the same bits.
#include "kernels/adaptive_max.h"
#include "kernels/pooling.h"
#include "kernels/volume_pools.h"
#include "ops/dispatch.h"
#include "ops/families/error_kinds.h"
#include "ops/families/windows.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

// --- Rules.

void conv3d_rule(RuleCall& c) { composite_rule(c, 3); }

// The rule of a transposed convolution over `axes` axes that decomposes into conv_transpose2d. `p` and `extra`: where its arguments stand, output_padding last.
void transposed_rule(RuleCall& c, size_t axes, const ConvolutionArguments& p = kTransposed, size_t extra = 5) {
  SizesRef x = c.sizes(0), w = c.sizes(1);
  c.check(!x.ranked() || x.size() == axes + 1 || x.size() == axes + 2, Runtime, "Expected ", axes + 1, "D (unbatched) or ", axes + 2,
          "D (batched) input to ", c.op.base_name(), ", but got input of size: ", x);
  c.check(!w.ranked() || w.size() == axes + 2, Runtime, c.op.base_name(), ": weight must have ", axes + 2,
          " dims (in, out / groups, kernel), but got one of size: ", w);
  check_transposed_dtype(c);
  check_operand_dtypes(c);
  check_axes(c, axes, p.stride, "stride"), check_axes(c, axes, p.padding, "padding");
  check_axes(c, axes, extra, "output_padding"), check_axes(c, axes, p.dilation, "dilation");
  if (!x.ranked() || !w.ranked()) return c.unranked(0);
  const size_t lead = x.size() - axes - 1;
  const Size groups = c.size(p.groups);
  check_transposed_channels(c, x, w, groups, x[lead]);
  check_transposed_weight(c, w);
  check_bias(c, w, w[1] * groups);
  Sizes out = x;
  out.set(lead, w[1] * groups);
  for (size_t k = 0; k < axes; ++k) {
    const Window window{w[2 + k], c.entry(p.stride, k), c.entry(p.padding, k), c.entry(p.dilation, k)};
    out.set(lead + 1 + k, transposed_size(c, x[lead + 1 + k], window, c.entry(extra, k)));
  }
  c.like(0, out);
  if (axes < 3 || keeps_volumes(c, x, w, groups)) keep_channels_last(c, {0, 1}, axes + 2);
}
void conv_transpose1d_rule(RuleCall& c) { transposed_rule(c, 1); }
void conv_transpose3d_rule(RuleCall& c) { transposed_rule(c, 3); }

// The arguments of `convolution`, which is any of these by its flag `transposed` and the dims of its weight.
constexpr size_t kIsTransposed = 6, kOutputPadding = 7;
constexpr ConvolutionArguments kAny{3, 4, 5, 8};

void any_convolution_rule(RuleCall& c) {
  SizesRef x = c.sizes(0), w = c.sizes(1);
  const auto transposed = c.truth(kIsTransposed);
  if (!w.ranked() || !transposed) return c.unranked(0);
  c.check(w.size() >= 3 && w.size() <= 5, Runtime, "weight should have three to five dimensions, but got one of size ", w);
  c.check(!x.ranked() || x.size() == w.size(), Runtime, "Expected input of ", w.size(),
          " dims, as the weight has, but got input of size: ", x, ". For input without a batch, use unsqueeze(0)");
  if (*transposed) return transposed_rule(c, w.size() - 2, kAny, kOutputPadding);
  composite_rule(c, w.size() - 2, kAny);
}

// The sizes of the result of a pool over `axes` axes. Arguments 1 to 3 are kernel_size, stride (empty: the kernel size) and padding.
Sizes pooled(RuleCall& c, size_t axes, std::optional<size_t> dilation, size_t ceil) {
  SizesRef x = c.sizes(0);
  check_axes(c, axes, 1, "kernel_size"), check_axes(c, axes, 2, "stride", true), check_axes(c, axes, 3, "padding");
  if (dilation) check_axes(c, axes, *dilation, "dilation");
  bool fits = !x.ranked() || x.size() == axes + 1 || x.size() == axes + 2;
  for (size_t d = x.size() == axes + 2 ? 1 : 0; fits && x.ranked() && d < x.size(); ++d) fits = !certainly(x[d] == 0);
  c.check(fits, Runtime, "Expected ", axes + 1, "D or ", axes + 2,
          "D (batch mode) tensor with optional 0 dim batch size for input, but got: ", x);
  return x.ranked() ? pooled_axes(c, x, axes, 1, dilation, ceil) : Sizes(x);
}

template <size_t kAxes>
void max_pool_rule(RuleCall& c) {
  const Sizes out = pooled(c, kAxes, 4, 5);
  c.check_dtype(c.dtype(0), [](DType t) { return !is_complex(t) && t != DType::b1; });
  c.like(0, out);
  keep_channels_last(c, {0});
  if (c.op.results() == 2) c.result(out, DType::i64), keep_channels_last(c, {0});
}

template <size_t kAxes>
void avg_pool_rule(RuleCall& c) {
  const Sizes out = pooled(c, kAxes, {}, 4);
  if (kAxes == 3) c.check(c.none(6) || c.size(6) != 0, Runtime, "divisor must be not zero");
  c.check_dtype(c.dtype(0), [](DType t) { return t == DType::i64 || (is_floating(t) && (kAxes == 1 || element_size(t) > 2)); });
  c.like(0, out);
}

template <size_t kAxes>
void adaptive_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const Sizes wanted = c.ints(1);
  c.check(!x.ranked() || x.size() == kAxes + 1 || x.size() == kAxes + 2, Runtime, "Expected ", kAxes + 1, "D or ", kAxes + 2,
          "D tensor, but got ", x);
  c.check_dtype(c.dtype(0), is_floating);
  c.check(!wanted.ranked() || wanted.size() == kAxes, Runtime, "expected output_size to have ", kAxes, " values, but got ", wanted);
  if (!x.ranked()) return c.unranked(0);
  Sizes out = x;
  for (size_t d = x.size() - kAxes; d < x.size(); ++d) {
    c.check(x[d] != 0, Runtime, "Expected input to have non-zero size for non-batch dimensions, but input has sizes ", x);
    const Size size = c.entry(1, d + kAxes - x.size());
    c.check(size >= 0, Runtime, "expected output_size without negative values, but got ", wanted);
    out.set(d, size);
  }
  c.contiguous(0);
  c.like(0, out);
  if (kAxes == 2) keep_channels_last(c, {0});
  if (c.op.results() == 2) c.result(out, DType::i64);
  if (kAxes == 2) keep_channels_last(c, {0});
}

// --- Decompositions of convolutions.

// The entries `skipped` to `count` - 1 of a list that may hold one number for all axes.
Sizes entries(const IValue& list, size_t skipped, size_t count) {
  Sizes out;
  for (size_t k = skipped; k < count; ++k) out.push_back(pick(list, k));
  return out;
}

// All slices that one slice of the result reads become channels of one image.
Tensor conv_of_slices(const Tensor& x, const IValue* a) {
  const Tensor w = a[1].to_tensor();
  const int64_t taps = fixed_size(w, 2);
  const Size stride = pick(a[3], 0), padding = pick(a[4], 0), dilation = pick(a[5], 0);
  const Tensor padded = padding.is(0) ? x : Tensor("constant_pad_nd"_op(x, Sizes{0, 0, 0, 0, padding, padding}));
  const Sizes s = sizes_of(padded), k = sizes_of(w);
  const Size slices = floordiv(s[2] - dilation * (taps - 1) - 1, stride) + 1;
  std::vector<IValue> parts;
  for (int64_t t = 0; t < taps; ++t)
    parts.emplace_back("slice"_op(padded, 2, dilation * t, dilation * t + (slices - 1) * stride + 1, stride));
  Tensor image = "permute"_op("stack"_op(IValue::list(std::move(parts)), 2), Dims{0, 3, 1, 2, 4, 5});
  image = "reshape"_op(image, Sizes{s[0] * slices, s[1] * taps, s[3], s[4]});
  const Tensor weight = "reshape"_op(w, Sizes{k[0], k[1] * taps, k[3], k[4]});
  const Tensor y = "conv2d"_op(image, weight, a[2], entries(a[3], 1, 3), entries(a[4], 1, 3), entries(a[5], 1, 3), a[6]);
  const Sizes out = sizes_of(y);
  return "contiguous"_op("transpose"_op("reshape"_op(y, Sizes{s[0], slices, out[1], out[2], out[3]}), 1, 2));
}

IValue decompose_conv3d(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  if (x.dim() == 5) return conv_of_slices(x, a);
  return "squeeze"_op(conv_of_slices("unsqueeze"_op(x, 0), a), 0);
}

// padding="same" or "valid". If the padding of a dim is odd, its end gets one more.
IValue decompose_conv3d_named_padding(const IValue* a) {
  IValue x = a[0];
  if (a[4].to_string() == "same") {
    Sizes pad;
    for (size_t k = 3; k-- > 0;) {
      const Size total = (size_of(a[1].as_tensor(), static_cast<int64_t>(k) + 2) - 1) * pick(a[5], k), front = floordiv(total, 2);
      pad.push_back(front), pad.push_back(total - front);
    }
    x = "constant_pad_nd"_op(x, pad);
  }
  return "conv3d"_op(x, a[1], a[2], a[3], Dims{0, 0, 0}, a[5], a[6]);
}

IValue decompose_conv_transpose1d(const IValue* a) {
  return "squeeze"_op("conv_transpose2d"_op(as_image(a[0]), as_image(a[1]), a[2], of_image(1, a[3]), of_image(0, a[4]), of_image(0, a[5]),
                                            a[6], of_image(1, a[7])),
                      -2);
}

// Each slice gives one image for each step of the weight along the depth. col2im adds the images up at their depths; then the padding is cut off.
Tensor transposed_of_slices(const Tensor& x, const IValue* a) {
  const Tensor w = a[1].to_tensor();
  const int64_t taps = fixed_size(w, 2);
  const Sizes s = sizes_of(x), k = sizes_of(w);
  const Size stride = pick(a[3], 0), padding = pick(a[4], 0), extra = pick(a[5], 0), dilation = pick(a[7], 0);
  const Tensor images = "reshape"_op("transpose"_op(x, 1, 2), Sizes{s[0] * s[2], s[1], s[3], s[4]});
  const Tensor weight = "reshape"_op(w, Sizes{k[0], k[1] * taps, k[3], k[4]});
  const Tensor y = "conv_transpose2d"_op(images, weight, IValue(), entries(a[3], 1, 3), entries(a[4], 1, 3), entries(a[5], 1, 3), a[6],
                                         entries(a[7], 1, 3));
  const Sizes out = sizes_of(y);
  const Size plane = out[2] * out[3], depth = (s[2] - 1) * stride + dilation * (taps - 1) + 1, channels = floordiv(out[1], taps);
  Tensor columns = "transpose"_op("reshape"_op(y, Sizes{s[0], s[2], out[1], plane}), 1, 2);
  columns = "reshape"_op(columns, Sizes{s[0], out[1], s[2] * plane});
  Tensor volume = "col2im"_op(columns, Sizes{depth, plane}, Dims{taps, 1}, Sizes{dilation, 1}, Dims{0, 0}, Sizes{stride, 1});
  if (!padding.is(0) || !extra.is(0)) volume = "constant_pad_nd"_op(volume, Sizes{0, 0, 0 - padding, extra - padding});
  volume = "reshape"_op(volume, Sizes{s[0], channels, depth - 2 * padding + extra, out[2], out[3]});
  return a[2].is_none() ? volume : Tensor("add"_op(volume, "reshape"_op(a[2], Dims{-1, 1, 1, 1})));
}

IValue decompose_conv_transpose3d(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  if (x.dim() == 5) return transposed_of_slices(x, a);
  return "squeeze"_op(transposed_of_slices("unsqueeze"_op(x, 0), a), 0);
}

IValue decompose_any_convolution(const IValue* a) {
  const int64_t axes = a[1].as_tensor().dim() - 2;
  if (!a[kIsTransposed].to_bool()) {
    const auto plain = [&](auto op) { return op(a[0], a[1], a[2], a[kAny.stride], a[kAny.padding], a[kAny.dilation], a[kAny.groups]); };
    return axes == 1 ? plain("conv1d"_op) : axes == 2 ? plain("conv2d"_op) : plain("conv3d"_op);
  }
  const auto transposed = [&](auto op) {
    return op(a[0], a[1], a[2], a[kAny.stride], a[kAny.padding], a[kOutputPadding], a[kAny.groups], a[kAny.dilation]);
  };
  return axes == 1 ? transposed("conv_transpose1d"_op) : axes == 2 ? transposed("conv_transpose2d"_op) : transposed("conv_transpose3d"_op);
}

// --- Decompositions of pools. An empty stride means the kernel size.

const IValue& stride_of(const IValue* a) {
  const bool empty = a[2].is_ints() ? a[2].to_ints().empty() : a[2].items().empty();
  return empty ? a[1] : a[2];
}

IValue decompose_max_pool1d_with_indices(const IValue* a) {
  const auto both =
      "max_pool2d_with_indices"_op(as_image(a[0]), of_image(1, a[1]), of_image(1, stride_of(a)), of_image(0, a[3]), of_image(1, a[4]), a[5])
          .items();
  return IValue::tuple({"squeeze"_op(both[0], -2), "squeeze"_op(both[1], -2)});
}

// One volume as a batch of one.
Tensor batched(const Tensor& x) { return x.dim() == 4 ? Tensor("unsqueeze"_op(x, 0)) : x; }
// The slices (N, C, D, H, W) as channels of images: (N, C * D, H, W).
Tensor slices(const Tensor& x) { return "flatten"_op(x, 1, 2); }

// A pool of each slice, then a pool of its results along the depth.
IValue decompose_max_pool3d_with_indices(const IValue* a) {
  const IValue& stride = stride_of(a);
  const bool single = a[0].as_tensor().dim() == 4;
  const Tensor x = batched(a[0].to_tensor());
  const Sizes s = sizes_of(x);
  const auto flat =
      "max_pool2d_with_indices"_op(slices(x), entries(a[1], 1, 3), entries(stride, 1, 3), entries(a[3], 1, 3), entries(a[4], 1, 3), a[5])
          .items();
  const Size height = size_of(flat[0].as_tensor(), 2), width = size_of(flat[0].as_tensor(), 3), plane = height * width;
  const Sizes shape{s[0], s[1], s[2], plane};
  const auto deep = "max_pool2d_with_indices"_op("reshape"_op(flat[0], shape), Sizes{pick(a[1], 0), 1}, Sizes{pick(stride, 0), 1},
                                                 Sizes{pick(a[3], 0), 0}, Sizes{pick(a[4], 0), 1}, a[5])
                        .items();
  const Size depth = size_of(deep[0].as_tensor(), 2);
  const Tensor chosen = "reshape"_op(deep[1], Sizes{s[0], s[1], depth * plane});
  const Tensor inside = "gather"_op("reshape"_op(flat[1], Sizes{s[0], s[1], s[2] * plane}), 2, chosen);
  const Tensor slice = "floor_divide"_op(chosen, plane);
  Tensor place = "reshape"_op("add"_op(inside, "mul"_op(slice, s[3] * s[4])), Sizes{s[0], s[1], depth, height, width});
  Tensor value = "reshape"_op(deep[0], Sizes{s[0], s[1], depth, height, width});
  if (single) value = "squeeze"_op(value, 0), place = "squeeze"_op(place, 0);
  return IValue::tuple({value, place});
}

IValue decompose_avg_pool1d(const IValue* a) {
  return "squeeze"_op("avg_pool2d"_op(as_image(a[0]), of_image(1, a[1]), of_image(1, stride_of(a)), of_image(0, a[3]), a[4], a[5]), -2);
}

// How many elements of an axis each window covers.
Tensor counts(const Tensor& like, Size size, Size out, Size kernel, Size stride, Size padding, bool include) {
  const Tensor all = like.is_meta() ? "arange"_op(out, nullptr, nullptr, like.device()) : "arange"_op(out);
  Tensor begin = "sub"_op("mul"_op(all, stride), padding);
  Tensor end = "clamp_max"_op("add"_op(begin, kernel), size + padding);
  if (!include) begin = "clamp_min"_op(begin, 0), end = "clamp_max"_op(end, size);
  return "sub"_op(end, begin);
}

// The same as decompose_max_pool3d_with_indices, without the indices.
IValue decompose_max_pool3d(const IValue* a) {
  const IValue& stride = stride_of(a);
  const bool single = a[0].as_tensor().dim() == 4;
  const Tensor x = batched(a[0].to_tensor());
  const Sizes s = sizes_of(x);
  const Tensor flat =
      "max_pool2d"_op(slices(x), entries(a[1], 1, 3), entries(stride, 1, 3), entries(a[3], 1, 3), entries(a[4], 1, 3), a[5]);
  const Size height = size_of(flat, 2), width = size_of(flat, 3);
  const Tensor deep = "max_pool2d"_op("reshape"_op(flat, Sizes{s[0], s[1], s[2], height * width}), Sizes{pick(a[1], 0), 1},
                                      Sizes{pick(stride, 0), 1}, Sizes{pick(a[3], 0), 0}, Sizes{pick(a[4], 0), 1}, a[5]);
  const Tensor y = "reshape"_op(deep, Sizes{s[0], s[1], size_of(deep, 2), height, width});
  return single ? Tensor("squeeze"_op(y, 0)) : y;
}

// Sums over the windows of each slice, then along the depth, divided by the number of elements of each window.
IValue decompose_avg_pool3d(const IValue* a) {
  const IValue& stride = stride_of(a);
  const bool single = a[0].as_tensor().dim() == 4;
  const Tensor x = batched(a[0].to_tensor());
  const Sizes s = sizes_of(x);
  const Tensor flat = "avg_pool2d"_op(slices(x), entries(a[1], 1, 3), entries(stride, 1, 3), entries(a[3], 1, 3), a[4], a[5], 1);
  const Size height = size_of(flat, 2), width = size_of(flat, 3);
  const Tensor deep = "avg_pool2d"_op("reshape"_op(flat, Sizes{s[0], s[1], s[2], height * width}), Sizes{pick(a[1], 0), 1},
                                      Sizes{pick(stride, 0), 1}, Sizes{pick(a[3], 0), 0}, a[4], a[5], 1);
  const Sizes out{size_of(deep, 2), height, width};
  Tensor y = "reshape"_op(deep, Sizes{s[0], s[1], out[0], out[1], out[2]});
  auto divided = [&](const IValue& by) -> Tensor {
    if (is_floating(y.dtype())) return "div"_op(y, by);
    return "div"_op(y, by, "trunc");
  };
  const Size window = pick(a[1], 0) * pick(a[1], 1) * pick(a[1], 2);
  const bool inside = !a[4].to_bool() && pick(a[3], 0).is(0) && pick(a[3], 1).is(0) && pick(a[3], 2).is(0);
  if (!a[6].is_none()) {
    y = divided(a[6]);
  } else if (inside && window.is_int()) {  // no window reaches beyond the input
    y = divided(window.as_int());
  } else {
    auto axis = [&](size_t k) { return counts(x, s[2 + k], out[k], pick(a[1], k), pick(stride, k), pick(a[3], k), a[5].to_bool()); };
    const Tensor rows = "mul"_op("unsqueeze"_op(axis(1), 1), axis(2));
    y = divided("mul"_op("reshape"_op(axis(0), Dims{-1, 1, 1}), rows));
  }
  return single ? Tensor("squeeze"_op(y, 0)) : y;
}

IValue decompose_adaptive_avg_pool1d(const IValue* a) {
  return "squeeze"_op("adaptive_avg_pool2d"_op(as_image(a[0]), of_image(1, a[1])), -2);
}

// The means over the windows of each slice, then along the depth.
IValue decompose_adaptive_avg_pool3d(const IValue* a) {
  const bool single = a[0].as_tensor().dim() == 4;
  Tensor x = batched(a[0].to_tensor());
  const DType dtype = x.dtype();
  if (element_size(dtype) == 2) x = "to"_op(x, DType::f32);
  const Sizes s = sizes_of(x), wanted = entries(a[1], 0, 3);
  const Size plane = wanted[1] * wanted[2];
  Tensor deep;
  if (plane.is(0)) {  // the result has no pixels, and a second pool would reject them
    deep = "narrow"_op(x, 2, 0, 0);
  } else {
    const Tensor flat = "adaptive_avg_pool2d"_op(slices(x), Sizes{wanted[1], wanted[2]});
    deep = "adaptive_avg_pool2d"_op("reshape"_op(flat, Sizes{s[0], s[1], s[2], plane}), Sizes{wanted[0], plane});
  }
  Tensor y = "reshape"_op(deep, Sizes{s[0], s[1], wanted[0], wanted[1], wanted[2]});
  if (single) y = "squeeze"_op(y, 0);
  return y.dtype() == dtype ? y : Tensor("to"_op(y, dtype));
}

IValue decompose_adaptive_max_pool1d(const IValue* a) {
  const auto both = "adaptive_max_pool2d"_op(as_image(a[0]), of_image(1, a[1])).items();
  return IValue::tuple({"squeeze"_op(both[0], -2), "squeeze"_op(both[1], -2)});
}

// The gradient of each window goes to the element whose index is in the second result.
template <size_t kAxes>
void adaptive_max_gradient(GradCall& c) {
  Sizes flat = c.sizes(0);
  Size plane = 1;
  for (size_t k = 0; k < kAxes; ++k) plane = plane * flat.back(), flat.erase(flat.size() - 1);
  flat.push_back(plane);
  const int64_t first = -static_cast<int64_t>(kAxes);
  const Tensor g = "gather_backward"_op("flatten"_op(c.grad(), first), flat, -1, "flatten"_op(c.result(1), first));
  c.set(0, in_format("reshape"_op(g, c.sizes(0)), kAxes == 2 ? format_of_any({&c.values()[0]}) : MemoryFormat::Contiguous));
}

}  // namespace

void volumes(Registry& r) {
  r.op("conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, SymInt[3] padding=0, SymInt[3] dilation=1, SymInt "
       "groups=1) -> Tensor")
      .rule(conv3d_rule)
      .decompose(decompose_conv3d, Reads::Symbols)
      .contracts(1, Contraction::Terms::AllButFirst)
      .onnx(none("decomposes to conv2d"))
      .autocast(Autocast::LowerPrecision)
      .doc(
          "Each output channel: the sum over the input channels and the window of weight times input, over volumes.\n\nweight: The "
          "windows, of shape (output channels, input channels / groups, sizes of the window).\n\n>>> torch.conv3d(torch.ones(1, 1, 2, 2, "
          "2), torch.ones(1, 1, 2, 2, 2))")
      .samples(R"([[t(d, 1, 2, 4, 4, 4), t(d, 3, 2, 3, 2, 2), b and t(d, 3), st, p, di, 1] for d in (f32, f64) for b in (None, True)
                   for st, p, di in (([1, 1, 1], [0, 0, 0], [1, 1, 1]), ([2, 1, 2], [1, 0, 1], [1, 1, 1]), ([1, 1, 1], [2, 1, 1], [2, 1, 1]))]
                 + [[t(f64, 1, 4, 4, 3, 3), t(f64, 4, 2, 2, 3, 2), t(f64, 4), [1, 1, 1], [1, 1, 1], [1, 1, 1], 2],
                    [t(f32, 4, 3, 3, 3), t(f32, 2, 4, 1, 1, 1)], [t(f32, 4, 5, 4, 6).permute(0, 2, 1, 3), t(f32, 4, 1, 2, 2, 2), None, [1, 1, 1], [0, 0, 0], [1, 1, 1], 4]]
                 + [[t(f32, 1, 2, 3, 3, 3), v] for v in (t(f32, 4, 3, 2, 2, 2), t(f32, 4, 2, 4, 2, 2), t(f32, 4, 2, 2, 2), t(f64, 4, 2, 2, 2, 2))]
                 + [[t(f32, 3, 3, 3), t(f32, 4, 2, 2, 2, 2)], [t(f32, 0, 2, 3, 3, 3), t(f32, 4, 2, 2, 2, 2)], [t(f32, 1, 2, 3, 3, 3), t(f32, 4, 2, 2, 2, 2), t(f32, 3)]])")
      .special(Special::OtherSchemaText, "its lists have a number for each axis");
  r.op("conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, str padding=\"valid\", SymInt[3] dilation=1, "
       "SymInt groups=1) -> Tensor")
      .rule(conv3d_rule)
      .decompose(decompose_conv3d_named_padding, Reads::Symbols)
      .contracts(1, Contraction::Terms::AllButFirst)
      .onnx(none("decomposes to conv3d with numbers for its padding"))
      .autocast(Autocast::LowerPrecision)
      .doc(
          "conv3d without padding (\"valid\"), or with as many outputs as inputs (\"same\").\n\nweight: The windows, of shape (output "
          "channels, input channels / groups, sizes of the window).")
      .samples(
          R"([[t(f64, 1, 2, 4, 3, 4), t(f64, 3, 2, *k), b, [1, 1, 1], word, d] for k in ((3, 3, 3), (2, 3, 1)) for b in (None, t(f64, 3))
                    for word in ("same", "valid") for d in ([1, 1, 1], [2, 1, 1])]
                 + [[t(f32, 1, 2, 4, 3, 4), t(f32, 3, 2, 3, 3, 3), None, [2, 1, 1], word] for word in ("same", "full")])")
      .special(Special::OtherSchemaText, "its lists have a number for each axis");
  r.op("conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] "
       "output_padding=0, SymInt groups=1, SymInt[1] dilation=1) -> Tensor")
      .rule(conv_transpose1d_rule)
      .decompose(decompose_conv_transpose1d, Reads::Nothing)
      .contracts(1, Contraction::Terms::AllButFirst)
      .onnx(none("decomposes to conv_transpose2d"))
      .autocast(Autocast::LowerPrecision)
      .doc(
          "conv_transpose2d over images of one row, without that row.\n\nweight: The windows, of shape (input channels, output channels / "
          "groups, sizes of the window).\n\n>>> x = torch.tensor([[[1.0, 2.0]]])\n>>> torch.conv_transpose1d(x, torch.tensor([[[1.0, "
          "10.0]]]))")
      .samples(R"([[t(f32, 2, 4, 9), t(f32, 4, 6, 3), b, st, p, o, 1, d] for b in (None, t(f32, 6))
                    for st, p, o, d in (([1], [0], [0], [1]), ([2], [1], [1], [1]), ([2], [1], [2], [3]))]
                 + [[t(f32, 4, 9), t(f32, 4, 3, 3), None, [1], [0], [0], 2], [t(f64, 2, 4, 9), t(f64, 4, 6, 3)]]
                 + [[t(f32, 2, 4, 9), v] for v in (t(f32, 3, 6, 3), t(f64, 4, 6, 3), t(f32, 4, 6, 3, 3))] + [[t(f32, 2, 4, 9), t(f32, 4, 6, 3), t(f32, 5)],
                    [t(f32, 2, 4, 9), t(f32, 4, 6, 3), None, [1], [0], [1]], [t(f32, 9), t(f32, 4, 6, 3)]])");
  r.op("conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, SymInt[3] padding=0, SymInt[3] "
       "output_padding=0, SymInt groups=1, SymInt[3] dilation=1) -> Tensor")
      .rule(conv_transpose3d_rule)
      .decompose(decompose_conv_transpose3d, Reads::Symbols)
      .contracts(1, Contraction::Terms::AllButFirst)
      .onnx(none("decomposes to conv_transpose2d"))
      .autocast(Autocast::LowerPrecision)
      .doc(
          "The transpose of a convolution over volumes: each element adds its window of the weight into the result.\n\nweight: The "
          "windows, of shape (input channels, output channels / groups, sizes of the window).\n\n>>> torch.conv_transpose3d(torch.ones(1, "
          "1, 1, 1, 2), torch.ones(1, 1, 1, 1, 2))")
      .samples(R"([[t(d, 1, 2, 3, 3, 3), t(d, 2, 3, 3, 2, 2), b and t(d, 3), st, p, o, 1, di] for d in (f32, f64) for b in (None, True)
                   for st, p, o, di in (([1, 1, 1], [0, 0, 0], [0, 0, 0], [1, 1, 1]), ([2, 3, 2], [1, 0, 1], [1, 2, 1], [1, 1, 1]),
                                        ([1, 1, 2], [2, 1, 1], [1, 0, 1], [2, 1, 1]), ([3, 1, 1], [0, 0, 0], [2, 0, 0], [1, 1, 1]))]
                 + [[t(f64, 2, 4, 3, 4, 3), t(f64, 4, 3, 3, 3, 3), t(f64, 6), [2, 2, 2], [1, 1, 1], [1, 1, 1], 2],
                    [t(f32, 4, 3, 3, 3), t(f32, 4, 2, 1, 1, 1)]]
                 + [[t(f32, 1, 4, 3, 3, 3), v] for v in (t(f32, 3, 2, 2, 2, 2), t(f32, 4, 2, 2, 2), t(f64, 4, 2, 2, 2, 2))]
                 + [[t(f32, 1, 4, 3, 3, 3), t(f32, 4, 2, 2, 2, 2), None, [2, 2, 2], [0, 0, 0], [2, 0, 0]]])")
      .special(Special::OtherSchemaText, "its lists have a number for each axis");
  const char* lines = R"([[x, *n] for x in (t(f32, 2, 4, 9), t(f64, 4, 8), t(bf16, 1, 2, 6), t(f32, 9, 4, 2).permute(2, 1, 0))
      for n in (([2],), ([3], [2], [1]), ([2], [1], [0], [2]), ([3], [2], [1], [1], True), ([3], [], [1], [1], True))]
      + [[t(f32, 2, 4, 9), *n] for n in (([2], [2], [2]), ([10],), ([0],), ([2, 2],), ([3], [0]))] + [[v, [2]] for v in (t(f32, 9), t(f32, 0, 4, 9), t(f32, 2, 0, 9), t(b1, 1, 4))]
      + [[at([[1.0, nan, 2.0, nan, 0.0, 0.0, inf, -inf]]), [2]]])";
  r.op("convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, "
       "SymInt[] "
       "output_padding, SymInt groups) -> Tensor")
      .rule(any_convolution_rule)
      .decompose(decompose_any_convolution, Reads::Nothing)
      .function_only()
      .contracts(1, Contraction::Terms::AllButFirst)
      .onnx(none("decomposes to conv2d or conv_transpose2d"))
      .doc(
          "A convolution over one, two or three axes, or a transposed one.\n\nweight: The windows, of shape (output channels, input "
          "channels "
          "/ groups, sizes of the window); if transposed, (input channels, output channels / groups, sizes of the "
          "window).\ntransposed: Whether it is the transpose of a convolution.\n\n>>> torch.convolution(torch.ones(1, 1, 3), "
          "torch.ones(1, 1, 2), None, [1], [0], [1], False, [0], 1)")
      .samples(
          R"([[t(d, 2, 4, *s), t(d, 6, 2, *k), b and t(d, 6), [st] * len(k), [p] * len(k), [di] * len(k), False, [0] * len(k), 2] for d in (f32, f64) for s, k in (((9,), (3,)), ((5, 6), (3, 2)), ((3, 4, 3), (2, 2, 3)))
                    for b in (None, True) for st, p, di in ((1, 0, 1), (2, 1, 1))]
                 + [[t(f32, 2, 4, *s), t(f32, 4, 3, *k), b and t(f32, 6), [2] * len(k), [1] * len(k), [1] * len(k), True, [1] * len(k), 2] for s, k in (((9,), (3,)), ((5, 6), (3, 2)), ((3, 4, 3), (2, 2, 3)))
                    for b in (None, True)]
                 + [[t(f32, 2, 3, 5, 5), t(f32, 6, 2, 3, 3), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1], [t(f32, 2, 4), t(f32, 6, 4), None, [1], [0], [1], False, [0], 1],
                    [t(f32, 2, 3, 5, 5), t(f64, 6, 3, 3, 3), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1]])");
  r.op("_convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, "
       "SymInt[] "
       "output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor")
      .rule(any_convolution_rule)
      .decompose(decompose_any_convolution, Reads::Nothing)
      .function_only()
      .contracts(1, Contraction::Terms::AllButFirst)
      .onnx(none("decomposes to conv2d or conv_transpose2d"))
      .doc(
          "convolution, as PyTorch's trace records it. The last arguments choose an algorithm on a GPU, and change nothing "
          "here.\n\nweight: The "
          "windows, as of convolution.\ntransposed: Whether it is the transpose of a convolution.\nbenchmark: No effect.\ndeterministic: "
          "No "
          "effect.\ncudnn_enabled: No effect.\nallow_tf32: No effect.")
      .samples(
          R"([[t(f32, 2, 4, 9), t(f32, 6, 2, 3), t(f32, 6), [2], [1], [1], False, [0], 2, False, False, True, True], [t(f32, 2, 4, 5, 6), t(f32, 6, 4, 3, 2), None, [1, 1], [0, 1], [1, 1], False, [0, 0], 1, False, False, True, True],
                    [t(f32, 2, 4, 5, 6), t(f32, 4, 3, 3, 2), t(f32, 6), [2, 2], [1, 1], [1, 1], True, [1, 1], 2, False, False, True, True]])");
  r.op("_convolution.deprecated(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool "
       "transposed, int[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled) -> Tensor")
      .rule(any_convolution_rule)
      .decompose(decompose_any_convolution, Reads::Nothing)
      .function_only()
      .contracts(1, Contraction::Terms::AllButFirst)
      .onnx(none("decomposes to conv2d or conv_transpose2d"))
      .autocast(Autocast::LowerPrecision)
      .doc(
          "convolution, as PyTorch's trace records it. The last arguments choose an algorithm on a GPU, and change nothing "
          "here.\n\nweight: The "
          "windows, as of convolution.\ntransposed: Whether it is the transpose of a convolution.\nbenchmark: No effect.\ndeterministic: "
          "No "
          "effect.\ncudnn_enabled: No effect.")
      .samples(
          R"([[t(f32, 2, 4, 9), t(f32, 6, 2, 3), t(f32, 6), [2], [1], [1], False, [0], 2, False, False, True], [t(f32, 2, 4, 5, 6), t(f32, 6, 4, 3, 2), None, [1, 1], [0, 1], [1, 1], False, [0, 0], 1, False, False, True],
                    [t(f32, 2, 4, 5, 6), t(f32, 4, 3, 3, 2), t(f32, 6), [2, 2], [1, 1], [1, 1], True, [1, 1], 2, False, False, True]])");
  r.op("max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool "
       "ceil_mode=False) -> (Tensor, Tensor)")
      .rule(max_pool_rule<1>)
      .kernel(max_line_pool_kernel)
      .decompose(decompose_max_pool1d_with_indices, Reads::Nothing)
      .onnx(none("decomposes to max_pool2d_with_indices"))
      .doc("The largest element of each window along a line, and its place.")
      .samples(lines)
      .special(Special::OtherSchemaText, "its lists have a number for each axis");
  r.op("max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> Tensor")
      .rule(max_pool_rule<1>)
      .kernel(max_line_pool_kernel)
      .decompose(
          [](const IValue* a) -> IValue {
            return "squeeze"_op(
                "max_pool2d"_op(as_image(a[0]), of_image(1, a[1]), of_image(1, stride_of(a)), of_image(0, a[3]), of_image(1, a[4]), a[5]),
                -2);
          },
          Reads::Nothing)
      .onnx(none("decomposes to max_pool2d"))
      .doc("The largest element of each window along a line.")
      .samples(lines)
      .special(Special::OtherSchemaText, "its lists have a number for each axis");
  const char* boxes =
      R"([[x, *n] for x in (t(f32, 2, 3, 5, 4, 6), t(f64, 3, 5, 4, 6), t(bf16, 1, 2, 4, 4, 4), t(f32, 6, 4, 5, 3, 2).permute(4, 3, 2, 1, 0))
      for n in (([2, 2, 2],), ([3, 2, 3], [2, 1, 2], [1, 0, 1]), ([2, 2, 2], [1, 1, 1], [0, 0, 0], [2, 1, 2]), ([3, 3, 3], [2, 2, 2], [1, 1, 1], [1, 1, 1], True))]
      + [[t(f32, 1, 2, 4, 4, 4), *n] for n in (([2, 2, 2], [], [2, 0, 0]), ([5, 2, 2],), ([2, 2],), ([2, 2, 2], [1, 1]))] + [[v, [2, 2, 2]] for v in (t(f32, 3, 3, 3), t(f32, 0, 2, 4, 4, 4))]
      + [[at([[1.0, nan, 2.0, nan, 0.0, 0.0, inf, -inf]]).reshape(1, 2, 2, 2), [2, 2, 2]], [torch.ones(1, 2, 3, 3, 3), [2, 2, 2], [1, 1, 1]]])";
  r.op("max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool "
       "ceil_mode=False) -> (Tensor, Tensor)")
      .rule(max_pool_rule<3>)
      .kernel(max_volume_pool_kernel)
      .decompose(decompose_max_pool3d_with_indices, Reads::Symbols)
      .namespaced("_nn")
      .onnx(none("decomposes to max_pool2d_with_indices"))
      .doc("The largest element of each window of a volume, and its place in the volume.")
      .samples(boxes);
  r.op("max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor")
      .rule(max_pool_rule<3>)
      .kernel(max_volume_pool_kernel)
      .decompose(decompose_max_pool3d, Reads::Symbols)
      .one_step()
      .keeps("result1",
             [](const IValue* a) -> IValue { return "max_pool3d_with_indices"_op(a[0], a[1], a[2], a[3], a[4], a[5]).items()[1]; })
      .onnx(none("decomposes to max_pool2d"))
      .autocast(Autocast::Float32)
      .doc("The largest element of each window of a volume.")
      .samples(boxes);
  r.op("avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, bool "
       "count_include_pad=True) -> Tensor")
      .rule(avg_pool_rule<1>)
      .decompose(decompose_avg_pool1d, Reads::Nothing)
      .onnx(none("decomposes to avg_pool2d"))
      .doc("The mean of each window along a line.")
      .samples(R"([[x, *n] for x in (t(f32, 2, 4, 9), t(f64, 4, 8), t(bf16, 1, 2, 6), t(f32, 9, 4, 2).permute(2, 1, 0))
          for n in (([2],), ([3], [2], [1]), ([3], [2], [1], False, False), ([3], [2], [1], True), ([3], [], [1], True, False))]
          + [[t(i64, 2, 3, 7), [3], [2], [1], c, inc] for c in (True, False) for inc in (True, False)]
          + [[t(f32, 2, 4, 9), *n] for n in (([2], [2], [2]), ([10],), ([2, 2],))] + [[v, [2]] for v in (t(f32, 9), t(f32, 0, 4, 9))])")
      .special(Special::OtherSchemaText, "its lists have a number for each axis");
  r.op("avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, "
       "int? divisor_override=None) -> Tensor")
      .rule(avg_pool_rule<3>)
      .kernel(avg_volume_pool_kernel)
      .decompose(decompose_avg_pool3d, Reads::Symbols)
      .namespaced("_nn")
      .onnx(none("decomposes to avg_pool2d"))
      .autocast(Autocast::Float32)
      .doc("The mean of each window of a volume.")
      .samples(
          R"([[x, *n] for x in (t(f32, 2, 3, 5, 4, 6), t(f64, 3, 5, 4, 6), t(bf16, 1, 2, 4, 4, 4), t(f32, 6, 4, 5, 3, 2).permute(4, 3, 2, 1, 0))
          for n in (([2, 2, 2],), ([3, 2, 3], [2, 1, 2], [1, 0, 1]), ([3, 2, 3], [2, 1, 2], [1, 0, 1], False, False), ([3, 3, 3], [2, 2, 2], [1, 1, 1], True),
                    ([3, 3, 3], [2, 2, 2], [1, 1, 1], True, False), ([2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, 5))]
          + [[t(i64, 1, 2, 4, 4, 5), [3, 2, 2], [1, 2, 1], [1, 1, 0], c, inc, d] for c in (True, False) for inc in (True, False) for d in (None, 3)]
          + [[t(f32, 1, 2, 4, 4, 4), *n] for n in (([2, 2, 2], [], [2, 0, 0]), ([5, 2, 2],), ([2, 2],), ([2, 2, 2], [], [0, 0, 0], False, True, 0))]
          + [[v, [2, 2, 2]] for v in (t(f32, 3, 3, 3), t(f32, 0, 2, 4, 4, 4))])");
  r.op("adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor")
      .rule(adaptive_rule<1>)
      .decompose(decompose_adaptive_avg_pool1d, Reads::Nothing)
      .onnx(none("decomposes to adaptive_avg_pool2d"))
      .doc("The means of windows that divide each line into `output_size` parts.")
      .samples(
          "[[x, [n]] for x in (t(f32, 2, 4, 9), t(f64, 4, 8), t(bf16, 1, 2, 6)) for n in (1, 2, 4, 9, 12)] + [[v, [2]] for v in (t(f32, "
          "9), t(f32, 0, 4, 9), t(i64, 1, 4))] + [[t(f32, 1, 3), [-1]]]");
  r.op("adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor")
      .rule(adaptive_rule<3>)
      .decompose(decompose_adaptive_avg_pool3d, Reads::Symbols)
      .namespaced("_nn")
      .onnx(none("decomposes to adaptive_avg_pool2d"))
      .autocast(Autocast::Float32)
      .doc(
          "The means of windows that divide each volume into `output_size` parts.\n\n>>> "
          "torch.nn.functional.adaptive_avg_pool3d(torch.arange(8.0).reshape(1, 2, 2, 2), [1, 1, 1])")
      .samples(
          "[[x, n] for x in (t(f32, 2, 3, 5, 4, 6), t(f64, 3, 5, 4, 6), t(bf16, 1, 2, 4, 4, 4)) for n in ([1, 1, 1], [2, 3, 4], [5, 4, "
          "6])] + [[v, [2, 2, 2]] for v in (t(f32, 3, 3, 3), t(i64, 1, 2, 2, 2))]");
  r.op("adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)")
      .rule(adaptive_rule<1>)
      .decompose(decompose_adaptive_max_pool1d, Reads::Nothing)
      .onnx(none("decomposes to adaptive_max_pool2d"))
      .doc("The largest elements of windows that divide each line into `output_size` parts, and their places.")
      .samples(
          "[[x, [n]] for x in (t(f32, 2, 4, 9), t(f64, 4, 8), t(bf16, 1, 2, 6)) for n in (1, 2, 4, 9, 12)] + [[v, [2]] for v in (t(f32, "
          "9), t(i64, 1, 4))]");
  r.op("adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)")
      .rule(adaptive_rule<2>)
      .kernel(adaptive_max_pool_kernel)
      .namespaced("_nn")
      .gradient(adaptive_max_gradient<2>)
      .piecewise_linear()
      .onnx(none("ONNX's pools have windows of one size"))
      .doc("The largest elements of windows that divide each plane into `output_size` parts, and their places in the plane.")
      .samples(
          "[[x, n] for x in (t(f32, 2, 3, 5, 6), t(f64, 3, 5, 6), t(bf16, 1, 2, 4, 4), t(f32, 6, 5, 3, 2).permute(3, 2, 1, 0)) for n in "
          "([1, 1], [2, 4], [5, 6], [7, 3])] + [[v, [2, 2]] for v in (t(f32, 3, 3), t(i64, 1, 2, 2))] + [[at([[[1.0, nan, 2.0, nan, 0.0, "
          "0.0, inf, -inf]]]), [1, 2]]]");
  r.op("adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)")
      .rule(adaptive_rule<3>)
      .kernel(adaptive_max_pool_kernel)
      .namespaced("_nn")
      .gradient(adaptive_max_gradient<3>)
      .piecewise_linear()
      .onnx(none("ONNX's pools have windows of one size"))
      .autocast(Autocast::Float32)
      .doc(
          "The largest elements of windows that divide each volume into `output_size` parts, and their places in the volume.\n\n>>> "
          "torch.nn.functional.adaptive_max_pool3d_with_indices(torch.arange(8.0).reshape(1, 2, 2, 2), [1, 1, 1])")
      .samples(
          "[[x, n] for x in (t(f32, 2, 3, 5, 4, 6), t(f64, 3, 5, 4, 6)) for n in ([1, 1, 1], [2, 3, 4], [5, 4, 6])] + [[v, [2, 2, 2]] for "
          "v in (t(f32, 3, 3, 3), t(i64, 1, 2, 2, 2))]");
}

}  // namespace monograph
