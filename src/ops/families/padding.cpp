// Padding with a number, by reflection, by repeating the edge, and circular. All but the first decompose into an index_select along each padded dim, which
// gives their gradients and which captures record.
#include "kernels/padding.h"
#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/layouts.h"
#include "ops/pointwise.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

enum class Mode : uint8_t { Constant, Reflect, Replicate, Circular };

// How many elements are added before and after one dim. A negative number removes elements.
struct DimPadding {
  Size before = 0, after = 0;
};
// The padding of dim d of `rank` dims. The list `pad` begins with the last dim.
DimPadding padding_of(const Sizes& pad, size_t rank, size_t d) {
  const size_t at = 2 * (rank - 1 - d);
  if (at + 1 >= pad.size()) return {};
  return {pad[at], pad[at + 1]};
}

// Checks the padding of dim d against the size that this mode allows.
void check_dim_padding(const RuleCall& c, Mode mode, SizesRef x, size_t d, const DimPadding& ends) {
  const Size n = mode == Mode::Circular ? x[d] + min(ends.before, 0) + min(ends.after, 0) : x[d];  // after negative padding
  if (mode == Mode::Reflect)
    c.check(ends.before < n && ends.after < n, Runtime,
            "Padding size should be less than the corresponding input dimension, but got: padding (", ends.before, ", ", ends.after,
            ") at dimension ", d, " of input ", x);
  if (mode == Mode::Circular)
    c.check(ends.before <= n && ends.after <= n, Runtime, "Padding value causes wrapping around more than once: padding (", ends.before,
            ", ", ends.after, ") at dimension ", d, " of input ", x);
}

// States the result of padding argument 0 by the list in argument 1.
void padded_result(RuleCall& c, Mode mode) {
  SizesRef x = c.sizes(0);
  const Sizes pad = c.ints(1);
  if (!x.ranked() || !pad.ranked()) return c.unranked(0);
  c.check(pad.size() % 2 == 0, Runtime, "Length of pad must be even but instead it equals ", pad.size());
  c.check(pad.size() <= 2 * x.size(), Runtime,
          "Length of pad should be no more than twice the number of dimensions of the input. Pad length is ", pad.size(),
          " while the input has ", x.size(), " dimensions");
  Sizes out = x;
  for (size_t d = 0; d < x.size(); ++d) {
    const DimPadding ends = padding_of(pad, x.size(), d);
    const bool may_empty = mode == Mode::Constant || 2 * (x.size() - 1 - d) >= pad.size();
    if (!may_empty) check_dim_padding(c, mode, x, d, ends);
    const Size grown = x[d] + ends.before + ends.after;
    const Size left = x[d] + min(ends.before, 0) + min(ends.after, 0);  // negative padding cuts first; the other end cannot make up for it
    c.check(may_empty ? left >= 0 : grown > 0, Runtime, "The input size ", x[d], ", plus negative padding ", ends.before, " and ",
            ends.after, ", resulted in a ", may_empty ? "negative" : "non-positive", " output size, which is invalid. Check dimension ", d,
            " of your input");
    out.set(d, grown);
  }
  c.like(0, out);
  if (mode != Mode::Circular && c.op.kernel) keep_channels_last(c, {0});
}

void constant_pad_rule(RuleCall& c) {
  c.check_max_dims(c.sizes(0));
  padded_result(c, Mode::Constant);
  if (c.eager() && c.dtype(0)) number_in(c.op.name(), c.value(2), *c.dtype(0));
}

// Checks a padding of the last `dims` dims. The input is one image or a batch of images; an image must have elements.
void check_images(RuleCall& c, size_t dims) {
  SizesRef x = c.sizes(0);
  const auto length = c.length(1);
  c.check(!length || *length == 2 * dims, Runtime, "padding size is expected to be ", 2 * dims, ", but got ", c.ints(1));
  bool fits = !x.ranked() || x.size() == dims + 1 || x.size() == dims + 2;
  for (size_t d = x.size() == dims + 2 ? 1 : 0; fits && x.ranked() && d < x.size(); ++d) fits = !certainly(x[d] == 0);
  c.check(fits, Runtime, "Expected ", dims + 1, "D or ", dims + 2,
          "D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: ", x);
}

