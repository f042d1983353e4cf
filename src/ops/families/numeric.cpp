// Less common pointwise functions of one and two numbers: sgn, signbit, erfinv, nan_to_num, hypot, xlogy, logaddexp, float_power, shifts. The bodies come
// first; one record for each operator follows.
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "ops/elementary/detail.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/torchscript_names.h"

namespace monograph {
namespace {

constexpr DTypeSet kNumbers = kFloating | kIntegral;
constexpr const char* kNoForm = "ONNX has no operator for it";

Num one(Num x) { return lit(x.t, 1.0); }
Num zero(Num x) { return lit(x.t, 0.0); }
Num flag(bool value) { return lit_int(DType::b1, value); }

Num sign_of(Num x) {
  if (x.t == DType::b1) return x;
  if (!info(x.t).is_signed) return where(x == zero(x), zero(x), one(x));
  return where(zero(x) < x, one(x), where(x < zero(x), zero(x) - one(x), zero(x)));
}
Complex sign_of(Complex z) {
  Num size = abs(z), none = size == 0.0, divisor = where(none, one(size), size);
  return {where(none, zero(size), z.re / divisor), where(none, zero(size), z.im / divisor)};
}

// sqrt(x * x + y * y) without overflow. float32 is computed in float64, where no square overflows; float64 is scaled by the larger number.
Num hypotenuse(Num x, Num y) {
  if (x.t == DType::f32) {
    Num a = convert(x, DType::f64), b = convert(y, DType::f64);
    Num root = convert(sqrt(a * a + b * b), DType::f32);
    return where((abs(x) == HUGE_VAL) | (abs(y) == HUGE_VAL), lit(x.t, HUGE_VAL), root);
  }
  Num a = abs(x), b = abs(y), large = where(a < b, b, a), small = where(a < b, a, b);
  Num ratio = small / where(large == 0.0, one(x), large), root = large * sqrt(ratio * ratio + 1.0);
  root = where(is_nan(x) | is_nan(y), lit(x.t, std::nan("")), root);
  return where((a == HUGE_VAL) | (b == HUGE_VAL), lit(x.t, HUGE_VAL), root);
}

// The inverse of erf: x times a function of w = -log(1 - x^2), or of the root of w where x is near 1. In float32 that function is the sum of a large part,
// whose product with x is kept with its rounding error, and a polynomial.
Num inverse_erf_f32(Num x) {
  const double slope = std::sqrt(std::numbers::pi) / 2, slope_f32 = static_cast<float>(slope);
  Num w = -log(fma(-x, x, lit(x.t, 1.0))), root = sqrt(w), is_near = w < 5.0;
  Num near = detail::fma(detail::polynomial(w, tables::kErfinvNearF32), w, slope - slope_f32);
  Num rest = where(is_near, near, detail::polynomial(root - 3.125, tables::kErfinvMiddleF32));
  Num large = where(is_near, lit(x.t, slope_f32), root), product = x * large;
  return product + fma(x, rest, fma(x, large, -product));
}
Num inverse_erf_f64(Num x) {
  Num w = -log((1.0 - x) * (1.0 + x)), root = sqrt(w);
  Num near = detail::polynomial(w - 3.125, tables::kErfinvNearF64), middle = detail::polynomial(root - 3.25, tables::kErfinvMiddleF64);
  return x * where(w < 6.25, near, where(w < 16.0, middle, detail::polynomial(root - 5.0, tables::kErfinvFarF64)));
}
Num inverse_erf(Num x) {
  Num size = abs(detail::is_f32(x) ? inverse_erf_f32(x) : inverse_erf_f64(x));
  return detail::with_sign_of(where(abs(x) == 1.0, lit(x.t, HUGE_VAL), size), x);  // also the sign of zero
}

int width_of(DType t) { return 8 * static_cast<int>(element_size(t)); }

// A negative count, or one that is at least the width, shifts all bits out.
Num shifted_left(Num a, Num b) {
  Num width = lit_int(b.t, width_of(b.t)), outside = (b < lit_int(b.t, 0)) | (width <= b);
  return where(outside, lit_int(a.t, 0), a << where(outside, lit_int(b.t, 0), b));
}
Num shifted_right(Num a, Num b) {
  const bool has_sign = info(a.t).is_signed;
  Num last = lit_int(b.t, width_of(b.t) - 1), outside = (b < lit_int(b.t, 0)) | (last < b);
  Num by = where(outside, has_sign ? last : lit_int(b.t, 0), b);
  if (has_sign) return sar(a, by);
  return where(outside, lit_int(a.t, 0), shr(a, by));
}

// log(exp(a) + exp(b)) without overflow: the larger number plus log1p of exp of the negative difference.
Num log_of_sum(Num a, Num b) {
  Num large = maximum(a, b), difference = -abs(a - b);
  return where((a == b) & (abs(a) == HUGE_VAL), a, large + log1p(exp(difference)));
}
Num log2_of_sum(Num a, Num b) {
  Num large = maximum(a, b), difference = -abs(a - b);
  return where((a == b) & (abs(a) == HUGE_VAL), a, large + log1p(exp2(difference)) * (1.0 / std::numbers::ln2));
}

// Of two complex numbers the one with the larger real part is taken out of the logarithm. Where both real parts are the same infinity, the difference is NaN.
IValue log_of_complex_sum(const Tensor& a, const Tensor& b) {
  const Tensor at = "real"_op(a), bt = "real"_op(b), smaller = "lt"_op(at, bt);
  const Tensor low = "where"_op(smaller, a, b), high = "where"_op(smaller, b, a);
  const Tensor sum = "add"_op(high, "log1p"_op("exp"_op("sub"_op(low, high))));
  const Tensor endless = "where"_op("lt"_op(at, 0), low, "log"_op("add"_op("exp"_op(a), "exp"_op(b))));
  return "where"_op("logical_and"_op("eq"_op(at, bt), "isinf"_op(at)), endless, sum);
}
IValue decompose_logaddexp(const IValue* a) {
  const Tensor x = a[0].to_tensor(), y = a[1].to_tensor();
  const DType t = "result_type"_op(x, y).to_dtype();
  MONOGRAPH_CHECK(!exact(t), NotImplemented, "\"logaddexp\" not implemented for '", info(t).scalar_type,
                  "'; convert the argument first, for example x.to(torch.float32)");
  if (is_complex(t)) return log_of_complex_sum("to"_op(x, t), "to"_op(y, t));
  return "prim::log_of_sum"_op(x, y);
}

// 2^exponent. Where x is wider than the default dtype may be, the 2 is of its dtype, so that an exponent of no dims is computed in it.
Tensor power_of_two(const Tensor& x, const Tensor& exponent) {
  if (x.dtype() != DType::f64 && !is_complex(x.dtype())) return "pow"_op(2.0, exponent);
  return "pow"_op("scalar_tensor"_op(2.0, x.dtype(), IValue(), x.device()), exponent);
}
// x * 2^exponent for floats and an integer exponent, rounded once, as C's ldexp computes it: the power alone may overflow. Narrow floats are multiplied in float64.
// In float64 an exponent far from 0 is split into three. All parts but the last are exact, or far enough from the subnormal numbers.
Tensor scaled_by_power(const Tensor& x, Tensor exponent) {
  if (exponent.dtype() == DType::i64) exponent = "to"_op(exponent, DType::i32);
  auto power = [](const Tensor& n) { return "pow"_op("scalar_tensor"_op(2.0, DType::f64, IValue(), n.device()), n); };
  if (x.dtype() != DType::f64) {
    const Tensor wide = "mul"_op("to"_op(x, DType::f64), power("clamp"_op("to"_op(exponent, DType::i32), -400, 400)));
    return "to"_op(wide, x.dtype());
  }
  Tensor left = "clamp"_op("to"_op(exponent, DType::i32), -2200, 2200), value = x;
  for (int k = 0; k < 2; ++k) {
    const Tensor part = "where"_op("gt"_op(left, 1023), 1023, "where"_op("lt"_op(left, -1022), -969, "zeros_like"_op(left)));
    value = "mul"_op(value, power(part)), left = "sub"_op(left, part);
  }
  return "mul"_op(value, power("clamp"_op(left, -1022, 1023)));
}
Tensor times_power_of_two(const Tensor& x, const Tensor& exponent) {
  if (!is_floating(x.dtype()) || !exact(exponent.dtype())) return "mul"_op(x, power_of_two(x, exponent));
  MONOGRAPH_CHECK(exponent.dtype() != DType::b1, NotImplemented,
                  "ldexp is not implemented for 'Bool': `other` must hold integers or floats");
  return scaled_by_power(x, exponent);
}

Num xlogy_body(Num x, Num y) { return where(is_nan(y), lit(x.t, std::nan("")), where(x == 0.0, zero(x), x * log(y))); }

Num sinc_body(Num x) {
  Num angle = x * std::numbers::pi;
  return where(x == 0.0, one(x), sin(angle) / where(x == 0.0, one(x), angle));
}
Complex sinc_body(Complex x) {
  const Complex one = x.literal(1.0), angle = x * x.literal(std::numbers::pi);
  return where(x == x.literal(0.0), one, sin(angle) / angle);
}
// The derivative of sinc: pi (a cos(a) - sin(a)) / a^2 with a = pi x. Near 0 these terms cancel, so there it is the series pi a (-1/3 + a^2/30 - ...),
// whose coefficients are (-1)^k 2k / (2k + 1)!. At 0 it is the constant 0, as in PyTorch, so its derivative is 0 there.
Num sinc_slope(Num x) {
  const Num angle = x * std::numbers::pi, square = angle * angle;
  if (Recorder::current().for_complex) return where(x == 0.0, zero(x), (angle * cos(angle) - sin(angle)) / square * std::numbers::pi);
  const Num near = square < 1.0;
  constexpr double coefficients[] = {-1.0 / 3,
                                     1.0 / 30,
                                     -1.0 / 840,
                                     1.0 / 45360,
                                     -1.0 / 3991680,
                                     1.0 / 518918400,
                                     -1.0 / 93405312000,
                                     1.0 / 22230464256000,
                                     -1.0 / 6758061133824000};
  Num series = lit(x.t, coefficients[8]);
  for (int k = 7; k >= 0; --k) series = series * square + coefficients[k];
  const Num quotient = (angle * cos(angle) - sin(angle)) / where(near, one(x), square);
  return where(x == 0.0, zero(x), where(near, series * angle, quotient) * std::numbers::pi);
}

IValue decompose_finite_numbers(const IValue* a) {
  const Tensor numbers = "masked_fill"_op(a[0], "isnan"_op(a[0]), a[1]);
  const Tensor above = "masked_fill"_op(numbers, "eq"_op(a[0], HUGE_VAL), a[2]);
  return "masked_fill"_op(above, "eq"_op(a[0], -HUGE_VAL), a[3]);
}

IValue decompose_nan_to_num(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  if (is_complex(x.dtype()))
    return "complex"_op("nan_to_num"_op("real"_op(x), a[1], a[2], a[3]), "nan_to_num"_op("imag"_op(x), a[1], a[2], a[3]));
  if (!is_floating(x.dtype())) return "clone"_op(x);
  const double most = largest_finite(x.dtype());
  auto number = [](const IValue& v, double otherwise) { return v.is_none() ? otherwise : v.to_double(); };
  return "monograph::finite_numbers"_op(x, number(a[1], 0.0), number(a[2], most), number(a[3], -most));
}

// float_power: the operands are converted to float64, or to complex128 if one of them is complex.
IValue decompose_float_power(const IValue* a) {
  auto complex_operand = [](const IValue& v) { return v.is_tensor() ? is_complex(v.as_tensor().dtype()) : v.is_complex(); };
  const DType wide = complex_operand(a[0]) || complex_operand(a[1]) ? DType::c128 : DType::f64;
  auto widened = [&](const IValue& v) -> IValue {
    if (v.is_tensor()) return "to"_op(v, wide);
    return v.is_complex() ? v : IValue(v.to_double());
  };
  return "pow"_op(widened(a[0]), widened(a[1]));
}

void unary_functions(Registry& r) {
  auto bools = none("its result is a bool");
  r.pointwise("frac(Tensor self) -> Tensor", [](Num x) { return x - trunc(x); })
      .dtypes(kFloating)
      .inplace()
      .out()
      .gradient([](GradCall& c) { c.set(0, c.grad()); })
      .onnx(none(kNoForm))
      .doc("The fractional part of each element, with its sign.");
  r.pointwise("sgn(Tensor self) -> Tensor", [](auto x) { return sign_of(x); })
      .dtypes(kNumbers | kBool | kComplex)
      .inplace()
      .out()
      // sgn(z) = z / |z|. The gradient is the part of the incoming one that is perpendicular to z, divided by |z|. sgn has no complex derivative, so the rule
      // takes the arguments as they are, not their conjugates (GradCall::plain).
      .gradient([](GradCall& c) {
        if (!is_complex(c.dtype(0))) return c.set(0, "zeros_like"_op(c.grad()));
        const Tensor size = "abs"_op(c.plain(0)), sign = c.plain_result(), g = c.grad();
        const Tensor along = "mul"_op("real"_op("div"_op(g, sign)), sign);
        c.set(0, "masked_fill"_op("div"_op("sub"_op(g, along), size), "eq"_op(size, 0.0), 0.0));
      })
      .onnx("out: Sign(self)")
      .doc("The sign of each element. For a complex number z it is z / abs(z).")
      .special(Special::ReferenceDiffers, "of NaN it is 0 in PyTorch");
  r.pointwise("signbit(Tensor self) -> Tensor",
              [](Num x) {
                if (!info(x.t).is_signed || x.t == DType::b1) return flag(false);
                Num whole = is_floating(x.t) ? bits(x) : x;
                return whole < lit_int(whole.t, 0);
              })
      .promote(Promote::Compare)
      .dtypes(kNumbers | kBool)
      .out()
      .out_dtype(OutDType::Exact)
      .gradient(bools)
      .decompose(none("it reads the bits of a float"))
      .onnx(none(kNoForm))
      .doc("Whether the sign bit is set.");
  auto infinite = [&](const char* schema, Body1 body, const char* doc) {
    r.pointwise(schema, body)
        .promote(Promote::Compare)
        .dtypes(kNumbers | kBool)
        .out()
        .out_dtype(OutDType::Exact)
        .gradient(bools)
        .onnx(none(kNoForm))
        .doc(doc);
  };
  infinite(
      "isposinf(Tensor self) -> Tensor", [](Num x) { return is_floating(x.t) ? x == HUGE_VAL : flag(false); },
      "Whether the element is infinity.");
  infinite(
      "isneginf(Tensor self) -> Tensor", [](Num x) { return is_floating(x.t) ? x == -HUGE_VAL : flag(false); },
      "Whether the element is minus infinity.");
  auto angle_conversion = [&](const char* schema, Body1 body, const char* doc) {
    r.pointwise(schema, body).promote(Promote::Float).dtypes(kFloating).inplace().out().gradient(derived).onnx(none(kNoForm)).doc(doc);
  };
  angle_conversion("deg2rad(Tensor self) -> Tensor", [](Num x) { return x * (std::numbers::pi / 180.0); }, "Converts degrees to radians.");
  angle_conversion("rad2deg(Tensor self) -> Tensor", [](Num x) { return x * (180.0 / std::numbers::pi); }, "Converts radians to degrees.");
  r.pointwise("erfinv(Tensor self) -> Tensor", inverse_erf)
      .promote(Promote::Float)
      .dtypes(kFloating)
      .inplace()
      .out()
      .alias({"special_erfinv"})
      .gradient([](GradCall& c) {  // computes the result again, because a program may have written to it
        Tensor y = "erfinv"_op(c.value(0));
        c.set(0, "mul"_op(c.grad(), "mul"_op("exp"_op("mul"_op(y, y)), 0.5 * std::sqrt(std::numbers::pi))));
      })
      .decompose(none("it reads the bits of a float"))
      .onnx(none(kNoForm))
      .doc("The inverse of erf.")
      .samples(
          // The samples stay away from 1: there the slope, exp of a square, amplifies the rounding of erfinv.
          "[[t(d, 9, low=-0.9, high=0.9)] for d in FLOATS] + [[at([0.0, -0.0, 1.0, -1.0, 1.5, nan, 0.7, 0.9, 1e-6]).to(d)] for d in (f32, "
          "f64)] + [[t(i64, 3)], [t(f32, 3, 4, low=-0.9, high=0.9).t()]]");
  r.pointwise("sinc(Tensor self) -> Tensor", [](auto x) { return sinc_body(x); })
      .promote(Promote::Float)
      .dtypes(kFloating | kComplex)
      .inplace()
      .out()
      .alias({"special_sinc"})
      .slope(0, [](const Num* x, Num) { return sinc_slope(x[0]); })
      .onnx(none(kNoForm))
      .doc("sin(pi x) / (pi x), 1 at 0.")
      .samples(
          // The samples stay away from 0: there PyTorch's gradient is the difference of two nearly equal numbers, so few of its bits are right.
          "[[t(d, 9, low=0.25)] for d in (*FLOATS, c64, c128)] + [[at([0.0, -0.0, 0.5, 1.25, 1e-3, nan, 2.5]).to(d)] for d in FLOATS] + "
          "[[t(i64, 3)], "
          "[t(f32, 3, 4, low=0.25).t()]]");
  r.op("logit(Tensor self, float? eps=None) -> Tensor")
      .decompose(
          [](const IValue* a) -> IValue {
            Tensor x = a[0].to_tensor();
            MONOGRAPH_CHECK(!is_complex(x.dtype()), NotImplemented, "logit is not implemented for '", info(x.dtype()).scalar_type, "'");
            if (exact(x.dtype())) x = "to"_op(x, default_dtype());
            if (!a[1].is_none()) {
              const double least = a[1].to_double(), most = 1.0 - least;
              if (least <= 0.5) x = "clamp"_op(x, least, most);
              else x = "where"_op("lt"_op(x, least), least, "where"_op("gt"_op(x, most), most, x));  // the order in which PyTorch compares
            }
            return "log"_op("div"_op(x, "rsub"_op(x, 1)));
          },
          Reads::Nothing)
      .gradient([](GradCall& c) {
        const Tensor x = c.arg(0), slope = "reciprocal"_op("mul"_op(x, "rsub"_op(x, 1)));
        const double least = c.value(1).is_none() ? 0.0 : c.value(1).to_double();
        const Tensor outside = "logical_or"_op("lt"_op(x, least), "gt"_op(x, 1.0 - least));
        c.set(0, "masked_fill"_op("mul"_op(c.grad(), slope), outside, c.value(1).is_none() ? std::nan("") : 0.0));
      })
      .inplace()
      .out()
      .out_dtype(OutDType::Safe)
      .alias({"special_logit"})
      .onnx(none("decomposes to log, div and sub"))
      .doc("log(x / (1 - x)). With `eps`, x is first limited to the range from eps to 1 - eps.")
      .samples(
          R"([[t(d, 9, low=0.05, high=0.95), e] for d in FLOATS for e in (None, 0.1)] + [[at([-0.5, 1.5, 0.25, nan]), None], [t(f32, 2, 3, low=-0.5, high=1.5).t(), 0.2], [t(b1, 3), None]])");
  r.pointwise("monograph::finite_numbers(Tensor self, Scalar nan, Scalar posinf, Scalar neginf) -> Tensor",
              [](Num x, Num nan, Num above, Num below) {
                return where(is_nan(x), nan, where(x == HUGE_VAL, above, where(x == -HUGE_VAL, below, x)));
              })
      .dtypes(kFloating)
      .namespaced("_nn")
      .gradient(derived)
      .decompose(decompose_finite_numbers, Reads::Nothing)
      .onnx(none("decomposes to masked_fill"))
      .doc("The elements, with these numbers in place of NaN and of the infinities.")
      .samples(none("PyTorch has no such operator; nan_to_num's samples run it"));
  r.op("nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor")
      .decompose(decompose_nan_to_num, Reads::Nothing)
      .inplace()
      .out()
      .onnx(none("decomposes to masked_fill"))
      .doc(
          "The elements, with NaN replaced by `nan` (default 0), and the infinities by `posinf` and `neginf` (default the largest finite "
          "numbers).")
      .samples(
          "[[special(d), *n] for d in (*FLOATS, i64, b1, c64) for n in ((), (1.0,), (0.5, 2.0, -2.0), (None, None, -1.0))] + [[t(f32, 2, "
          "3).t()]]");
  r.op("positive(Tensor(a) self) -> Tensor(a)")
      .decompose(
          [](const IValue* a) -> IValue {
            MONOGRAPH_CHECK(a[0].as_tensor().dtype() != DType::b1, Runtime, "The `+` operator, on a bool tensor is not supported.");
            return a[0];
          },
          Reads::Nothing)
      .onnx("out: Identity(self)")
      .doc("The tensor itself.")
      .samples("[[x] for x in layouts(2, 3)]");
}

void binary_functions(Registry& r) {
  r.pointwise("hypot(Tensor self, Tensor other) -> Tensor", hypotenuse)
      .dtypes(kFloating)
      .inplace()
      .out()
      .slope(0, [](const Num* x, Num y) { return x[0] / y; })
      .slope(1, [](const Num* x, Num y) { return x[1] / y; })
      .decompose(none("it computes in the wider dtype"))
      .onnx(none(kNoForm))
      .doc("The root of the sum of squares, without overflow.");
  r.pointwise({"copysign.Tensor(Tensor self, Tensor other) -> Tensor", "copysign.Scalar(Tensor self, Scalar other) -> Tensor"},
              [](Num x, Num y) { return detail::with_sign_of(abs(x), y); })
      .promote(Promote::Float)
      .dtypes(kFloating)
      .inplace()
      .out()
      .gradient([](GradCall& c) {
        if (c.needs(0)) {
          const Tensor x = c.arg(0);
          c.set(0, "mul"_op(c.grad(), "masked_fill"_op("div"_op(c.result(), x), "eq"_op(x, 0), 0)));
        }
        if (c.needs(1)) c.set(1, "zeros_like"_op(c.grad()));
      })
      .decompose(none("it reads the bits of a float"))
      .onnx(none(kNoForm))
      .doc("The size of `self` with the sign of `other`.")
      .samples("Tensor", "pointwise()[:-13] + [[t(f32, 2, 1), t(f32, 3)], [t(f32, 3), t(i64, 3)], [t(i64, 3), t(f32, 3)]]");
  r.pointwise("heaviside(Tensor self, Tensor values) -> Tensor",
              [](Num x, Num v) { return where(x == zero(x), v, convert(zero(x) < x, x.t)); })
      .dtypes(kNumbers | kBool)
      .one_dtype()
      .inplace()
      .out()
      .out_dtype(OutDType::Exact)
      .gradient(none("it is not differentiable with respect to its values at 0 in PyTorch; write where"))
      .onnx(none(kNoForm))
      .doc("0 below 0, 1 above it, and `values` at 0.");
  auto extremum = [&](const char* schema, Body2 body, SlopeFn first, SlopeFn second, const char* doc) {
    r.pointwise(schema, body)
        .dtypes(kNumbers | kBool)
        .out()
        .slope(0, first)
        .slope(1, second)
        .onnx(none(kNoForm))
        .doc(doc)
        .special(Special::EitherZero, "which of two equal operands wins is a matter of the instruction set in PyTorch");
  };
  extremum(
      "fmax(Tensor self, Tensor other) -> Tensor", [](Num a, Num b) { return where(is_nan(a) | (a < b), b, a); },
      [](const Num* x, Num) { return where((x[0] >= x[1]) | is_nan(x[1]), one(x[0]), zero(x[0])); },
      [](const Num* x, Num) { return where((x[0] >= x[1]) | is_nan(x[1]), zero(x[0]), one(x[0])); },
      "The larger of two elements. If one is NaN, the other one.");
  extremum(
      "fmin(Tensor self, Tensor other) -> Tensor", [](Num a, Num b) { return where(is_nan(a) | (b < a), b, a); },
      [](const Num* x, Num) { return where((x[0] <= x[1]) | is_nan(x[1]), one(x[0]), zero(x[0])); },
      [](const Num* x, Num) { return where((x[0] <= x[1]) | is_nan(x[1]), zero(x[0]), one(x[0])); },
      "The smaller of two elements. If one is NaN, the other one.");
  auto xlogy_gradient = [](GradCall& c) {
    if (c.needs(0)) {
      const Tensor x = c.value(0).is_tensor() ? c.arg(0) : Tensor("scalar_tensor"_op(c.value(0)));
      const Tensor none = "logical_and"_op("eq"_op(x, 0), "le"_op(c.value(1), 0));
      c.set(0, "masked_fill"_op("xlogy"_op(c.grad(), c.value(1)), none, 0));
    }
    if (c.needs(1)) c.set(1, "div"_op("mul"_op(c.grad(), c.value(0)), c.value(1)));
  };
  static GradFn tensor_gradient = xlogy_gradient;
  auto xlogy = [&](const char* schema, const char* out, bool writes) {
    auto b = r.pointwise(schema, xlogy_body);
    b.promote(Promote::Float).dtypes(kFloating).scalars_promote().gradient([](GradCall& c) {
      if (c.value(1).is_tensor()) return tensor_gradient(c);
      if (c.needs(0)) c.set(0, "xlogy"_op(c.grad(), c.value(1)));
    });
    if (writes) b.inplace();
    b.out_named(out)
        .alias({"special_xlogy"})
        .onnx(none("decomposes to log and where"))
        .doc("`self` times the logarithm of `other`, 0 where `self` is 0.");
  };
  xlogy("xlogy.Tensor(Tensor self, Tensor other) -> Tensor", "OutTensor", true);
  xlogy("xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor", "OutScalar_Other", true);
  xlogy("xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor", "OutScalar_Self", false);
  r.pointwise("prim::log_of_sum(Tensor self, Tensor other) -> Tensor", log_of_sum)
      .dtypes(kFloating)
      .function_only()
      .gradient(none("logaddexp has one"))
      .decompose(none("the formula of one element"))
      .onnx(none(kNoForm))
      .doc("logaddexp of floats.")
      .samples(none("logaddexp has its results"));
  no_torchscript("prim::log_of_sum", "PyTorch has no operator of this name");
  r.op("logaddexp(Tensor self, Tensor other) -> Tensor")
      .rule([](RuleCall& c) { c.result(broadcast(c.sizes(0), c.sizes(1), c.op.name()), c.promoted(std::array<size_t, 2>{0, 1})); })
      .decompose(decompose_logaddexp, Reads::Nothing)
      .out()
      .out_dtype(OutDType::Safe)
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "div"_op(c.grad(), "add"_op("exp"_op("sub"_op(c.value(1), c.value(0))), 1)));
        if (c.needs(1)) c.set(1, "div"_op(c.grad(), "add"_op("exp"_op("sub"_op(c.value(0), c.value(1))), 1)));
      })
      .onnx(none(kNoForm))
      .doc("log(exp(self) + exp(other)), without overflow.")
      // Random elements are squared, so that none is negative: a negative element can cancel the logarithm, and only rounding errors would remain.
      .samples("[c if k < 24 and k % 2 == 0 else [x.mul_(x) for x in c] for k, c in enumerate(pointwise()) if not c[0].is_complex()]");
  r.pointwise("logaddexp2(Tensor self, Tensor other) -> Tensor", log2_of_sum)
      .dtypes(kFloating)
      .out()
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "div"_op(c.grad(), "add"_op("exp2"_op("sub"_op(c.value(1), c.value(0))), 1)));
        if (c.needs(1)) c.set(1, "div"_op(c.grad(), "add"_op("exp2"_op("sub"_op(c.value(0), c.value(1))), 1)));
      })
      .onnx(none(kNoForm))
      .doc("log2(2^self + 2^other), without overflow.")
      .samples("[c if k < 24 and k % 2 == 0 else [x.mul_(x) for x in c] for k, c in enumerate(pointwise())]");  // as for logaddexp
  r.op("float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor")
      .decompose(decompose_float_power, Reads::Nothing)
      .out()
      .onnx(none("decomposes to pow of float64"))
      .doc("`self` raised to `exponent`, in float64.")
      .samples("[[t(d, 9, low=0.5), t(e, 9)] for d in (f32, f64, i64) for e in (f32, i64)] + [[t(f32, 2, 1, low=0.5), t(f32, 3)]]");
  r.op("float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor")
      .decompose(decompose_float_power, Reads::Nothing)
      .out()
      .onnx(none("decomposes to pow of float64"))
      .doc("`self` raised to `exponent`, in float64.")
      .samples("[[t(d, 9, low=0.5), e] for d in (f32, f64, i64, b1) for e in (2, 0.5, 3)]");
  r.op("float_power.Scalar(Scalar self, Tensor exponent) -> Tensor")
      .decompose(decompose_float_power, Reads::Nothing)
      .out()
      .onnx(none("decomposes to pow of float64"))
      .doc("`self` raised to `exponent`, in float64.")
      .samples("[[e, t(d, 9)] for d in (f32, f64, i64) for e in (2, 0.5)]");
  r.op("ldexp.Tensor(Tensor self, Tensor other) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return times_power_of_two(a[0].to_tensor(), a[1].to_tensor()); }, Reads::Nothing)
      .out("out")
      .out_dtype(OutDType::Safe)
      .onnx(none("decomposes to mul and pow"))
      .doc("`self` times 2 to the power of `other`.")
      .samples(
          "[[t(d, 9), t(e, 9)] for d, e in ((f32, f32), (f32, u8), (f64, f64), (f64, u8))] + [[t(f64, 3), at([3.0, -2.0, 0.0])], "
          "[t(f32, 2, 1), t(u8, 3)], [t(i64, 3), t(i64, 3)]]");
  // In PyTorch the in-place form is ldexp_ without an overload name, so it has its own record.
  r.op("ldexp_(Tensor(a!) self, Tensor other) -> Tensor(a!)")
      .functional("aten::ldexp.Tensor")
      .decompose(
          [](const IValue* a) -> IValue {
            const Tensor x = a[0].to_tensor(), exponent = a[1].to_tensor();
            if (exact(x.dtype()) || !exact(exponent.dtype())) return "mul_"_op(x, power_of_two(x, exponent));
            return "copy_"_op(x, times_power_of_two(x, exponent));
          },
          Reads::Nothing)
      .doc("ldexp, written into `self`.");
  auto integers = none("integers have no gradient");
  auto shifts = [&](const char* name, bool left) {
    static std::vector<std::string> texts;
    texts.reserve(64);
    auto text = [&](const char* rest) { return texts.emplace_back(concat(name, rest)).c_str(); };
    const char *tensor = text(".Tensor(Tensor self, Tensor other) -> Tensor"),
               *number = text(".Tensor_Scalar(Tensor self, Scalar other) -> Tensor");
    const char* first = text(".Scalar_Tensor(Scalar self, Tensor other) -> Tensor");
    const char* doc = left ? "The bits shifted left by `other` places." : "The bits shifted right by `other` places; the sign is kept.";
    auto state = [&](const char* schema, bool writes, bool promotes = false) {
      auto b = r.pointwise(schema, left ? Body2(shifted_left) : Body2(shifted_right));
      b.dtypes(kIntegral).gradient(integers).decompose(none("the body's shift instruction is no public operator"));
      if (promotes) b.scalars_promote();
      if (writes)
        b.inplace().spelled({left ? (schema == tensor ? "__ilshift__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"
                                                      : "__ilshift__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)")
                                  : (schema == tensor ? "__irshift__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"
                                                      : "__irshift__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)")});
      b.out("Tensor_out").out_dtype(promotes ? OutDType::Exact : OutDType::ByKind).onnx(none("BitShift takes unsigned integers")).doc(doc);
    };
    state(tensor, true), state(number, true), state(first, false, true);
  };
  shifts("bitwise_left_shift", true), shifts("bitwise_right_shift", false);
  auto shift_methods = [&](const char* name, bool left) {
    static std::vector<std::string> texts;
    texts.reserve(64);
    for (const char* rest : {".Tensor(Tensor self, Tensor other) -> Tensor", ".Scalar(Tensor self, Scalar other) -> Tensor"})
      r.op(texts.emplace_back(concat(name, rest)).c_str())
          .decompose(left ? DecomposeFn([](const IValue* a) -> IValue { return "bitwise_left_shift"_op(a[0], a[1]); })
                          : DecomposeFn([](const IValue* a) -> IValue { return "bitwise_right_shift"_op(a[0], a[1]); }),
                     Reads::Nothing)
          .gradient(integers)
          .method_only()
          .onnx(none("BitShift takes unsigned integers"))
          .doc(left ? "The same as bitwise_left_shift." : "The same as bitwise_right_shift.")
          .samples(rest[1] == 'T' ? "[[t(d, 9), t(d, 9, low=0.0)] for d in INTS]" : "[[t(d, 9), 2] for d in INTS]");
  };
  shift_methods("__lshift__", true), shift_methods("__rshift__", false);
}

}  // namespace

void numeric(Registry& r) {
  unary_functions(r);
  binary_functions(r);
}

}  // namespace monograph
