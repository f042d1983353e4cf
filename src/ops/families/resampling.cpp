// Resampling to another size: the operators that torch.nn.functional.interpolate calls, over one, two and three dims. Each mode has three records: the
// overload that takes output sizes, which has a kernel; the overload "vec", which takes sizes or scale factors and calls the first; and the gradient.
#include "kernels/resampling.h"

#include <cmath>

#include "ops/dispatch.h"
#include "ops/families/error_kinds.h"
#include "ops/infer.h"
#include "ops/layouts.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

// How many dims an operator resamples, and whether it interpolates (linear and cubic) or takes the nearest element. Interpolating operators have one more
// argument, align_corners, so their later arguments stand one place further.
template <size_t kDims, bool kSmooth>
struct ResamplingArguments {
  static constexpr size_t dims = kDims;
  static constexpr bool smooth = kSmooth;
};

// Checks that x is a batch of images with channels, and that no image is empty.
void check_batch(const RuleCall& c, SizesRef x, size_t dims) {
  bool fits = !x.ranked() || x.size() == dims + 2;
  for (size_t d = 1; fits && x.ranked() && d < x.size(); ++d) fits = !certainly(x[d] == 0);
  c.check(fits, Runtime, "Non-empty ", dims + 2, "D data tensor expected but got a tensor with sizes ", x);
}

void check_target(const RuleCall& c, SizesRef x, SizesRef to, size_t dims) {
  c.check(!to.ranked() || to.size() == dims, Runtime, "It is expected output_size equals to ", dims, ", but got size ", to.size());
  for (size_t d = 0; to.ranked() && d < dims; ++d)
    c.check(to[d] > 0 && (!x.ranked() || x[2 + d] > 0), Runtime, "Input and output sizes should be greater than 0, but got input ", x,
            " and output ", to);
}

void request_scratch(RuleCall& c, SizesRef from, SizesRef to, size_t dims) {
  if (!c.eager() || c.meta()) return;
  int64_t in[3], out[3];
  for (size_t d = 0; d < dims; ++d) in[d] = from[from.size() - dims + d].as_int(), out[d] = to[d].as_int();
  c.scratch(resampling_scratch(in, out, dims, c.threads()));
}

template <class P>
void check_input_dtype(const RuleCall& c) {
  c.check_dtype(c.dtype(0), [](DType t) { return is_floating(t) || ((!P::smooth || P::dims == 2) && t == DType::u8); });
}

// The sizes of x with the sizes `to` in place of the resampled dims.
Sizes resampled(SizesRef x, SizesRef to, size_t dims) {
  Sizes out = x;
  for (size_t d = 0; d < dims; ++d) out.set(2 + d, to[d]);
  return out;
}

template <class P>
void forward_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const Sizes to = c.ints(1);
  check_batch(c, x, P::dims), check_target(c, x, to, P::dims);
  check_input_dtype<P>(c);
  if (!x.ranked() || !to.ranked()) return c.unranked(0);
  c.contiguous(0);
  c.like(0, resampled(x, to, P::dims));
  keep_channels_last(c, {0});
  request_scratch(c, x, to, P::dims);
}

template <class P, bool kKeepsFormat>
void backward_rule(RuleCall& c) {
  SizesRef g = c.sizes(0);
  const Sizes to = c.ints(1), from = c.ints(2);
  check_batch(c, from, P::dims), check_target(c, from, to, P::dims);
  c.check(!g.ranked() || g.size() == P::dims + 2, Runtime, "expected a gradient of ", P::dims + 2, " dims, but got size ", g);
  for (size_t d = 0; g.ranked() && to.ranked() && from.ranked() && d < g.size(); ++d)
    c.check(g[d] == (d < 2 ? from[d] : to[d - 2]), Runtime, "expected a gradient of size ", from.size() < 2 ? Size() : from[0], ", ",
            from[1], ", ", to, ", but got ", g);
  const auto t = c.dtype(0);
  c.check(!t || *t == DType::f32 || *t == DType::f64, ErrorKind::NotImplemented, "gradients are not implemented for '", scalar_type(t),
          "'; compute in float32");
  if (!from.ranked()) return c.unranked(0);
  c.contiguous(0);
  c.like(0, from);
  if (kKeepsFormat) keep_channels_last(c, {0});
  request_scratch(c, from, to, P::dims);
}

