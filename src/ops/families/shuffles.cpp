// pixel_shuffle, pixel_unshuffle and channel_shuffle. Each has a kernel, and decomposes into a reshape, a permutation of the dims and a copy.
#include "kernels/shuffles.h"
#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/layouts.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

// Checks for the dims (..., channels, rows, columns).
void check_image(const RuleCall& c, SizesRef x) {
  c.check(!x.ranked() || x.size() >= 3, Runtime, c.op.base_name(), " expects input to have at least 3 dimensions, but got input with ",
          x.size(), " dimension(s)");
}

// The kernels take a number that a capture does not compute, and tensors that they can see with two more dims.
void leave_unusual(RuleCall& c) {
  if (!c.eager() || !c.value(1).is_int() || c.sizes(0).size() + 2 > kMaxDims) c.leave_to_decomposition();
}

void pixel_shuffle_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const Size factor = c.size(1);
  check_image(c, x);
  c.check(factor > 0, Runtime, "pixel_shuffle expects a positive upscale_factor, but got ", factor);
  if (!x.ranked()) return c.unranked(0);
  const size_t at = x.size() - 3;
  c.check(mod(x[at], factor * factor) == 0, Runtime,
          "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but input.size(-3)=",
          x[at], " is not divisible by ", factor * factor);
  Sizes out = x;
  out.set(at, floordiv(x[at], factor * factor)), out.set(at + 1, x[at + 1] * factor), out.set(at + 2, x[at + 2] * factor);
  c.like(0, out);
  keep_channels_last(c, {0});
  leave_unusual(c);
}

void pixel_unshuffle_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const Size factor = c.size(1);
  check_image(c, x);
  c.check(factor > 0, Runtime, "pixel_unshuffle expects a positive downscale_factor, but got ", factor);
  if (!x.ranked()) return c.unranked(0);
  const size_t at = x.size() - 3;
  for (size_t d = at + 1; d < x.size(); ++d)
    c.check(mod(x[d], factor) == 0, Runtime,
            "pixel_unshuffle expects height and width to be divisible by downscale_factor, but input of size ", x, " is not divisible by ",
            factor);
  leave_unusual(c);
  if (element_count(x).is(0)) return c.like(0, x);  // as in PyTorch
  Sizes out = x;
  out.set(at, x[at] * factor * factor), out.set(at + 1, floordiv(x[at + 1], factor)), out.set(at + 2, floordiv(x[at + 2], factor));
  c.like(0, out);
  keep_channels_last(c, {0});
}

void channel_shuffle_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const Size groups = c.size(1);
  c.check(groups > 0, Runtime, "Number of groups to divide channels in must be positive. Value of groups:", groups);
  if (!x.ranked()) return c.unranked(0);
  c.check(x.size() > 2, Runtime, "channel_shuffle expects input with > 2 dims, but got input with sizes ", x);
  c.check(mod(x[1], groups) == 0, Runtime, "Number of channels must be divisible by groups. Got ", x[1], " channels and ", groups,
          " groups.");
  c.like(0, x);
  keep_channels_last(c, {0});
  leave_unusual(c);
}

// The sizes of the dims before the last three, which stay as they are.
Sizes leading(const Sizes& x) { return Sizes(SizesRef(x).first(x.size() - 3)); }
// t with the dims behind the first `lead` in the order `last`.
Tensor reordered(const Tensor& t, size_t lead, std::initializer_list<int64_t> last) {
  Dims order;
  for (size_t d = 0; d < lead; ++d) order.push_back(static_cast<int64_t>(d));
  for (const int64_t d : last) order.push_back(static_cast<int64_t>(lead) + d);
  return "permute"_op(t, order);
}
// A contiguous copy of t, in these sizes.
Tensor copied(const Tensor& t, const Sizes& sizes) { return "reshape"_op("clone"_op(t, MemoryFormat::Contiguous), sizes); }

