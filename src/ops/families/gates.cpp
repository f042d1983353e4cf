// Activations that are not one pointwise formula: glu, prelu with learned slopes, rrelu with random slopes. Most are decompositions into other operators.
#include "ops/dispatch.h"
#include "ops/families/error_kinds.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

void glu_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  c.check_dtype(c.dtype(0), is_floating, "glu");
  if (!x.ranked()) return c.unranked(0);
  c.check(!x.empty(), Runtime, "glu does not support 0-dimensional tensors");
  const auto d = c.dim(1, x.size());
  if (!d) return c.like(0, Sizes(x.size(), Size()));
  c.check(mod(x[*d], 2) == 0, Runtime, "Halving dimension must be even, but dimension ", *d, " is size ", x[*d]);
  Sizes out = x;
  out.set(*d, floordiv(x[*d], 2));
  c.like(0, out);
}

// The weight of prelu has one element, or one for each channel (dim 1 of the input).
void prelu_rule(RuleCall& c) {
  SizesRef x = c.sizes(0), w = c.sizes(1);
  c.check(!c.dtype(0) || !c.dtype(1) || *c.dtype(0) == *c.dtype(1), Runtime, "prelu: Type promoting not supported. Got ",
          scalar_type(c.dtype(0)), " and ", scalar_type(c.dtype(1)));
  c.check_dtype(c.dtype(0), is_floating, "prelu");
  c.check(!w.ranked() || w.size() <= 1, Runtime, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = ", w.size());
  if (x.ranked() && w.ranked() && w.size() == 1) {
    const Size channels = x.size() < 2 ? Size(1) : x[1];
    c.check(!certainly(w[0] != 1) || !x.empty(), Runtime, "Not allow zero-dim input tensor.");
    c.check(w[0] == 1 || channels == w[0], Runtime,
            "Mismatch of parameter numbers and input channel size. Found parameter numbers = ", w[0], " and channel size = ", channels,
            ".");
  }
  c.like(0, x);
}

IValue decompose_prelu(const IValue* a) {
  const Tensor x = a[0].to_tensor(), w = a[1].to_tensor();
  if (w.dim() == 0 || x.dim() < 2) return "_prelu_kernel"_op(x, w.dim() == 0 ? w : Tensor("reshape"_op(w, Sizes(x.sizes().size(), 1))));
  Sizes shape(x.sizes().size(), 1);
  shape.set(1, size_of(w, 0));
  return "_prelu_kernel"_op(x, "reshape"_op(w, shape));
}

void rrelu_rule(RuleCall& c) {
  const auto low = c.real(1), high = c.real(2);
  c.check(!low || !high || *low <= *high, Runtime, "Lower bound should be less than or equal to the upper bound, but got ", low.value_or(0),
          " and ", high.value_or(0));
  c.check_dtype(c.dtype(0), is_floating, "rrelu");
  c.like(0, c.sizes(0));
}

// In training, each element that is not positive gets its own random slope, drawn in their order. Otherwise all get the mean slope.
IValue decompose_rrelu(const IValue* a) {
  const double low = a[1].to_double(), high = a[2].to_double();
  const Tensor x = a[0].to_tensor();
  if (!a[3].to_bool()) return "leaky_relu"_op(x, (low + high) / 2);
  const Tensor flat = "detach"_op("reshape"_op(x, Dims{-1}));
  const Tensor places = "squeeze"_op("nonzero"_op("le"_op(flat, 0)), 1);
  const Tensor drawn = "uniform_"_op("zeros"_op(sizes_of(places), DType::f64), low, high, a[4]);
  const Tensor slopes = "index_put"_op("ones_like"_op(flat), IValue::list({places}), "to"_op(drawn, x.dtype()));
  return "mul"_op(x, "reshape"_op(slopes, sizes_of(x)));
}

}  // namespace

void gates(Registry& r) {
  r.op("glu(Tensor self, int dim=-1) -> Tensor")
      .rule(glu_rule)
      .decompose(
          [](const IValue* a) -> IValue {
            const Tensor x = a[0].to_tensor();
            const Size n = size_of(x, a[1].to_int()), half = floordiv(n, 2);
            return "mul"_op("slice"_op(x, a[1], 0, half), "sigmoid"_op("slice"_op(x, a[1], half, n)));
          },
          Reads::Symbols)
      .namespaced("_nn")
      .onnx(none("decomposes to its halves"))
      .doc("The first half of `self` along `dim` times the sigmoid of the second.")
      .samples(
          R"([[x, d] for x in (t(f32, 2, 4, 6), t(f64, 4, 2, 2), t(bf16, 2, 2, 4), t(c64, 2, 2, 2), t(f32, 6, 4, 2).permute(2, 1, 0)) for d in (-1, 1)]
                 + [[t(f32, 2, 3), 1], [t(f32), 0], [t(i64, 2), 0], [t(f32, 2, 4), 2], [t(f32, 0, 4)]])");
  r.pointwise("_prelu_kernel(Tensor self, Tensor weight) -> Tensor",
              [](Num x, Num weight) { return where(x > lit(x.t, 0.0), x, weight * x); })
      .dtypes(kFloating)
      .function_only()
      .slope(0, [](const Num* x, Num) { return where(x[0] > lit(x[0].t, 0.0), lit(x[0].t, 1.0), x[1]); })
      .slope(1, [](const Num* x, Num) { return where(x[0] > lit(x[0].t, 0.0), lit(x[0].t, 0.0), x[0]); })
      .onnx("PRelu")
      .doc("`self` where it is positive, else `weight` times it.\n\nweight: The factors of negative elements.")
      .special(Special::MixedDtypes, "PyTorch's asks for one dtype");
  r.op("prelu(Tensor self, Tensor weight) -> Tensor")
      .rule(prelu_rule)
      .decompose(decompose_prelu, Reads::Symbols)
      .onnx(none("decomposes to a weight that broadcasts"))
      .autocast(Autocast::LowerPrecision)
      .doc(
          "`self` where it is positive, else `weight` times it: one weight, or one for each channel (dim 1).\n\nweight: The factor of "
          "negative elements, one number or one for each channel.\n\n>>> torch.prelu(torch.tensor([-2.0, 3.0]), torch.tensor([0.25]))")
      .samples(
          R"([[t(d, 2, 3, 4), w] for d in (f32, f64) for w in (t(d, 3), t(d, 1), t(d))] + [[t(f32, 3), t(f32, 1)], [t(f32), t(f32, 1)], [t(f32), t(f32)]]
                 + [[t(f32, 2, 3), v] for v in (t(f32, 2), t(f64, 3), t(f32, 1, 3))] + [[t(f32, 3), t(f32, 3)], [t(i64, 2), t(i64, 1)], [t(bf16, 2, 3), t(bf16, 3)],
                    [t(f32), t(f32, 2)], [t(f32, 0, 3), t(f32, 3)]])");
  r.op("rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor")
      .rule(rrelu_rule)
      .decompose(decompose_rrelu, Reads::Symbols)
      .function_only()
      .effects(kDraws)
      .onnx(none("ONNX has no drawn slopes"))
      .doc("Negative elements times a slope: the mean of `lower` and `upper`, or in training one that is drawn between them for each.")
      .samples(
          R"([[x] for x in (t(f32, 2, 3), t(f64, 2, 3), t(f32, 3, 2).t(), special(f32))] + [[t(f32, 3), 0.2, 0.4], [t(f32, 3), 0.4, 0.2], [t(i64, 3)]])")
      .special(Special::OtherSchemaText, "the shortest text of a third");
}

}  // namespace monograph
