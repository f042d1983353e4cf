// Arithmetic: the operators behind Python's + - * / // %, and addcmul, addcdiv and lerp. All but div with a rounding_mode are pointwise. Quotients of integers
// check for a zero divisor and wrap where they overflow; remainders of floats are exact.
#include <cmath>
#include <string>
#include <vector>

#include "ops/dispatch.h"
#include "ops/elementary/detail.h"
#include "ops/registry.h"

namespace monograph {
namespace {

constexpr DTypeSet kNumbers = kFloating | kIntegral;

// Raises an error if the integer divisor is 0. A zero also becomes 1, so that the machine's division in the other lanes does not trap.
Num nonzero_divisor(Num b) {
  Num is_zero = b == lit_int(b.t, 0);
  return raise_if(is_zero, where(is_zero, lit_int(b.t, 1), b));
}

// The integer quotient, rounded toward zero. The least integer divided by -1 wraps to itself.
Num trunc_quotient(Num a, Num b) {
  if (!info(a.t).is_signed) return a / b;
  Num by_minus_one = b == lit_int(a.t, -1);
  return where(by_minus_one, lit_int(a.t, 0) - a, a / where(by_minus_one, lit_int(a.t, 1), b));
}

// The integer quotient, rounded down.
Num floor_quotient(Num a, Num b) {
  b = nonzero_divisor(b);
  Num q = trunc_quotient(a, b);
  if (!info(a.t).is_signed) return q;
  Num zero = lit_int(a.t, 0), r = a - q * b;
  return where((r != zero) & ((r < zero) ^ (b < zero)), q - lit_int(a.t, 1), q);
}

// The exact value of a - b trunc(a / b), with the sign of a. If the quotient is below 2^mantissa, one step is exact: the rounded quotient is the integer or one
// more, and the fma has no error. Larger quotients are rare; they take one step for each `mantissa` bits.
Num float_fmod(Num a, Num b) {
  const int mantissa = detail::format(a.t).mantissa, steps = a.t == DType::f32 ? 12 : 41;
  Num r = abs(a), y = abs(b);
  auto step = [](Num r, Num y) {
    Num rest = fma(-trunc(r / y), y, r);
    return where(r < y, r, where(rest < 0.0, rest + y, rest));
  };
  Num reduced = r, scaled = y;
  std::vector<Num> divisors;
  divisors.reserve(static_cast<size_t>(steps));
  for (int k = 0; k < steps; ++k) divisors.push_back(scaled = scaled * std::ldexp(1.0, mantissa));
  for (int k = steps; k-- > 0;) reduced = step(reduced, divisors[static_cast<size_t>(k)]);
  return detail::with_sign_of(step(where_rare(r >= divisors[0], reduced, r), y), a);
}

// The remainder of fmod, which has the sign of a, and whether b must be added to it so that it has the sign of b.
struct FloatRemainder {
  Num rest, wrong_side;
  FloatRemainder(Num a, Num b) : rest(float_fmod(a, b)), wrong_side((rest != 0.0) & ((b < 0.0) ^ (rest < 0.0))) {}
};

// The quotient rounded down. It is computed from the remainder, as in PyTorch, so that a = floor_divide(a, b) b + remainder(a, b).
Num float_floor_quotient(Num a, Num b) {
  FloatRemainder m(a, b);
  Num quotient = a / b, infinite = lit(a.t, HUGE_VAL);
  Num whole = where((abs(quotient) == infinite) & (abs(a) != infinite), a, a - m.rest) / b;
  whole = where(m.wrong_side, whole - 1.0, whole);
  Num down = floor(whole);
  down = where(whole - down > 0.5, down + 1.0, down);
  down = where(whole == 0.0, detail::with_sign_of(lit(a.t, 0.0), quotient), down);
  return where(b == 0.0, quotient, down);
}

Num fmod_of(Num a, Num b) {
  if (is_floating(a.t)) return float_fmod(a, b);
  b = nonzero_divisor(b);
  return a - trunc_quotient(a, b) * b;
}

Num floor_divide(Num a, Num b) { return is_floating(a.t) ? float_floor_quotient(a, b) : floor_quotient(a, b); }

Num remainder(Num a, Num b) {
  if (!is_floating(a.t)) return a - floor_quotient(a, b) * nonzero_divisor(b);
  FloatRemainder m(a, b);
  return where(m.wrong_side, m.rest + b, m.rest);
}

// a + alpha * b. Floats use one fma, as in PyTorch's vectorized kernels.
template <class T>
T plus(T a, T b, T alpha) {
  if constexpr (std::is_same_v<T, Num>)
    if (is_floating(a.t)) return fma(b, alpha, a);
  return a + alpha * b;
}
template <class T>
T minus(T a, T b, T alpha) {
  if constexpr (std::is_same_v<T, Num>)
    if (is_floating(a.t)) return fma(-b, alpha, a);
  return a - alpha * b;
}

Num below_half(Num weight) { return abs(weight) < 0.5; }
Num below_half(Complex weight) { return weight.re * weight.re + weight.im * weight.im < 0.25; }
Num one_minus(Num weight) { return 1.0 - weight; }
Complex one_minus(Complex weight) { return weight.literal(1.0) - weight; }
// a + weight (b - a). From weight 0.5 on it is computed from b, so that weight 1 gives exactly b.
template <class T>
T interpolated(T a, T b, T weight) {
  return where(below_half(weight), a + weight * (b - a), b - (b - a) * one_minus(weight));
}

// div(self, other, rounding_mode): rounded toward zero ("trunc"), down ("floor"), or not rounded (None).
IValue rounded_quotient(const IValue* a) {
  if (a[2].is_none()) return "div"_op(a[0], a[1]);
  const std::string mode = a[2].to_string();
  if (mode == "floor") return "floor_divide"_op(a[0], a[1]);
  MONOGRAPH_CHECK(mode == "trunc", Runtime, "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '", mode, "'");
  // A 16-bit float tensor divided by a number is rounded to 16 bits once, after the truncation.
  const bool rounds_once =
      a[0].is_tensor() && !a[1].is_tensor() && element_size(a[0].as_tensor().dtype()) == 2 && is_floating(a[0].as_tensor().dtype());
  if (rounds_once) return "to"_op("trunc"_op("div"_op("to"_op(a[0], DType::f32), a[1])), a[0].as_tensor().dtype());
  const Tensor q = "div"_op(a[0], a[1]);
  auto integral = [](const IValue& v) { return v.is_tensor() ? is_integral(v.as_tensor().dtype(), true) : v.is_int() || v.is_bool(); };
  if (!integral(a[0]) || !integral(a[1])) return "trunc"_op(q);
  if (!a[0].is_tensor()) {  // fmod takes no number there
    const DType dtype = a[1].as_tensor().dtype() == DType::b1 ? DType::i64 : a[1].as_tensor().dtype();
    const IValue first[] = {Tensor("scalar_tensor"_op(a[0], dtype)), a[1], a[2]};
    return rounded_quotient(first);
  }
  const Tensor rest = "fmod"_op(a[0], a[1]);
  const bool truths = a[0].is_tensor() && a[0].as_tensor().dtype() == DType::b1;  // sub takes none
  const IValue x = truths ? IValue("to"_op(a[0], rest.dtype())) : a[0];
  return "floor_divide"_op("sub"_op(x, rest), a[1]);  // without the remainder, the division is exact
}

// d * x. If x is the number 1, it returns d without a multiplication.
Tensor scaled(const Tensor& d, const IValue& x) {
  if (x.is_int() && x.to_int() == 1) return d;
  return "mul"_op(d, x);
}

}  // namespace

void arithmetic(Registry& r) {
  r.pointwise({"add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
               "add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"},
              [](auto a, auto b, auto alpha) { return plus(a, b, alpha); })
      .inplace()
      .out()
      .numbers_as_tensors()
      .commutative()
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, c.grad());
        if (c.needs(1)) c.set(1, scaled(c.grad(), c.value(2)));
      })
      .onnx("Add(self, other) | Add(self, Mul(other, alpha))")
      .number_check(2, NumberCheck::Weight)
      .doc("`self` plus `alpha` times `other`.")
      .samples("Tensor", "pointwise() + alphas() + [[t(i64, 3), t(f32, 3), 0.5]]")
      .samples("Scalar", R"(pointwise() + [[t(u8, 3), 300, 1], [t(u8, 3), 2, 300], [t(i64, 3), 1.5, 0.5], [t(i64, 3), 1, 0.5],
                [t(f32, 3), 2, 1j]])");
  r.pointwise({"sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
               "sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"},
              [](auto a, auto b, auto alpha) { return minus(a, b, alpha); })
      .dtypes(kNumbers | kComplex)
      .refuses_bool()
      .inplace()
      .out()
      .alias({"subtract"})
      .numbers_as_tensors()
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, c.grad());
        if (c.needs(1)) c.set(1, "neg"_op(scaled(c.grad(), c.value(2))));
      })
      .decompose(none("an addition with alpha -1 has other zeros"))
      .onnx("Sub(self, other) | Sub(self, Mul(other, alpha))")
      .number_check(2, NumberCheck::Weight)
      .doc("`self` minus `alpha` times `other`.")
      .samples("Tensor", "pointwise() + alphas()")
      .samples("Scalar", "pointwise() + [[t(u8, 3), 300, 1], [t(i64, 3), 1, 0.5]]");
  r.pointwise({"rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
               "rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"},
              [](auto a, auto b, auto alpha) { return minus(b, a, alpha); })
      .dtypes(kNumbers | kComplex)
      .refuses_bool()
      .function_only()
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "neg"_op(scaled(c.grad(), c.value(2))));
        if (c.needs(1)) c.set(1, c.grad());
      })
      .decompose(none("a subtraction, its operands swapped"))
      .onnx("Sub(other, self) | Sub(other, Mul(self, alpha))")
      .number_check(2, NumberCheck::Weight)
      .doc("`other` minus `alpha` times `self`.")
      .samples("Tensor", "pointwise() + alphas()")
      .samples("Scalar", "pointwise() + [[t(i64, 3), 1, 0.5]]")
      .special("Tensor", Special::ReadsBackOtherwise, "as sub");
  r.pointwise({"mul.Tensor(Tensor self, Tensor other) -> Tensor", "mul.Scalar(Tensor self, Scalar other) -> Tensor"},
              [](auto a, auto b) { return a * b; })
      .keeps_numbers()
      .inplace()
      .out()
      .alias({"multiply"})
      .numbers_as_tensors()
      .commutative()
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "mul"_op(c.grad(), c.value(1)));
        if (c.needs(1)) c.set(1, "mul"_op(c.grad(), c.value(0)));
      })
      .onnx("Mul")
      .doc("`self` times `other`.")
      .samples("Tensor", "pointwise() + [[t(a, 2), t(b)] for a in (f32, f64, bf16, i64) for b in (c64, c128)]");
  r.pointwise({"div.Tensor(Tensor self, Tensor other) -> Tensor", "div.Scalar(Tensor self, Scalar other) -> Tensor"},
              [](auto a, auto b) { return a / b; })
      .keeps_numbers()
      .promote(Promote::Float)
      .inplace()
      .out()
      .alias({"divide", "true_divide"})
      .numbers_as_tensors()
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "div"_op(c.grad(), c.value(1)));
        // It is computed from the arguments, not from the result, because a program may write to the result.
        if (c.needs(1)) c.set(1, "neg"_op("mul"_op(c.grad(), "div"_op("div"_op(c.value(0), c.value(1)), c.value(1)))));
      })
      .onnx("Div")
      .doc("`self` divided by `other`; integers give floats.")
      .samples("Tensor", "pointwise() + [[at([1 + 2j, 0j, 1 + 0j, -2j]).to(d), torch.zeros((), dtype=d)] for d in (c64, c128)]");
  r.pointwise({"floor_divide(Tensor self, Tensor other) -> Tensor", "floor_divide.Scalar(Tensor self, Scalar other) -> Tensor"},
              floor_divide)
      .keeps_numbers()
      .dtypes(kNumbers)
      .raises("ZeroDivisionError: division by zero")
      .inplace("Tensor")
      .out()
      .numbers_as_tensors()
      .gradient(none("use floor(self / other), whose gradient is zero"))
      .decompose(none("it raises on a zero divisor"))
      .onnx(none("ONNX's Div truncates"))
      .doc("The quotient rounded down.");
  r.pointwise({"remainder.Tensor(Tensor self, Tensor other) -> Tensor", "remainder.Scalar(Tensor self, Scalar other) -> Tensor"}, remainder)
      .dtypes(kNumbers)
      .raises("ZeroDivisionError: division by zero")
      .inplace()
      .out("Tensor_out")
      .number_first()
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, c.grad());
        if (!c.needs(1)) return;
        Tensor quotient = "floor_divide"_op("detach"_op(c.value(0)), "detach"_op(c.value(1)));  // piecewise constant: no gradient
        c.set(1, "neg"_op("mul"_op(c.grad(), quotient)));
      })
      .decompose(none("it raises on a zero divisor"))
      .onnx(none("Mod takes the sign of floats from another operand, and rounds zeros otherwise"))
      .doc("Python's %: the remainder with the sign of the divisor.")
      .special(Special::OverflowIsNaN, "PyTorch's vector kernel overflows in the quotient; its scalar one is exact as ours");
  r.pointwise({"fmod.Tensor(Tensor self, Tensor other) -> Tensor", "fmod.Scalar(Tensor self, Scalar other) -> Tensor"}, fmod_of)
      .dtypes(kNumbers)
      .raises("ZeroDivisionError")
      .inplace()
      .out("Tensor_out")
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, c.grad());
        if (!c.needs(1)) return;
        Tensor quotient = "trunc"_op("div"_op("detach"_op(c.value(0)), "detach"_op(c.value(1))));  // piecewise constant: no gradient
        c.set(1, "neg"_op("mul"_op(c.grad(), quotient)));
      })
      .decompose(none("it raises on a zero divisor"))
      .onnx(none("ONNX's Mod rounds zeros otherwise"))
      .doc("The remainder with the sign of `self`, as C has it.")
      .special(Special::OverflowIsNaN, "PyTorch's vector kernel overflows in the quotient; its scalar one is exact as ours");
  auto rounded = [&](const char* schema, const char* out, const char* samples) {
    r.op(schema)
        .decompose(rounded_quotient, Reads::Nothing)
        .gradient([](GradCall& c) {
          const bool is_rounded = !c.value(2).is_none();  // the result is piecewise constant: its gradient is zero
          if (c.needs(0)) c.set(0, is_rounded ? Tensor("zeros_like"_op(c.grad())) : Tensor("div"_op(c.grad(), c.value(1))));
          if (c.needs(1))
            c.set(1, is_rounded ? Tensor("zeros_like"_op(c.grad()))
                                : Tensor("neg"_op("mul"_op(c.grad(), "div"_op("div"_op(c.value(0), c.value(1)), c.value(1))))));
        })
        .inplace()
        .out_named(out)
        .numbers_as_tensors()
        .out_dtype(OutDType::Safe)
        .alias({"divide"})
        .onnx(none("decomposes to div, trunc and floor_divide"))
        .doc("The quotient: as it is, or rounded by rounding_mode=\"trunc\" or \"floor\".")
        .samples(samples);
  };
  rounded("div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", "out_mode",
          R"([[t(d, 9), torch.where(y == 0, 1, y).to(d), m] for d in (*FLOATS, *INTS) for m in (None, "trunc", "floor") for y in (t(d, 9),)]
                + [[t(f32, 2, 1), t(f32, 3), m] for m in (None, "trunc", "floor", "ceil")] + [[t(i64, 3), t(f32, 3), "trunc"], [at([1, 2]), at([0, 1]), "trunc"],
                   [at([7, -7]), at([2, 2]), "trunc"]])");
  rounded("div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", "Scalar_mode_out",
          R"([[t(d, 9), n, m] for d in (f32, i64, f16) for n in (2, -1.5) for m in (None, "trunc", "floor")] + [[t(f32, 3), 2, "up"]])");
  r.pointwise("addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
              [](auto a, auto b, auto c, auto value) { return plus(a, value * b, c); })
      .dtypes(kNumbers | kComplex)
      .inplace()
      .out()
      .gradient(derived)
      .decompose(none("the fused multiply-add of three tensors"))
      .onnx("out: Add(self, Mul(tensor1, tensor2)) | Add(self, Mul(Mul(tensor1, value), tensor2))")
      .doc("`self` plus `value` times the product of `tensor1` and `tensor2`.")
      .samples(R"(pointwise() + [[t(f32, 3), t(f32, 3), t(f32, 3), 1j], [t(u8, 3), t(u8, 3), t(u8, 3), 300],
                  [t(i64, 3), t(i64, 3), t(i64, 3), 2.7]])")
      .special(Special::ReferenceDiffers, "one rounding here: no overflow before the sum");
  r.pointwise("addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
              [](auto a, auto b, auto c, auto value) { return a + value * b / c; })
      .dtypes(kFloating | kComplex)
      .inplace()
      .out()
      .gradient(derived)
      .onnx("out: Add(self, Div(tensor1, tensor2)) | Add(self, Div(Mul(tensor1, value), tensor2))")
      .doc("`self` plus `value` times the quotient of `tensor1` and `tensor2`.")
      .samples("pointwise() + [[t(f32, 3), t(f32, 3), t(f32, 3), 1j]]")
      .special(Special::MixedDtypes, "promotes them as every operator does");
  r.pointwise("lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
              [](auto a, auto b, auto weight) { return interpolated(a, b, weight); })
      .dtypes(kFloating | kComplex)
      .one_dtype()
      .inplace()
      .out()
      .slope(0, [](const Num* x, Num) { return 1.0 - x[2]; })
      .slope(1, [](const Num* x, Num) { return x[2]; })
      .onnx("out: Add(self, Mul(Sub(end, self), weight))")
      .doc(
          "The point between `self` and `end` at `weight`.\n\nend: What weight 1 gives.\nweight: The part of the way from `self` to "
          "`end`.\n\n>>> torch.lerp(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 6.0]), 0.5)")
      .samples(
          "pointwise() + [[t(f32, 3), t(f32, 3), 1j], [t(f32, 3), t(f64), 0.5], [t(f32, 3), t(i64, 3), 0.5], [t(f16, 3), t(f32, 1), 0.5]]")
      .special(Special::ReferenceDiffers, "from the nearer end here");
  r.pointwise("lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
              [](auto a, auto b, auto weight) { return interpolated(a, b, weight); })
      .dtypes(kFloating | kComplex)
      .inplace()
      .out("Tensor_out")
      .out_dtype(OutDType::Exact)
      .slope(0, [](const Num* x, Num) { return 1.0 - x[2]; })
      .slope(1, [](const Num* x, Num) { return x[2]; })
      .slope(2, [](const Num* x, Num) { return x[1] - x[0]; })
      .onnx("out: Add(self, Mul(Sub(end, self), weight))")
      .doc(
          "The point between `self` and `end` at each `weight`.\n\nend: What weight 1 gives.\nweight: The part of the way from `self` to "
          "`end`.")
      .special(Special::MixedDtypes, "promotes them as every operator does")
      .special(Special::ReferenceDiffers, "from the nearer end here");
}

}  // namespace monograph