IValue decompose_pixel_shuffle(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const Sizes s = sizes_of(x);
  const size_t lead = s.size() - 3;
  const Size f = as_size(a[1]), channels = floordiv(s[lead], f * f);
  const Tensor parts = "reshape"_op(x, appended(leading(s), {channels, f, f, s[lead + 1], s[lead + 2]}));
  return copied(reordered(parts, lead, {0, 3, 1, 4, 2}), appended(leading(s), {channels, s[lead + 1] * f, s[lead + 2] * f}));
}

IValue decompose_pixel_unshuffle(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const Sizes s = sizes_of(x);
  if (element_count(s).is(0)) return "clone"_op(x);
  const size_t lead = s.size() - 3;
  const Size f = as_size(a[1]), height = floordiv(s[lead + 1], f), width = floordiv(s[lead + 2], f);
  const Tensor parts = "reshape"_op(x, appended(leading(s), {s[lead], height, f, width, f}));
  return copied(reordered(parts, lead, {0, 2, 4, 1, 3}), appended(leading(s), {s[lead] * f * f, height, width}));
}

IValue decompose_channel_shuffle(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const Sizes s = sizes_of(x);
  const Size groups = as_size(a[1]);
  Sizes parts{s[0], groups, floordiv(s[1], groups)};
  for (size_t d = 2; d < s.size(); ++d) parts.push_back(s[d]);
  return copied("transpose"_op("reshape"_op(x, parts), 1, 2), s);
}

}  // namespace

void shuffles(Registry& r) {
  r.op("pixel_shuffle(Tensor self, int upscale_factor) -> Tensor")
      .rule(pixel_shuffle_rule)
      .kernel(pixel_shuffle_kernel)
      .storage_only(StorageOnly::AsBits)
      .decompose(decompose_pixel_shuffle, Reads::Symbols)
      .function_only()
      .onnx(none("decomposes to a permutation"))
      .doc("Squares of `upscale_factor` by as many pixels, made of as many channels.")
      .samples(
          R"([[x, 2] for x in layouts(2, 8, 2, 3)] + [[t(f32, 9, 2, 3), 3], [t(f32, 1, 2, 4, 1, 2), 2], [t(f32, 2, 3, 2, 2), 1], [t(f32, 0, 4, 2, 2), 2]]
                 + [[t(f32, 1, 6, 2, 2), 2], [t(f32, 4, 4), 2], [t(f32, 1, 4, 2, 2), 0], [t(f32, 1, 4, 2, 2), -2]])");
  r.op("pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor")
      .rule(pixel_unshuffle_rule)
      .kernel(pixel_unshuffle_kernel)
      .storage_only(StorageOnly::AsBits)
      .decompose(decompose_pixel_unshuffle, Reads::Symbols)
      .function_only()
      .onnx(none("decomposes to a permutation"))
      .doc("Channels, made of squares of `downscale_factor` by as many pixels: pixel_shuffle backwards.")
      .samples(
          R"([[x, 2] for x in layouts(2, 2, 4, 6)] + [[t(f32, 2, 3, 6), 3], [t(f32, 1, 2, 4, 2, 2), 2], [t(f32, 2, 3, 2, 2), 1], [t(f32, 0, 4, 2, 2), 2]]
                 + [[t(f32, 1, 6, 3, 2), 2], [t(f32, 1, 6, 2, 3), 2], [t(f32, 4, 4), 2], [t(f32, 1, 4, 2, 2), 0]])");
  r.op("channel_shuffle(Tensor self, SymInt groups) -> Tensor")
      .rule(channel_shuffle_rule)
      .kernel(channel_shuffle_kernel)
      .storage_only(StorageOnly::AsBits)
      .decompose(decompose_channel_shuffle, Reads::Symbols)
      .function_only()
      .onnx(none("decomposes to a transposition"))
      .alias({"native_channel_shuffle"})
      .doc("The first channel of each group, then the second ones, and so on.")
      .samples(R"([[x, 2] for x in layouts(2, 6, 2, 3)] + [[t(f32, 2, 6, 3), 3], [t(f32, 1, 6, 1, 2, 2), 6], [t(f32, 2, 3, 2, 2), 1]]
                 + [[t(f32, 1, 6, 3, 2), 4], [t(f32, 6, 2), 2], [t(f32, 1, 4, 2, 2), 0]])");
}

}  // namespace monograph