template <class P, detail::FixedString Backward>
void forward_gradient(GradCall& c) {
  auto scale = [&](size_t k) { return k < P::dims ? c.value((P::smooth ? 3 : 2) + k) : IValue(); };
  const NamedOp<Backward> backward;
  if constexpr (P::smooth && P::dims == 1) c.set(0, backward(c.grad(), c.value(1), c.sizes(0), c.value(2), scale(0)));
  else if constexpr (P::smooth && P::dims == 2) c.set(0, backward(c.grad(), c.value(1), c.sizes(0), c.value(2), scale(0), scale(1)));
  else if constexpr (P::smooth) c.set(0, backward(c.grad(), c.value(1), c.sizes(0), c.value(2), scale(0), scale(1), scale(2)));
  else if constexpr (P::dims == 1) c.set(0, backward(c.grad(), c.value(1), c.sizes(0), scale(0)));
  else if constexpr (P::dims == 2) c.set(0, backward(c.grad(), c.value(1), c.sizes(0), scale(0), scale(1)));
  else c.set(0, backward(c.grad(), c.value(1), c.sizes(0), scale(0), scale(1), scale(2)));
}

template <class P, detail::FixedString Forward>
void backward_gradient(GradCall& c) {
  auto scale = [&](size_t k) { return c.value((P::smooth ? 4 : 3) + k); };
  const NamedOp<Forward> forward;
  if constexpr (P::smooth && P::dims == 1) c.set(0, forward(c.grad(), c.value(1), c.value(3), scale(0)));
  else if constexpr (P::smooth && P::dims == 2) c.set(0, forward(c.grad(), c.value(1), c.value(3), scale(0), scale(1)));
  else if constexpr (P::smooth) c.set(0, forward(c.grad(), c.value(1), c.value(3), scale(0), scale(1), scale(2)));
  else if constexpr (P::dims == 1) c.set(0, forward(c.grad(), c.value(1), scale(0)));
  else if constexpr (P::dims == 2) c.set(0, forward(c.grad(), c.value(1), scale(0), scale(1)));
  else c.set(0, forward(c.grad(), c.value(1), scale(0), scale(1), scale(2)));
}

// --- The overloads "vec", which take lists of sizes or of scale factors.

// n times the factor, rounded down. A symbolic n gives a known size only if the factor is a multiple of 1/1024 or 1 over an integer.
Size scaled(Size n, double factor) {
  if (n.is_int()) return static_cast<int64_t>(static_cast<double>(n.as_int()) * factor);
  for (int64_t denominator = 1; denominator <= 1024 && factor > 0 && factor < 1024; denominator *= 2)  // the product is exact
    if (const double numerator = factor * static_cast<double>(denominator); numerator == std::floor(numerator))
      return floordiv(n * static_cast<int64_t>(numerator), denominator);
  const double divisor = 1 / factor;
  return factor > 0 && divisor == std::floor(divisor) ? floordiv(n, static_cast<int64_t>(divisor)) : Size();
}

constexpr const char* kEitherOne = "Must specify exactly one of output_size and scale_factors";

template <class P>
void vec_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  constexpr size_t factors = P::smooth ? 3 : 2;
  // In a graph both may be computed values; which one is None is known only when the graph runs.
  const bool undecided = !c.none(1) && !c.none(factors) && !c.known(1).items && !c.known(factors).items;
  c.check(undecided || c.none(1) != c.none(factors), Runtime, kEitherOne);
  check_batch(c, x, P::dims);
  Sizes to;
  if (undecided) {
    for (size_t d = 0; d < P::dims; ++d) to.push_back(Size());
  } else if (!c.none(1)) {
    to = c.ints(1);
  } else {
    const auto items = c.known(factors).items;
    c.check(!items || items->size() == P::dims, Runtime, "It is expected scale_factors equals to ", P::dims, ", but got size ",
            items ? items->size() : 0);
    for (size_t d = 0; d < P::dims; ++d) {
      const AbstractValue* item = items ? &(*items)[d] : nullptr;
      std::optional<double> factor;
      if (item && item->integer && item->integer->is_int()) factor = static_cast<double>(item->integer->as_int());
      else if (item) factor = item->number;
      to.push_back(x.ranked() && factor.has_value() ? scaled(x[2 + d], *factor) : Size());
    }
  }
  check_target(c, x, to, P::dims);
  check_input_dtype<P>(c);
  if (!x.ranked() || !to.ranked()) return c.unranked(0);
  c.like(0, resampled(x, to, P::dims));
  keep_channels_last(c, {0});
}

