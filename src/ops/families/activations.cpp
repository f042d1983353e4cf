// Activations that work element by element: relu, sigmoid, silu, gelu, elu, ... Each is one pointwise record. Its body is the formula in Num, which is
// compiled to a kernel. Slopes are stated where the chain rule through the body would overflow or give NaN.
#include "ops/dispatch.h"
#include "ops/elementary/detail.h"
#include "ops/registry.h"

namespace monograph {
namespace {

constexpr double kInvSqrt2 = 0.70710678118654752440, kInvSqrt2Pi = 0.39894228040143267794;
constexpr double kSqrt2OverPi = 0.79788456080286535588;

// 1 / (1 + e^-x). It is NaN only for NaN: where e^-x overflows, the quotient is 0.
Num logistic(Num x) { return 1.0 / (1.0 + exp(-x)); }
Complex logistic(Complex z) {
  Complex one = z.literal(1.0);
  return one / (one + exp(-z));
}
// The same function, for use in slopes. A slope may be differentiated again, and the derivative through 1 + e^-x is NaN where e^-x is infinite. In this form no
// part exceeds 1, and it is smooth on either side of 0.
Num logistic_slope(Num x) {
  Num small = exp(where(x < 0.0, x, -x));
  return where(x < 0.0, small, lit(x.t, 1.0)) / (1.0 + small);
}
Num self_gated(Num x) { return x / (1.0 + exp(-x)); }
Complex self_gated(Complex z) { return z / (z.literal(1.0) + exp(-z)); }

// x (1 + erf(x / sqrt 2)) / 2. In float32 it is x (1/2 + t g(t^2)), where g is a quotient of polynomials with t g(t^2) = erf(t / sqrt 2) / 2. That is as exact
// as erf and twice as fast. t is x clamped to [-5.44, 5.44]: at the ends t g(t^2) is exactly 1/2 or -1/2, so large x give x, and very negative ones -0.
Num gelu(Num x) {
  if (x.t != DType::f32) return 0.5 * x * (1.0 + erf(kInvSqrt2 * x));
  Num t = detail::at_least(detail::at_most(x, 5.44), -5.44), u = t * t;
  Num g = tables::kNormalF32C + detail::polynomial(u, tables::kNormalF32P) / detail::monic_polynomial(u, tables::kNormalF32Q);
  return x * (0.5 + t * g);
}

Num gelu_tanh_inner(Num x) { return kSqrt2OverPi * (x + 0.044715 * (x * x * x)); }

Num softplus(Num x, Num beta, Num threshold) { return where(threshold < x * beta, x, log1p(exp(x * beta)) / beta); }

constexpr double kSeluAlpha = 1.6732632423543772848, kSeluScale = 1.0507009873554804934;

}  // namespace

void activations(Registry& r) {
  r.pointwise("relu(Tensor self) -> Tensor",
              [](Num x) {
                Num zero = lit(x.t, 0.0);
                return where(x < zero, zero, x);
              })
      .dtypes(kFloating | kIntegral)
      .inplace()
      .operator_out()
      .slope(0,
             [](const Num* x, Num y) {
               Num zero = lit(y.t, 0.0);
               return where(y <= zero, zero, lit(x[0].t, 1.0));
             })
      .piecewise_linear()
      .onnx("Relu")
      .doc("`self` where it is positive, else 0.");
  r.pointwise("sigmoid(Tensor self) -> Tensor", [](auto x) { return logistic(x); })
      .promote(Promote::Float)
      .dtypes(kFloating | kComplex)
      .inplace()
      .out()
      .alias({"special_expit"})
      // The slope uses the result: the chain rule through the body gives NaN below -88.
      .slope(0, [](const Num*, Num y) { return y * (1.0 - y); })
      .onnx("Sigmoid")
      .doc("1 / (1 + exp(-self)).");
  r.pointwise("silu(Tensor self) -> Tensor", [](auto x) { return self_gated(x); })
      .dtypes(kFloating | kComplex)
      .inplace()
      .out()
      .namespaced("_nn")
      .slope(0,
             [](const Num* x, Num) {
               Num s = logistic_slope(x[0]);
               return s * (1.0 + x[0] * (1.0 - s));
             })
      .onnx("Swish(self) if opset >= 24 | Mul(self, Sigmoid(self))")
      .doc("`self` times sigmoid(`self`).");
  r.pointwise("gelu(Tensor self, *, str approximate='none') -> Tensor", gelu)
      .dtypes(kFloating)
      .inplace()
      .out()
      .namespaced("_nn")
      .slope(0, [](const Num* x, Num) { return 0.5 * (1.0 + erf(kInvSqrt2 * x[0])) + x[0] * (kInvSqrt2Pi * exp(-0.5 * (x[0] * x[0]))); })
      .variant(
          "approximate", "tanh", [](Num x) { return 0.5 * x * (1.0 + tanh(gelu_tanh_inner(x))); },
          [](const Num* x, Num) {
            Num t = tanh(gelu_tanh_inner(x[0]));
            Num inner = kSqrt2OverPi * (1.0 + 3.0 * 0.044715 * (x[0] * x[0]));
            return 0.5 * (1.0 + t) + 0.5 * x[0] * (1.0 - t * t) * inner;
          })
      .onnx("Gelu(self, approximate=approximate) if opset >= 20")
      .doc("`self` times the normal distribution's cumulative function, or its tanh approximation.");
  r.pointwise("leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
              [](Num x, Num s) { return where(x > lit(x.t, 0.0), x, x * s); })
      .dtypes(kFloating)
      .inplace()
      .out()
      .namespaced("_nn")
      .slope(0, [](const Num* x, Num) { return where(x[0] > lit(x[0].t, 0.0), lit(x[0].t, 1.0), x[1]); })
      .piecewise_linear()
      .onnx("LeakyRelu(self, alpha=negative_slope)")
      .doc("Negative elements times `negative_slope`.")
      .samples("pointwise() + [[t(f32, 3), 1j], [t(f32, 3), 1e39]]");
  r.pointwise("elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
              [](Num x, Num alpha, Num scale, Num input) { return where(x < lit(x.t, 0.0), alpha * scale * expm1(x * input), x * scale); })
      .dtypes(kFloating)
      .inplace()
      .out()
      .namespaced("_nn")
      .slope(0,
             [](const Num* x, Num) {
               // exp() gets no positive element, which could overflow. At 0 it gets a constant, so that the second derivative is that of x > 0.
               Num zero = lit(x[0].t, 0.0), below = where(x[0] >= zero, zero, x[0]);
               return where(x[0] > zero, x[2], x[1] * x[2] * x[3] * exp(below * x[3]));
             })
      .onnx("Elu(self) | Elu(self, alpha=alpha)")
      .doc("scale * (exp(input_scale * self) - 1) below 0.")
      .samples("pointwise() + [[t(f32, 3), 1j, 1, 1]]");
  r.pointwise("softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", softplus)
      .dtypes(kFloating)
      .out()
      .namespaced("_nn")
      .slope(0, [](const Num* x, Num) { return where(x[2] < x[0] * x[1], lit(x[0].t, 1.0), logistic_slope(x[0] * x[1])); })
      .onnx("Softplus(self) | Div(Softplus(Mul(self, beta)), beta)")
      .doc("log(1 + exp(beta * self)) / beta.");
  r.pointwise(
       "selu(Tensor self) -> Tensor",
       [](Num x) { return where(x <= lit(x.t, 0.0), lit(x.t, kSeluAlpha) * lit(x.t, kSeluScale) * expm1(x), x * lit(x.t, kSeluScale)); })
      .dtypes(kFloating)
      .inplace()
      .function_only()
      .slope(0,
             [](const Num* x, Num) {
               Num zero = lit(x[0].t, 0.0), below = where(x[0] >= zero, zero, x[0]);  // as for elu
               return where(x[0] > zero, lit(x[0].t, kSeluScale), lit(x[0].t, kSeluAlpha) * lit(x[0].t, kSeluScale) * exp(below));
             })
      .onnx("Selu(self)")
      .doc("elu with the alpha and scale that keep a layer's mean at 0 and its variance at 1.")
      .samples("pointwise()");
  // The argument of exp is never positive, so nothing overflows.
  r.pointwise("log_sigmoid(Tensor self) -> Tensor",
              [](Num x) {
                Num zero = lit(x.t, 0.0);
                return minimum(x, zero) - log1p(exp(where(x < zero, x, -x)));
              })
      .dtypes(kFloating)
      .contiguous_result()
      .out()
      .namespaced("_nn")
      .slope(0, [](const Num* x, Num) { return logistic_slope(-x[0]); })
      .keeps("buffer", [](const IValue* a) -> IValue { return "exp"_op("neg"_op("abs"_op(a[0]))); })
      .onnx(none("decomposes to logarithm and exponential"))
      .doc("log(sigmoid(`self`)).")
      .samples("pointwise()");
  r.pointwise("mish(Tensor self) -> Tensor", [](Num x) { return x * tanh(log1p(exp(x))); })
      .dtypes(kFloating)
      .inplace()
      .out()
      .namespaced("_nn")
      .slope(0,
             [](const Num* x, Num) {
               Num t = tanh(log1p(exp(detail::at_most(x[0], 40.0))));  // t is 1 for x >= 40
               return t + x[0] * logistic_slope(x[0]) * (1.0 - t * t);
             })
      .onnx("Mish(self) if opset >= 18")
      .doc("self * tanh(softplus(self)).");
  r.pointwise("hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
              [](Num x, Num low, Num high) { return minimum(high, maximum(low, x)); })
      .dtypes(kFloating | kIntegral)
      .inplace()
      .out()
      .namespaced("_nn")
      .slope(0, [](const Num* x, Num) { return where((x[0] <= x[1]) | (x[2] <= x[0]), lit(x[0].t, 0.0), lit(x[0].t, 1.0)); })
      .piecewise_linear()
      .onnx("Clip(self, min_val, max_val)")
      .number_check(1, NumberCheck::Unsigned)
      .number_check(2, NumberCheck::Unsigned)
      .doc("Elements kept between `min_val` and `max_val`.")
      .samples("pointwise() + [[t(u8, 3), 0, 300], [t(u8, 3), -1, 2], [t(u8, 3), 1, -1], [t(i8, 3), 1, -1], [t(f32, 3), 1, -1]]");
  r.pointwise("relu6(Tensor self) -> Tensor", [](Num x) { return minimum(lit(x.t, 6.0), maximum(lit(x.t, 0.0), x)); })
      .dtypes(kFloating | kIntegral)
      .inplace()
      .namespaced("_nn")
      .slope(0,
             [](const Num* x, Num) {
               Num zero = lit(x[0].t, 0.0), six = lit(x[0].t, 6.0);
               return where((x[0] <= zero) | (six <= x[0]), zero, lit(x[0].t, 1.0));
             })
      .piecewise_linear()
      .onnx(none("decomposes to maximum and minimum"))
      .doc("Elements kept between 0 and 6.")
      .samples("pointwise()");
  r.pointwise("hardswish(Tensor self) -> Tensor", [](Num x) { return x * minimum(maximum(x + 3.0, lit(x.t, 0.0)), lit(x.t, 6.0)) / 6.0; })
      .dtypes(kFloating)
      .inplace()
      .out()
      .namespaced("_nn")
      .slope(0,
             [](const Num* x, Num) {
               Num v = x[0];
               return where(v <= lit(v.t, -3.0), lit(v.t, 0.0), where(v >= lit(v.t, 3.0), lit(v.t, 1.0), v / 3.0 + 0.5));
             })
      .onnx("HardSwish")
      .doc("self * relu6(self + 3) / 6.")
      .special(Special::ReferenceDiffers, "of minus infinity");
  r.pointwise("hardsigmoid(Tensor self) -> Tensor", [](Num x) { return minimum(maximum(x + 3.0, lit(x.t, 0.0)), lit(x.t, 6.0)) / 6.0; })
      .dtypes(kFloating)
      .inplace()
      .out()
      .namespaced("_nn")
      .slope(0,
             [](const Num* x, Num) {
               Num v = x[0], sixth = lit(v.t, 1.0F / 6.0F);  // rounded to float32 also for float64, as in PyTorch
               return where((v > lit(v.t, -3.0)) & (v < lit(v.t, 3.0)), sixth, lit(v.t, 0.0));
             })
      .onnx("HardSigmoid(self, alpha=0.16666666666666666, beta=0.5)")
      .doc("relu6(self + 3) / 6.")
      .samples("pointwise() + [[at([-3.0, 3.0, 0.0, 4.0, -4.0, nan])]]");
  r.pointwise("celu(Tensor self, Scalar alpha=1.0) -> Tensor",
              [](Num x, Num alpha) {
                const Num divisor = raise_if(alpha == lit(alpha.t, 0.0), alpha);
                return where(x < lit(x.t, 0.0), divisor * expm1(x / divisor), x);
              })
      .dtypes(kFloating)
      .refuses("ZeroDivisionError: alpha cannot be 0 for CELU")
      .decompose(none("it refuses an alpha of 0"))
      .inplace()
      .function_only()
      .slope(0,
             [](const Num* x, Num) {
               Num zero = lit(x[0].t, 0.0), below = where(x[0] >= zero, zero, x[0]);  // as for elu
               return where(x[0] > zero, lit(x[0].t, 1.0), exp(below / x[1]));
             })
      .onnx("Celu(self, alpha=alpha)")
      .doc("alpha * (exp(self / alpha) - 1) below 0.");
  r.pointwise("hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
              [](Num x, Num lambd) { return where((-lambd <= x) & (x <= lambd), lit(x.t, 0.0), x); })
      .dtypes(kFloating)
      .out()
      .slope(0, [](const Num* x, Num) { return where((-x[1] <= x[0]) & (x[0] <= x[1]), lit(x[0].t, 0.0), lit(x[0].t, 1.0)); })
      .piecewise_linear()
      .onnx("Shrink(self, lambd=lambd)")
      .doc("`self` where it is farther from 0 than `lambd`, else 0.")
      .special(Special::ReferenceDiffers, "of a NaN");
  r.pointwise("softshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
              [](Num x, Num lambd) {
                const Num checked = raise_if(~((lambd >= lit(lambd.t, 0.0)) & (lambd < lit(lambd.t, HUGE_VAL))), lambd);
                return where(checked < x, x - checked, where(x < -checked, x + checked, x * 0.0));
              })
      .dtypes(kFloating)
      .refuses("lambda must be in the range from 0 to the largest number of the dtype")
      .number_check(1, NumberCheck::Stored)
      .decompose(none("it refuses a negative lambda"))
      .out()
      .namespaced("_nn")
      .slope(0, [](const Num* x, Num) { return where((-x[1] <= x[0]) & (x[0] <= x[1]), lit(x[0].t, 0.0), lit(x[0].t, 1.0)); })
      .piecewise_linear()
      .onnx("Shrink(self, lambd=lambd, bias=lambd)")
      .doc("`self` moved towards 0 by `lambd`, and 0 where it is nearer.")
      .special(Special::ReferenceDiffers, "of a NaN");
  r.pointwise("threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
              [](Num x, Num threshold, Num value) { return where(x <= threshold, value, x); })
      .dtypes(kFloating | kIntegral)
      .inplace()
      .out()
      .out_dtype(OutDType::Safe)
      .function_only()
      .slope(0, [](const Num* x, Num) { return where(x[0] <= x[1], lit(x[0].t, 0.0), lit(x[0].t, 1.0)); })
      .piecewise_linear()
      .onnx(none("ThresholdedRelu has no other value than 0"))
      .doc("`self` where it is above `threshold`, else `value`.");
}

}  // namespace monograph