template <Mode kMode, size_t kDims>
void image_pad_rule(RuleCall& c) {
  check_images(c, kDims);
  padded_result(c, kMode);
}

// Circular padding covers all dims but the first, or all but the first two.
void circular_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const auto length = c.length(1);
  if (x.ranked() && length)
    c.check(*length % 2 == 0 && (x.size() == *length / 2 + 1 || x.size() == *length / 2 + 2), Runtime, "Invalid padding size, expected ",
            2 * (x.size() < 2 ? 0 : x.size() - 2), " but got ", *length);
  padded_result(c, Mode::Circular);
}

std::optional<Mode> mode_of(std::string_view word) {
  if (word == "constant") return Mode::Constant;
  if (word == "reflect") return Mode::Reflect;
  if (word == "replicate") return Mode::Replicate;
  return word == "circular" ? std::optional(Mode::Circular) : std::nullopt;
}

void pad_rule(RuleCall& c) {
  const auto word = c.text(2);
  if (!word) return c.unranked(0);
  const auto mode = mode_of(*word);
  c.check(mode.has_value(), ErrorKind::NotImplemented, "Unrecognised padding mode ", *word,
          "; expected constant, reflect, replicate or circular");
  if (*mode == Mode::Constant) {
    if (c.eager() && c.dtype(0) && !c.none(3)) number_in(c.op.name(), c.value(3), *c.dtype(0));
    return padded_result(c, *mode);
  }
  const auto value = c.none(3) ? std::optional(0.0) : c.real(3);
  c.check(!value || *value == 0, Runtime, "Padding mode \"", *word, "\" doesn't take in value argument");
  SizesRef x = c.sizes(0);
  const auto length = c.length(1);
  if (x.ranked() && length)
    c.check((*length == 2 || *length == 4 || *length == 6) && (x.size() == *length / 2 + 1 || x.size() == *length / 2 + 2),
            ErrorKind::NotImplemented,
            "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now, of the dims after the first "
            "or the first two; got padding ",
            c.ints(1), " for input of size ", x);
  if (length && *mode != Mode::Circular) check_images(c, *length / 2);
  padded_result(c, *mode);
}

// --- Decompositions.

// For each index of the padded dim: the index of the element that it shows, in the dim of size n.
Tensor source_indices(const Tensor& x, Mode mode, Size n, const DimPadding& ends) {
  const Size count = n + ends.before + ends.after;
  const Tensor all = x.is_meta() ? "arange"_op(count, nullptr, nullptr, x.device()) : "arange"_op(count);
  if (mode == Mode::Circular) {  // negative padding cuts first, and the rest is repeated
    const Size cut = min(ends.before, 0), left = n + cut + min(ends.after, 0);
    return "sub"_op("remainder"_op("sub"_op(all, max(ends.before, 0)), left), cut);
  }
  const Tensor at = "sub"_op(all, ends.before);
  if (mode == Mode::Replicate) return "clamp_max"_op("clamp_min"_op(at, 0), n - 1);
  return "rsub"_op("abs"_op("rsub"_op("abs"_op(at), n - 1)), n - 1);
}

IValue pad_by_indices(const IValue* a, Mode mode) {
  Tensor x = a[0].to_tensor();
  const Sizes pad = sizes_in(a[1]), own = sizes_of(x);
  bool same = true;
  for (size_t d = 0; d < own.size(); ++d) {
    const DimPadding ends = padding_of(pad, own.size(), d);
    if (ends.before.is(0) && ends.after.is(0)) continue;
    x = "index_select"_op(x, static_cast<int64_t>(d), source_indices(x, mode, own[d], ends)), same = false;
  }
  return same ? Tensor("clone"_op(x)) : x;
}

template <Mode kMode>
IValue decompose_pad_by_indices(const IValue* a) {
  return pad_by_indices(a, kMode);
}