template <class P, detail::FixedString Name>
IValue decompose_vec(const IValue* a) {
  const NamedOp<Name> op;
  const IValue& factors = a[P::smooth ? 3 : 2];
  IValue to = a[1];
  std::array<IValue, 3> scale;
  if (to.is_none()) {
    Sizes sizes;
    const Tensor& x = a[0].as_tensor();
    for (size_t d = 0; d < P::dims; ++d) {
      scale[d] = factors.is_ints() ? static_cast<double>(factors.to_ints()[d]) : factors.items()[d].to_double();
      const Size size = scaled(size_of(x, static_cast<int64_t>(d) + 2), scale[d].to_double());
      sizes.push_back(size.known() ? size : scaled(fixed_size(x, static_cast<int64_t>(d) + 2), scale[d].to_double()));
    }
    to = sizes;
  }
  if constexpr (P::smooth && P::dims == 1) return op(a[0], to, a[2], scale[0]);
  else if constexpr (P::smooth && P::dims == 2) return op(a[0], to, a[2], scale[0], scale[1]);
  else if constexpr (P::smooth) return op(a[0], to, a[2], scale[0], scale[1], scale[2]);
  else if constexpr (P::dims == 1) return op(a[0], to, scale[0]);
  else if constexpr (P::dims == 2) return op(a[0], to, scale[0], scale[1]);
  else return op(a[0], to, scale[0], scale[1], scale[2]);
}

// The gradient is that of the first overload, with the sizes of the result as output sizes.
template <class P, detail::FixedString Backward>
void vec_gradient(GradCall& c) {
  constexpr size_t factors = P::smooth ? 3 : 2;
  const IValue given = c.value(factors);
  auto scale = [&](size_t k) {
    return given.is_none() || k >= P::dims ? IValue()
           : given.is_ints()               ? IValue(static_cast<double>(given.to_ints()[k]))
                                           : given.items()[k];
  };
  const Sizes whole = sizes_of(c.grad());
  Sizes to;
  for (size_t d = whole.size() - P::dims; d < whole.size(); ++d) to.push_back(whole[d]);
  const NamedOp<Backward> backward;
  if constexpr (P::smooth && P::dims == 1) c.set(0, backward(c.grad(), to, c.sizes(0), c.value(2), scale(0)));
  else if constexpr (P::smooth && P::dims == 2) c.set(0, backward(c.grad(), to, c.sizes(0), c.value(2), scale(0), scale(1)));
  else if constexpr (P::smooth) c.set(0, backward(c.grad(), to, c.sizes(0), c.value(2), scale(0), scale(1), scale(2)));
  else if constexpr (P::dims == 1) c.set(0, backward(c.grad(), to, c.sizes(0), scale(0)));
  else if constexpr (P::dims == 2) c.set(0, backward(c.grad(), to, c.sizes(0), scale(0), scale(1)));
  else c.set(0, backward(c.grad(), to, c.sizes(0), scale(0), scale(1), scale(2)));
}

// The schemas and kernels of the three records of one mode.
struct ResamplingMode {
  const char *schema, *vec, *backward;
  StructuredKernel kernel, backward_kernel;
  const char* doc;
  const char* onnx = nullptr;
  bool backward_keeps_format = true;  // PyTorch's gradients of bicubic resampling, and of the nearest elements of volumes, are contiguous
};

