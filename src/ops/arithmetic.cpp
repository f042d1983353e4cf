// Arithmetic: the pointwise operators behind Python's + - * / // %.
#include "ops/dispatch.h"
#include "ops/registry.h"

namespace monograph {
namespace {

constexpr DTypeSet kNumbers = kFloating | kIntegral;

// An integer divisor that may be divided by: zero raises, and becomes 1 so that the other lanes go on.
Num divisor(Num b) {
  Num is_zero = b == lit_int(b.t, 0);
  return raise_if(is_zero, where(is_zero, lit_int(b.t, 1), b));
}

// The quotient toward zero; the least integer by -1 wraps.
Num quotient(Num a, Num b) {
  if (!info(a.t).is_signed) return a / b;
  Num by_minus = b == lit_int(a.t, -1);
  return where(by_minus, lit_int(a.t, 0) - a, a / where(by_minus, lit_int(a.t, 1), b));
}

Num floor_quotient(Num a, Num b) {
  b = divisor(b);
  Num q = quotient(a, b);
  if (!info(a.t).is_signed) return q;
  Num zero = lit_int(a.t, 0), r = a - q * b;
  return where((r != zero) & ((r < zero) ^ (b < zero)), q - lit_int(a.t, 1), q);
}

Num remainder(Num a, Num b) {
  Num q = floor_quotient(a, b);
  return a - q * divisor(b);
}

// self + alpha * other; floats by one fma, as PyTorch's vector path does.
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

// d * x, without the multiplication where x is the number 1.
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
      .python_operator("__add__", "__radd__")
      .commutative()
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, c.grad());
        if (c.needs(1)) c.set(1, scaled(c.grad(), c.value(2)));
      })
      .onnx("Add(self, other) | Add(self, Mul(other, alpha))")
      .doc("`self` plus `alpha` times `other`.");
  r.pointwise({"sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
               "sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"},
              [](auto a, auto b, auto alpha) { return minus(a, b, alpha); })
      .dtypes(kNumbers | kComplex)
      .refuses_bool()
      .inplace()
      .out()
      .python_operator("__sub__")
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, c.grad());
        if (c.needs(1)) c.set(1, "neg"_op(scaled(c.grad(), c.value(2))));
      })
      .decompose(none("an addition with alpha -1 has other zeros"))
      .onnx("Sub(self, other) | Sub(self, Mul(other, alpha))")
      .doc("`self` minus `alpha` times `other`.");
  r.pointwise({"rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
               "rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"},
              [](auto a, auto b, auto alpha) { return minus(b, a, alpha); })
      .dtypes(kNumbers | kComplex)
      .refuses_bool()
      .python_operator("__rsub__")
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "neg"_op(scaled(c.grad(), c.value(2))));
        if (c.needs(1)) c.set(1, c.grad());
      })
      .decompose(none("a subtraction, its operands swapped"))
      .onnx("out: Sub(other, self) | Sub(other, Mul(self, alpha))")
      .doc("`other` minus `alpha` times `self`.");
  r.pointwise({"mul.Tensor(Tensor self, Tensor other) -> Tensor", "mul.Scalar(Tensor self, Scalar other) -> Tensor"},
              [](auto a, auto b) { return a * b; })
      .inplace()
      .out()
      .python_operator("__mul__", "__rmul__")
      .commutative()
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "mul"_op(c.grad(), c.value(1)));
        if (c.needs(1)) c.set(1, "mul"_op(c.grad(), c.value(0)));
      })
      .onnx("Mul")
      .doc("`self` times `other`.");
  r.pointwise({"div.Tensor(Tensor self, Tensor other) -> Tensor", "div.Scalar(Tensor self, Scalar other) -> Tensor"},
              [](auto a, auto b) { return a / b; })
      .promote(Promote::Float)
      .inplace()
      .out()
      .python_operator("__truediv__")
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "div"_op(c.grad(), c.value(1)));
        if (c.needs(1)) c.set(1, "neg"_op("mul"_op(c.grad(), "div"_op(c.result(), c.value(1)))));
      })
      .onnx("Div")
      .doc("`self` divided by `other`; integers give floats.");
  r.pointwise({"floor_divide(Tensor self, Tensor other) -> Tensor", "floor_divide.Scalar(Tensor self, Scalar other) -> Tensor"},
              floor_quotient)
      .dtypes(kIntegral)
      .raises("ZeroDivisionError: division by zero")
      .python_operator("__floordiv__")
      .gradient(none("integers have no gradient"))
      .decompose(none("it raises on a zero divisor"))
      .onnx(none("ONNX's Div truncates"))
      .doc("The quotient rounded down, of integers.");
  r.pointwise({"remainder.Tensor(Tensor self, Tensor other) -> Tensor", "remainder.Scalar(Tensor self, Scalar other) -> Tensor"}, remainder)
      .dtypes(kIntegral)
      .raises("ZeroDivisionError: division by zero")
      .python_operator("__mod__")
      .gradient(none("integers have no gradient"))
      .decompose(none("it raises on a zero divisor"))
      .onnx("Mod")
      .doc("Python's %, of integers: the sign of the divisor.");
  r.pointwise("addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
              [](Num a, Num b, Num c, Num value) { return is_floating(a.t) ? fma(value * b, c, a) : a + value * b * c; })
      .dtypes(kNumbers)
      .inplace()
      .out()
      .gradient(derived)
      .decompose(none("the fused multiply-add of three tensors"))
      .onnx("out: Add(self, Mul(tensor1, tensor2)) | Add(self, Mul(Mul(tensor1, value), tensor2))")
      .doc("`self` plus `value` times the product of `tensor1` and `tensor2`.");
  r.pointwise("addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
              [](Num a, Num b, Num c, Num value) { return a + value * b / c; })
      .dtypes(kFloating)
      .inplace()
      .out()
      .gradient(derived)
      .onnx("out: Add(self, Div(tensor1, tensor2)) | Add(self, Div(Mul(tensor1, value), tensor2))")
      .doc("`self` plus `value` times the quotient of `tensor1` and `tensor2`.");
  r.pointwise("lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
              // From the nearer end, so that weight 1 gives end exactly.
              [](Num a, Num b, Num w) { return where(abs(w) < lit(w.t, 0.5), a + w * (b - a), b - (b - a) * (1.0 - w)); })
      .dtypes(kFloating)
      .inplace()
      .out()
      .slope(0, [](const Num* x, Num) { return 1.0 - x[2]; })
      .slope(1, [](const Num* x, Num) { return x[2]; })
      .onnx("out: Add(self, Mul(Sub(end, self), weight))")
      .doc("The point between `self` and `end` at `weight`.");
}

}  // namespace monograph