IValue decompose_pad(const IValue* a) {
  const Mode mode = *mode_of(a[2].to_string());
  if (mode == Mode::Constant) return "constant_pad_nd"_op(a[0], a[1], a[3].is_none() ? IValue(0) : a[3]);
  if (mode == Mode::Circular) return "_pad_circular"_op(a[0], a[1]);
  const size_t dims = sizes_in(a[1]).size() / 2;
  if (mode == Mode::Reflect)
    return dims == 1   ? "reflection_pad1d"_op(a[0], a[1])
           : dims == 2 ? "reflection_pad2d"_op(a[0], a[1])
                       : "reflection_pad3d"_op(a[0], a[1]);
  return dims == 1   ? "replication_pad1d"_op(a[0], a[1])
         : dims == 2 ? "replication_pad2d"_op(a[0], a[1])
                     : "replication_pad3d"_op(a[0], a[1]);
}

}  // namespace

void padding(Registry& r) {
  r.op("constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor")
      .rule(constant_pad_rule)
      .kernel(constant_pad_kernel)
      .function_only()
      .gradient([](GradCall& c) {
        const Sizes pad = sizes_in(c.value(1));
        Sizes back;
        for (size_t k = 0; k < pad.size(); ++k) back.push_back(0 - pad[k]);
        c.set(0, "constant_pad_nd"_op(c.grad(), back));
      })
      .onnx("Pad(self, pads(pad, self), value)")
      .doc(
          "Pads `self` with `value`. `pad` says how many elements are added before and after each dim, the last dim first. Negative "
          "numbers remove elements.")
      .samples(R"([[x, p, 0.5] for x in [t(f32, 2, 3, 4), t(f64, 2, 3, 4), t(bf16, 2, 3), t(f16, 2, 3), t(f32, 4, 3).t(), t(c64, 2, 3)]
                    for p in ([1, 2], [0, 1, 2, 0], [-1, 1], [])]
                 + [[t(d, 2, 3), [1, 1, 0, 1], 2] for d in INTS + [b1]] + [[t(f32, 0, 3), [1, 1]], [t(f32, 0, 3), [1, 1, 1, 0]], [t(f32), []]]
                 + [[t(f32, 2, 3), p] for p in ([1], [1, 1, 1, 1, 1, 1], [-4, 0], [-2, -1], [-3, 0], [-1, -1, -1, 0])]
                 + [[t(u8, 2, 3), [1, 1], v] for v in (300, 2.7, -1)] + [[t(f32, 2), [1, 1], 1j], [t(f32, 2), [1, 1], inf]])");
  r.op("pad(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor")
      .rule(pad_rule)
      .decompose(decompose_pad, Reads::Nothing)
      .namespaced("_nn")
      .onnx(none("decomposes to the operator of its mode"))
      .doc(
          "`self` made larger at the ends of its last dims.\n\nmode: What the new places show: \"constant\", the number `value`; "
          "\"reflect\", "
          "the mirrored elements; \"replicate\", the element at the edge; \"circular\", those of the other end.\n\n>>> "
          "torch.nn.functional.pad(torch.tensor([1.0, 2.0]), (1, 2))")
      .samples(R"([[t(f32, 2, 3, 4), [1, 2], m] for m in ("constant", "reflect", "replicate", "circular", "mirror")]
                 + [[t(f64, 1, 2, 4, 5), [1, 2, 3, 1], m] for m in ("constant", "reflect", "replicate", "circular")]
                 + [[t(f32, 1, 2, 3, 4, 3), [1, 2, 1, 0, 2, 1], m] for m in ("constant", "reflect", "replicate", "circular")]
                 + [[t(f32, 2, 3), [1, 1], m, v] for m in ("constant", "reflect") for v in (0.0, 1.5)]
                 + [[t(f32, 2, 3), [1, 1, 1, 1], m] for m in ("constant", "reflect", "circular")] + [[t(i64, 2, 3), [1, 1], "constant", 2.0]]
                 + [[t(f32, 2, 3, 4), [0, 0], m] for m in ("constant", "reflect", "replicate", "circular")])");
  auto image = [&](const char* schema, RuleFn rule, StructuredKernel kernel, DecomposeFn decompose, const char* doc, const char* samples) {
    return r.op(schema)
        .rule(rule)
        .kernel(kernel)
        .decompose(decompose, Reads::Symbols)
        .namespaced("_nn")
        .onnx(none("decomposes to the choice of elements"))
        .doc(doc)
        .samples(samples);
  };
  constexpr const char* reflected = "`self` mirrored at the ends of its last dims, without its first and last element.";
  constexpr const char* replicated = "`self` with its first and last elements repeated along its last dims.";
  const char* lines = R"([[x, p] for x in (t(f32, 2, 3, 4), t(f64, 3, 5), t(bf16, 2, 4), t(f32, 4, 3, 2).permute(2, 1, 0))
      for p in ([1, 2], [0, 0], [3, 0], [-1, 2], [1, -1])] + [[t(f32, 2, 3), p] for p in ([3, 0], [0, 3], [-2, -1], [1], [1, 1, 1, 1])]
      + [[v, [1, 1]] for v in (t(f32, 3), t(f32, 0, 2, 3), t(f32, 2, 0), t(f32, 1, 1, 2, 3), t(c64, 2, 3))])";
  const char* planes = R"([[x, p] for x in (t(f32, 2, 3, 4, 5), t(f64, 3, 5, 4), t(f32, 5, 4, 3, 2).permute(3, 2, 1, 0))
      for p in ([1, 2, 2, 1], [0, 0, 0, 0], [2, 0, 0, 1], [-1, 2, 1, -1])] + [[t(f32, 2, 3, 4), p] for p in ([4, 0, 0, 0], [0, 0, 0, 3], [1, 1])]
      + [[v, [1, 1, 1, 1]] for v in (t(f32, 3, 3), t(f32, 0, 2, 3, 3), t(f32, 2, 0, 3, 3))])";
  const char* volumes =
      R"([[x, p] for x in (t(f32, 2, 3, 4, 3, 5), t(f64, 2, 3, 4, 3)) for p in ([1, 2, 2, 1, 1, 0], [0, 0, 0, 0, 0, 0], [-1, 2, 1, -1, 2, 0])]
      + [[t(f32, 1, 2, 3, 4), p] for p in ([4, 0, 0, 0, 0, 0], [1, 1])] + [[t(f32, 3, 3), [1, 1, 1, 1, 1, 1]]])";
  using enum Mode;
  image("reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor", image_pad_rule<Reflect, 1>, reflection_pad_kernel,
        decompose_pad_by_indices<Reflect>, reflected, lines)
      .autocast(Autocast::Float32);
  image("reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor", image_pad_rule<Reflect, 2>, reflection_pad_kernel,
        decompose_pad_by_indices<Reflect>, reflected, planes)
      .autocast(Autocast::Float32);
  image("reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor", image_pad_rule<Reflect, 3>, reflection_pad_kernel,
        decompose_pad_by_indices<Reflect>, reflected, volumes);
  image("replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor", image_pad_rule<Replicate, 1>, replication_pad_kernel,
        decompose_pad_by_indices<Replicate>, replicated, lines)
      .autocast(Autocast::Float32);
  image("replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor", image_pad_rule<Replicate, 2>, replication_pad_kernel,
        decompose_pad_by_indices<Replicate>, replicated, planes)
      .autocast(Autocast::Float32);
  image("replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor", image_pad_rule<Replicate, 3>, replication_pad_kernel,
        decompose_pad_by_indices<Replicate>, replicated, volumes)
      .autocast(Autocast::Float32);
  image("_pad_circular(Tensor self, SymInt[] pad) -> Tensor", circular_rule, circular_pad_kernel, decompose_pad_by_indices<Circular>,
        "`self` with the elements of the other end added at either end of its last dims.",
        R"([[x, p] for x in (t(f32, 2, 3, 4), t(f64, 3, 5)) for p in ([1, 2], [0, 0], [3, 0], [-1, 2], [1, -1])]
          + [[t(f32, 2, 3, 4, 5), p] for p in ([1, 2, 2, 1], [5, 0, 0, 4], [6, 0, 0, 0], [-1, 2, 1, -1])]
          + [[t(f32, 2, 2, 3, 4, 3), [1, 2, 2, 1, 0, 3]], [t(f32, 2, 3), [1, 1, 1, 1]], [t(i64, 2, 3), [1, 1]]])");
}

}  // namespace monograph