constexpr const char* kSamples[2][3] = {
    {R"([[x, [n], s] for x in (t(f32, 2, 3, 5), t(f64, 1, 2, 7), t(bf16, 1, 2, 4), t(u8, 1, 2, 5), t(f32, 5, 3, 2).permute(2, 1, 0))
         for n in (1, 3, 5, 8, 10, 14) for s in (None, 2.3)]
       + [[v, [8], None] for v in (t(f32, 3, 5), t(f32, 0, 3, 5), t(f32, 2, 3, 0), t(i64, 1, 2, 3))] + [[t(f32, 2, 3, 5), n] for n in ([0], [3, 3], [-1])])",
     R"([[x, n, *s] for x in (t(f32, 2, 3, 5, 4), t(f64, 1, 2, 7, 3), t(f16, 1, 2, 4, 4), t(u8, 1, 2, 5, 6), t(f32, 5, 4, 3, 2).permute(3, 2, 1, 0))
         for n in ([1, 1], [3, 2], [10, 8], [5, 9]) for s in ((None, None), (2.3, 1.7))]
       + [[v, [3, 2]] for v in (t(f32, 3, 5, 5), t(f32, 0, 3, 5, 5), t(f32, 2, 3, 0, 4), t(i64, 1, 2, 3, 3))] + [[t(f32, 2, 3, 5, 5), n] for n in ([0, 2], [3])])",
     R"([[x, n, *s] for x in (t(f32, 2, 3, 3, 5, 4), t(f64, 1, 2, 2, 4, 3)) for n in ([1, 1, 1], [3, 2, 5], [6, 10, 8], [2, 5, 9])
         for s in ((None, None, None), (1.5, 2.3, 1.7))]
       + [[v, [4, 4, 4]] for v in (t(f32, 3, 5, 5, 5), t(f32, 2, 3, 0, 4, 4))] + [[t(f32, 2, 3, 2, 5, 5), n] for n in ([0, 2, 2], [3, 3])])"},
    {R"([[x, [n], c, s] for x in (t(f32, 2, 3, 5), t(f64, 1, 2, 7), t(bf16, 1, 2, 4), t(f32, 5, 3, 2).permute(2, 1, 0))
         for n in (1, 3, 5, 8, 10) for c in (False, True) for s in (None, 2.3)]
       + [[v, [8], False] for v in (t(f32, 3, 5), t(f32, 0, 3, 5), t(f32, 2, 3, 0), t(i64, 1, 2, 3))] + [[t(f32, 2, 3, 5), n, True] for n in ([0], [3, 3], [-1])])",
     R"([[x, n, c, *s] for x in (t(f32, 2, 3, 5, 4), t(f64, 1, 2, 7, 3), t(f32, 1, 1, 1, 3), t(f32, 5, 4, 3, 2).permute(3, 2, 1, 0))
         for n in ([1, 1], [3, 2], [10, 8], [5, 9]) for c in (False, True) for s in ((None, None), (2.3, 1.7))]
       + [[v, [3, 2], False] for v in (t(f32, 3, 5, 5), t(f32, 0, 3, 5, 5), t(f32, 2, 3, 0, 4), t(i64, 1, 2, 3, 3))] + [[t(f32, 2, 3, 5, 5), n, True] for n in ([0, 2], [3])])",
     R"([[x, n, c, *s] for x in (t(f32, 2, 3, 3, 5, 4), t(f64, 1, 2, 1, 4, 3)) for n in ([1, 1, 1], [3, 2, 5], [6, 10, 8], [2, 5, 9])
         for c in (False, True) for s in ((None, None, None), (1.5, 2.3, 1.7))]
       + [[v, [4, 4, 4], False] for v in (t(f32, 3, 5, 5, 5), t(f32, 2, 3, 0, 4, 4))] + [[t(f32, 2, 3, 2, 5, 5), n, True] for n in ([0, 2, 2], [3, 3])])"}};
constexpr const char* kVecSamples[2][3] = {
    {"[[t(f32, 2, 3, 5), *n] for n in (([7], None), (None, [2.0]), (None, [0.7]), (None, None), ([7], [2.0]), (None, [0.1]))]",
     "[[t(f32, 2, 3, 5, 4), *n] for n in (([7, 3], None), (None, [2.0, 1.3]), (None, [0.7, 0.5]), (None, None), ([7, 3], [2.0, 2.0]))]",
     "[[t(f32, 1, 2, 3, 5, 4), *n] for n in (([2, 7, 3], None), (None, [1.0, 2.0, 1.3]), (None, None), ([1, 7, 3], [2.0, 2.0, 1.0]))]"},
    {"[[t(f32, 2, 3, 5), n, c, s] for c in (False, True) for n, s in (([7], None), (None, [2.0]), (None, [0.7]), (None, None), ([7], "
     "[2.0]), (None, [0.1]))]",
     "[[t(f32, 2, 3, 5, 4), n, c, s] for c in (False, True) for n, s in (([7, 3], None), (None, [2.0, 1.3]), (None, [0.7, 0.5]), (None, "
     "None), ([7, 3], [2.0, 2.0]))]",
     "[[t(f32, 1, 2, 3, 5, 4), n, c, s] for c in (False, True) for n, s in (([2, 7, 3], None), (None, [1.0, 2.0, 1.3]), (None, None), ([1, "
     "7, 3], [2.0, 2.0, 1.0]))]"}};

template <class P, detail::FixedString Name, detail::FixedString Backward>
void add(Registry& r, const ResamplingMode& mode) {
  {  // ends before "vec" is stated, so that this overload is tried first
    auto b = r.op(mode.schema);
    if (mode.onnx) b.onnx(mode.onnx);
    else b.onnx(none("Resize rounds sizes and places in another way"));
    b.rule(forward_rule<P>)
        .kernel(mode.kernel)
        .namespaced("_nn")
        .gradient(forward_gradient<P, Backward>)
        .doc(mode.doc)
        .samples(kSamples[P::smooth][P::dims - 1]);
  }
  r.op(mode.vec)
      .rule(vec_rule<P>)
      .decompose(decompose_vec<P, Name>, Reads::Symbols)
      .gradient(vec_gradient<P, Backward>)
      .namespaced("_nn")
      .onnx(none("decomposes to the overload of sizes"))
      .doc(mode.doc)
      .samples(kVecSamples[P::smooth][P::dims - 1]);
  r.op(mode.backward)
      .rule(mode.backward_keeps_format ? backward_rule<P, true> : backward_rule<P, false>)
      .kernel(mode.backward_kernel)
      .namespaced("_nn")
      .gradient(backward_gradient<P, Name>)
      .onnx(none("training only"))
      .doc("The gradient of resampling.")
      .samples(none("resampling's gradient: gradients_test has its results"));
}

constexpr const char* kNearest = "The element of `self` nearest to the start of each result's part.";
constexpr const char* kExact = "The element of `self` nearest to the middle of each result's part.";
constexpr const char* kLinear =
    "Between the two nearest elements of `self` along each dim; `align_corners` puts the first and last ones at the ends.";
constexpr const char* kCubic = "Cubic sums of the four nearest elements of `self` along each dim.";

}  // namespace

void resampling(Registry& r) {
  add<ResamplingArguments<1, false>, "upsample_nearest1d", "upsample_nearest1d_backward">(
      r, {"upsample_nearest1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
          "upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
          "upsample_nearest1d_backward(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, float? scales=None) -> Tensor",
          nearest_kernel, nearest_backward_kernel, kNearest,
          "Resize(self, None, None, output_size, axes=[2], mode=\"nearest\", coordinate_transformation_mode=\"asymmetric\", "
          "nearest_mode=\"floor\") if opset >= 18, scales = None"});
  add<ResamplingArguments<2, false>, "upsample_nearest2d", "upsample_nearest2d_backward">(
      r, {"upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
          "upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
          "upsample_nearest2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? scales_h=None, float? "
          "scales_w=None) -> Tensor",
          nearest_kernel, nearest_backward_kernel, kNearest,
          "Resize(self, None, None, output_size, axes=[2, 3], mode=\"nearest\", coordinate_transformation_mode=\"asymmetric\", "
          "nearest_mode=\"floor\") if opset >= 18, scales_h = None, scales_w = None"});
  add<ResamplingArguments<3, false>, "upsample_nearest3d", "upsample_nearest3d_backward">(
      r,
      {"upsample_nearest3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
       "upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
       "upsample_nearest3d_backward(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, float? scales_d=None, float? "
       "scales_h=None, float? scales_w=None) -> Tensor",
       nearest_kernel, nearest_backward_kernel, kNearest,
       "Resize(self, None, None, output_size, axes=[2, 3, 4], mode=\"nearest\", coordinate_transformation_mode=\"asymmetric\", "
       "nearest_mode=\"floor\") if opset >= 18, scales_d = None, scales_h = None, scales_w = None",
       false});
  add<ResamplingArguments<1, false>, "_upsample_nearest_exact1d", "_upsample_nearest_exact1d_backward">(
      r,
      {"_upsample_nearest_exact1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
       "_upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
       "_upsample_nearest_exact1d_backward(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, float? scales=None) -> Tensor",
       nearest_exact_kernel, nearest_exact_backward_kernel, kExact});
  add<ResamplingArguments<2, false>, "_upsample_nearest_exact2d", "_upsample_nearest_exact2d_backward">(
      r,
      {"_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
       "_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
       "_upsample_nearest_exact2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? scales_h=None, float? "
       "scales_w=None) -> Tensor",
       nearest_exact_kernel, nearest_exact_backward_kernel, kExact});
  add<ResamplingArguments<3, false>, "_upsample_nearest_exact3d", "_upsample_nearest_exact3d_backward">(
      r,
      {"_upsample_nearest_exact3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> "
       "Tensor",
       "_upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
       "_upsample_nearest_exact3d_backward(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, float? scales_d=None, float? "
       "scales_h=None, float? scales_w=None) -> Tensor",
       nearest_exact_kernel, nearest_exact_backward_kernel, kExact, nullptr, false});
  add<ResamplingArguments<1, true>, "upsample_linear1d", "upsample_linear1d_backward">(
      r, {"upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor",
          "upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
          "upsample_linear1d_backward(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, bool align_corners, float? "
          "scales=None) -> Tensor",
          linear_resample_kernel, linear_resample_backward_kernel, kLinear,
          "Resize(self, None, None, output_size, axes=[2], mode=\"linear\", coordinate_transformation_mode=\"half_pixel\") if opset >= 18, "
          "align_corners = False, scales = None | Resize(self, None, None, output_size, axes=[2], mode=\"linear\", "
          "coordinate_transformation_mode=\"align_corners\") if opset >= 18, align_corners = True, scales = None"});
  add<ResamplingArguments<2, true>, "upsample_bilinear2d", "upsample_bilinear2d_backward">(
      r,
      {"upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
       "upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
       "upsample_bilinear2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? "
       "scales_h=None, float? scales_w=None) -> Tensor",
       linear_resample_kernel, linear_resample_backward_kernel, kLinear,
       "Resize(self, None, None, output_size, axes=[2, 3], mode=\"linear\", coordinate_transformation_mode=\"half_pixel\") if opset >= 18, "
       "align_corners = False, scales_h = None, scales_w = None | Resize(self, None, None, output_size, axes=[2, 3], mode=\"linear\", "
       "coordinate_transformation_mode=\"align_corners\") if opset >= 18, align_corners = True, scales_h = None, scales_w = None"});
  add<ResamplingArguments<2, true>, "upsample_bicubic2d", "upsample_bicubic2d_backward">(
      r,
      {"upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
       "upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
       "upsample_bicubic2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? "
       "scales_h=None, float? scales_w=None) -> Tensor",
       cubic_resample_kernel, cubic_resample_backward_kernel, kCubic, nullptr, false});
  add<ResamplingArguments<3, true>, "upsample_trilinear3d", "upsample_trilinear3d_backward">(
      r, {"upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? "
          "scales_w=None) -> Tensor",
          "upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
          "upsample_trilinear3d_backward(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, bool align_corners, float? "
          "scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
          linear_resample_kernel, linear_resample_backward_kernel, kLinear});
}

}  // namespace monograph
