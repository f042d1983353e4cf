// Pointwise operators: comparison, logic, rounding, maximum and minimum, powers, and elementary functions (exp, sin, ...); also isclose, allclose and equal.
// Each states its body in Num, which is compiled to a kernel. Gradients are mostly derived from the body.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <type_traits>

#include "core/quantizer.h"
#include "kernels/equality.h"
#include "ops/contiguous.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

Num sign(Num x) {
  Num zero = lit(x.t, 0.0), one = lit(x.t, 1.0);
  if (x.t == DType::b1) return x;
  if (!info(x.t).is_signed) return where(x == zero, zero, one);
  return where(zero < x, one, where(x < zero, zero - one, zero));  // the sign of NaN is 0
}

constexpr DTypeSet kNumbers = kFloating | kIntegral;

// Rounds to decimals. As in PyTorch, it scales by a power of ten in the elements' dtype, so a decimal half that is not exact in binary may go either way.
IValue round_decimals(const IValue* a) {
  const int64_t decimals = a[1].to_int();
  MONOGRAPH_CHECK(is_floating(a[0].as_tensor().dtype()), NotImplemented, "round of ", scalar_type(a[0].as_tensor().dtype()),
                  " to decimals is not implemented; convert the argument first, for example x.to(torch.float32)");
  if (decimals == 0) return "round"_op(a[0]);
  const double power = std::pow(10.0, std::abs(static_cast<double>(decimals)));
  if (decimals > 0) return "div"_op("round"_op("mul"_op(a[0], power)), power);
  return "mul"_op("round"_op("div"_op(a[0], power)), power);
}

Num one_like(Num x) { return lit(x.t, 1.0); }
Complex one_like(Complex x) { return x.literal(1.0); }

// Whether a number, or a part of a complex number, is NaN or infinite.
Num any_nan(Num x) { return is_nan(x); }
Num any_nan(Complex x) { return is_nan(x.re) | is_nan(x.im); }
Num any_infinite(Num x) { return is_floating(x.t) ? abs(x) == HUGE_VAL : lit_int(DType::b1, 0); }
Num any_infinite(Complex x) { return any_infinite(x.re) | any_infinite(x.im); }

// A condition as one number. In a body on complex numbers it is in the real part.
Num condition_of(Num c) { return c; }
Num condition_of(Complex c) { return c.re; }

// x^y for integers, by repeated squaring over the bits of y. Overflow wraps. For negative y it is 0, unless x is 1 or -1, as in PyTorch.
Num integer_pow(Num x, Num y) {
  Num zero = lit_int(x.t, 0), one = lit_int(x.t, 1), base = x, result = one;
  const int width = 8 * static_cast<int>(element_size(x.t));
  for (int bit = 0; bit < width; ++bit) {
    result = where((y & lit_int(y.t, int64_t{1} << bit)) != zero, result * base, result);
    base = base * base;
  }
  if (!info(x.t).is_signed) return result;
  Num minus_one = lit_int(x.t, -1), power_of_minus_one = where((y & one) != zero, minus_one, one);
  return where(y < zero, where(x == one, one, where(x == minus_one, power_of_minus_one, zero)), result);
}

template <class T>
T power_of(T x, T y) {
  if constexpr (std::is_same_v<T, Num>)
    if (!is_floating(x.t)) return integer_pow(x, y);
  return pow(x, y);
}

// x^y where y is a number, the same for all elements. PyTorch computes some exponents without pow, and so does this:
// - 0.5 and -0.5 by the square root, except in float16. It differs from pow at -0 and minus infinity.
// - 2 and -1 by a product or quotient; 3 and -2 too, except for 16-bit floats, which would be rounded in between.
// where_rare() skips the branches that no element takes.
Num power_of_number(Num x, Num y) {
  if (x.t == DType::b1) return x | ~y;  // to the power of a bool: itself or 1
  if (!is_floating(x.t)) return integer_pow(x, convert(raise_if(y < lit_int(y.t, 0), y), x.t));
  if (Recorder::current().for_complex) return pow(x, y);
  const DType stored = Recorder::current().stored(x);
  const bool wide = element_size(stored) > 2;
  const Num square = x * x;
  const Num fractions = wide ? 1.0 / where(y == -1.0, x, square) : 1.0 / x;
  Num value = where_rare(wide ? ~((y == -1.0) | (y == -2.0)) : y != -1.0, pow(x, y), fractions);
  if (stored != DType::f16) {
    const Num root = sqrt(x);
    value = where_rare(abs(y) != 0.5, value, where(y < 0.0, 1.0 / root, root));
  }
  if (wide) return where_rare(~((y == 1.0) | (y == 2.0) | (y == 3.0)), value, where(y == 2.0, square, where(y == 1.0, x, square * x)));
  return where_rare(~((y == 1.0) | (y == 2.0)), value, where(y == 2.0, square, x));
}
// The same exponents for complex numbers, where pow would turn an exact product into a cosine and a sine. -3 stays a power, as in PyTorch.
Complex power_of_number(Complex x, Complex y) {
  const Complex one = x.literal(1.0), square = x * x;
  const Num half = abs(y.re) == 0.5, negative = y.re < 0.0,
            exact = (y.im == 0.0) & (half | (abs(y.re) <= 2.0) & (floor(y.re) == y.re) | (y.re == 3.0));
  const Complex product = where(y.re == 3.0, square * x, where(abs(y.re) == 2.0, square, where(y.re == 0.0, one, x)));
  const Complex value = where(half, where(negative, rsqrt(x), sqrt(x)), where(negative, one / product, product));
  return where(exact, value, pow(x, y));
}

// The part of the gradient of maximum(a, b) that goes to a: 1 if a is larger, 0 if it is smaller, 1/2 if both are equal, and 1 if one is NaN.
Num share_of(Num a, Num b) { return where(a == b, lit(a.t, 0.5), where(a < b, lit(a.t, 0.0), lit(a.t, 1.0))); }

using Compare = Num (*)(Num, Num);

constexpr const char* kEqualOperands = "which of two equal operands wins is a matter of the instruction set in PyTorch";
// Samples that show that a number is rounded to the dtype of 16-bit elements before it is compared.
constexpr const char* kComparedWithNumbers = R"(pointwise() + [[at([0.1, 0.0999, -0.1, 3.0, inf, nan, 1.0]).to(d), n]
                for d in (f16, bf16) for n in (0.1, 1e6, 3, True, inf)])";

void comparisons(Registry& r) {
  auto compare = [&](const char* tensor, const char* scalar, const char* alias, Compare body, const char* onnx, const char* doc) {
    r.pointwise({tensor, scalar}, body)
        .promote(Promote::Compare)
        .dtypes(kNumbers | kBool)
        .inplace()
        .out("Tensor_out")
        .alias({alias})
        .gradient(none("its result is a bool"))
        .onnx(onnx)
        .doc(doc)
        .samples("Scalar", kComparedWithNumbers);
  };
  compare(
      "lt.Tensor(Tensor self, Tensor other) -> Tensor", "lt.Scalar(Tensor self, Scalar other) -> Tensor", "less",
      [](Num a, Num b) { return a < b; }, "Less", "Whether `self` is less than `other`.");
  compare(
      "le.Tensor(Tensor self, Tensor other) -> Tensor", "le.Scalar(Tensor self, Scalar other) -> Tensor", "less_equal",
      [](Num a, Num b) { return a <= b; }, "LessOrEqual", "Whether `self` is at most `other`.");
  compare(
      "gt.Tensor(Tensor self, Tensor other) -> Tensor", "gt.Scalar(Tensor self, Scalar other) -> Tensor", "greater",
      [](Num a, Num b) { return a > b; }, "Greater", "Whether `self` is greater than `other`.");
  compare(
      "ge.Tensor(Tensor self, Tensor other) -> Tensor", "ge.Scalar(Tensor self, Scalar other) -> Tensor", "greater_equal",
      [](Num a, Num b) { return a >= b; }, "GreaterOrEqual", "Whether `self` is at least `other`.");
  auto eq = [](auto a, auto b) { return a == b; };
  r.pointwise({"eq.Tensor(Tensor self, Tensor other) -> Tensor", "eq.Scalar(Tensor self, Scalar other) -> Tensor"}, eq)
      .promote(Promote::Compare)
      .inplace()
      .out("Tensor_out")
      .gradient(none("its result is a bool"))
      .onnx("Equal")
      .doc("Whether the elements are equal.")
      .samples("Scalar", kComparedWithNumbers);
  auto ne = [](auto a, auto b) { return a != b; };
  r.pointwise({"ne.Tensor(Tensor self, Tensor other) -> Tensor", "ne.Scalar(Tensor self, Scalar other) -> Tensor"}, ne)
      .promote(Promote::Compare)
      .inplace()
      .out("Tensor_out")
      .alias({"not_equal"})
      .gradient(none("its result is a bool"))
      .onnx("Not(Equal(self, other))")
      .doc("Whether the elements differ.")
      .samples("Scalar", kComparedWithNumbers);
}

void logic(Registry& r) {
  auto none_ = none("its result is a bool");
  constexpr DTypeSet kAny = kAllDTypes;
  r.pointwise("logical_and(Tensor self, Tensor other) -> Tensor", [](Num a, Num b) { return a & b; })
      .promote(Promote::Logical)
      .dtypes(kAny)
      .inplace()
      .out()
      .gradient(none_)
      .onnx("And")
      .doc("Whether both elements are nonzero.");
  r.pointwise("logical_or(Tensor self, Tensor other) -> Tensor", [](Num a, Num b) { return a | b; })
      .promote(Promote::Logical)
      .dtypes(kAny)
      .inplace()
      .out()
      .gradient(none_)
      .onnx("Or")
      .doc("Whether one of the elements is nonzero.");
  r.pointwise("logical_xor(Tensor self, Tensor other) -> Tensor", [](Num a, Num b) { return a ^ b; })
      .promote(Promote::Logical)
      .dtypes(kAny)
      .inplace()
      .out()
      .gradient(none_)
      .onnx("Xor")
      .doc("Whether exactly one of the elements is nonzero.");
  r.pointwise("logical_not(Tensor self) -> Tensor", [](Num a) { return ~a; })
      .promote(Promote::Logical)
      .dtypes(kAny)
      .inplace()
      .out()
      .gradient(none_)
      .onnx("Not")
      .doc("Whether the element is zero.");
  auto bits = none("integers have no gradient");
  constexpr DTypeSet kBits = kIntegral | kBool;
  r.pointwise({"bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor", "bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor"},
              [](Num a, Num b) { return a & b; })
      .dtypes(kBits)
      .inplace()
      .out("Tensor_out")
      .spelled({"__and__.Tensor(Tensor self, Tensor other) -> Tensor", "__and__.Scalar(Tensor self, Scalar other) -> Tensor",
                "__iand__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                "__iand__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"})
      .number_first()
      .commutative()
      .gradient(bits)
      .onnx("BitwiseAnd(self, other) if opset >= 18")
      .doc("The bits that both elements have.");
  r.pointwise({"bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor", "bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor"},
              [](Num a, Num b) { return a | b; })
      .dtypes(kBits)
      .inplace()
      .out("Tensor_out")
      .spelled({"__or__.Tensor(Tensor self, Tensor other) -> Tensor", "__or__.Scalar(Tensor self, Scalar other) -> Tensor",
                "__ior__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                "__ior__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"})
      .number_first()
      .commutative()
      .gradient(bits)
      .onnx("BitwiseOr(self, other) if opset >= 18")
      .doc("The bits that one of the elements has.");
  r.pointwise({"bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor", "bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor"},
              [](Num a, Num b) { return a ^ b; })
      .dtypes(kBits)
      .inplace()
      .out("Tensor_out")
      .spelled({"__xor__.Tensor(Tensor self, Tensor other) -> Tensor", "__xor__.Scalar(Tensor self, Scalar other) -> Tensor",
                "__ixor__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                "__ixor__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"})
      .number_first()
      .commutative()
      .gradient(bits)
      .onnx("BitwiseXor(self, other) if opset >= 18")
      .doc("The bits that exactly one of the elements has.");
  auto number_first = [&](const char* schema, Body2 body, const char* doc) {
    r.pointwise(schema, body)
        .dtypes(kBits)
        .scalars_promote()
        .out_named("Scalar_Tensor_out")
        .out_dtype(OutDType::Exact)
        .gradient(bits)
        .onnx(none("write the tensor first"))
        .doc(doc)
        .samples("[[5, t(d, 3)] for d in (u8, i8, i64)] + [[True, t(b1, 3)], [3, t(f32, 2)]]");
  };
  number_first(
      "bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", [](Num a, Num b) { return a & b; }, "The bits that both have.");
  number_first(
      "bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", [](Num a, Num b) { return a | b; },
      "The bits that one of both has.");
  number_first(
      "bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", [](Num a, Num b) { return a ^ b; },
      "The bits that exactly one of both has.");
  r.pointwise("bitwise_not(Tensor self) -> Tensor", [](Num a) { return ~a; })
      .dtypes(kBits)
      .inplace()
      .out()
      .gradient(bits)
      .onnx("BitwiseNot(self) if opset >= 18")
      .doc("The bits that the element lacks.");
  r.pointwise("isnan(Tensor self) -> Tensor", [](auto x) { return any_nan(x); })
      .operator_out()
      .promote(Promote::Compare)
      .dtypes(kAny)
      .gradient(none_)
      .onnx("IsNaN")
      .doc("Whether the element is a NaN.");
  r.pointwise("isinf(Tensor self) -> Tensor", [](auto x) { return any_infinite(x); })
      .promote(Promote::Compare)
      .dtypes(kAny)
      .gradient(none_)
      .onnx("IsInf")
      .doc("Whether the element is infinite.");
  r.pointwise("isfinite(Tensor self) -> Tensor", [](auto x) { return ~(any_infinite(x) | any_nan(x)); })
      .promote(Promote::Compare)
      .dtypes(kAny)
      .gradient(none_)
      .onnx("Not(Or(IsNaN(self), IsInf(self)))")
      .doc("Whether the element is neither infinite nor a NaN.");
}

void elementary_functions(Registry& r) {
  // The elementary functions have their own slopes (ops/elementary/elementary.h), so every gradient here is derived.
  auto function = [&](const char* schema, auto body, const char* onnx, const char* doc) {
    auto b = r.pointwise(schema, body).promote(Promote::Float).dtypes(kFloating | kComplex).inplace().out().gradient(derived).doc(doc);
    onnx ? b.onnx(onnx) : b.onnx(none("ONNX has no operator for it that keeps its accuracy"));
    return b;
  };
  constexpr const char* kNearCut = "atanh beside 1, asin and acos beside the cut: by up to 20 ulp here";
  function("exp(Tensor self) -> Tensor", [](auto x) { return exp(x); }, "Exp", "e to the power of each element.");
  function(
      "exp2(Tensor self) -> Tensor", [](auto x) { return exp2(x); }, "Pow(2.0, self)", "2 to the power of each element.")
      .alias({"special_exp2"});
  function(
      "expm1(Tensor self) -> Tensor", [](auto x) { return expm1(x); }, nullptr, "exp(self) - 1, exact near 0.")
      .alias({"special_expm1"});
  function("log(Tensor self) -> Tensor", [](auto x) { return log(x); }, "Log", "The natural logarithm.");
  function("log2(Tensor self) -> Tensor", [](auto x) { return log2(x); }, "Div(Log(self), 0.6931471805599453)", "The logarithm to base 2.");
  function(
      "log10(Tensor self) -> Tensor", [](auto x) { return log10(x); }, "Div(Log(self), 2.302585092994046)", "The logarithm to base 10.");
  function(
      "log1p(Tensor self) -> Tensor", [](auto x) { return log1p(x); }, nullptr, "log(1 + self), exact near 0.")
      .alias({"special_log1p"});
  function("sin(Tensor self) -> Tensor", [](auto x) { return sin(x); }, "Sin", "The sine.");
  function("cos(Tensor self) -> Tensor", [](auto x) { return cos(x); }, "Cos", "The cosine.");
  function("tan(Tensor self) -> Tensor", [](auto x) { return tan(x); }, "Tan", "The tangent.");
  function(
      "asin(Tensor self) -> Tensor", [](auto x) { return asin(x); }, "Asin", "The angle of this sine.")
      .alias({"arcsin"})
      .special(Special::BranchPoints, kNearCut);
  function(
      "acos(Tensor self) -> Tensor", [](auto x) { return acos(x); }, "Acos", "The angle of this cosine.")
      .alias({"arccos"})
      .special(Special::BranchPoints, kNearCut);
  function(
      "atan(Tensor self) -> Tensor", [](auto x) { return atan(x); }, "Atan", "The angle of this tangent.")
      .alias({"arctan"})
      .special(Special::BranchPoints, kNearCut);
  function("sinh(Tensor self) -> Tensor", [](auto x) { return sinh(x); }, "Sinh", "The hyperbolic sine.");
  function("cosh(Tensor self) -> Tensor", [](auto x) { return cosh(x); }, "Cosh", "The hyperbolic cosine.");
  function("tanh(Tensor self) -> Tensor", [](auto x) { return tanh(x); }, "Tanh", "The hyperbolic tangent.");
  function(
      "asinh(Tensor self) -> Tensor", [](auto x) { return asinh(x); }, "Asinh", "The inverse of sinh.")
      .alias({"arcsinh"})
      .special(Special::BranchPoints, kNearCut);
  function(
      "acosh(Tensor self) -> Tensor", [](auto x) { return acosh(x); }, "Acosh", "The inverse of cosh.")
      .alias({"arccosh"})
      .special(Special::BranchPoints, kNearCut)
      .special(Special::BeginsAtOne, "the inverse of cosh, which is 1 or more");
  function(
      "atanh(Tensor self) -> Tensor", [](auto x) { return atanh(x); }, "Atanh", "The inverse of tanh.")
      .alias({"arctanh"})
      .special(Special::BranchPoints, kNearCut);
  function(
      "erf(Tensor self) -> Tensor", [](Num x) { return erf(x); }, "Erf", "The error function.")
      .alias({"special_erf"})
      .special(Special::TinyIsZero, "PyTorch's bfloat16 erf is 0 below 1e-29");
  function(
      "erfc(Tensor self) -> Tensor", [](Num x) { return erfc(x); }, nullptr, "1 - erf(self), exact for large elements.")
      .alias({"special_erfc"});
  function("sqrt(Tensor self) -> Tensor", [](auto x) { return sqrt(x); }, "Sqrt", "The square root.");
  function("rsqrt(Tensor self) -> Tensor", [](auto x) { return rsqrt(x); }, "Reciprocal(Sqrt(self))", "1 / sqrt(self).");
  function(
      "reciprocal(Tensor self) -> Tensor", [](auto x) { return one_like(x) / x; }, "Reciprocal", "1 / self.")
      .slope(0, [](const Num*, Num y) { return -(y * y); });
  r.pointwise("atan2(Tensor self, Tensor other) -> Tensor", [](Num y, Num x) { return atan2(y, x); })
      .promote(Promote::Float)
      .dtypes(kFloating)
      .inplace()
      .out()
      .alias({"arctan2"})
      .gradient(derived)
      .onnx(none("ONNX has no operator for it that keeps its accuracy"))
      .doc("The angle of the point (other, self).")
      .special(Special::GradientOverflowIsNaN, "PyTorch squares both arguments");
}

// isclose(self, other, rtol, atol, equal_nan).
void isclose_rule(RuleCall& c) {
  auto from = c.dtype(0), to = c.dtype(1);
  c.check(!from || !to || *from == *to, ErrorKind::Runtime, info(from.value_or(DType::f32)).scalar_type, " did not match ",
          info(to.value_or(DType::f32)).scalar_type, "; convert one of them");
  auto not_negative = [&](size_t i, const char* what) {
    auto v = c.real(i);
    c.check(!v || *v >= 0, ErrorKind::Runtime, what, " must be greater than or equal to zero, but got ", v.value_or(0));
  };
  not_negative(2, "rtol"), not_negative(3, "atol");
  c.result(broadcast(c.sizes(0), c.sizes(1), c.op.name()), DType::b1);
}

IValue decompose_isclose(const IValue* a) {
  const Tensor x = a[0].to_tensor(), other = a[1].to_tensor();
  const double rtol = a[2].to_double(), atol = a[3].to_double();
  const bool exact = !is_floating(x.dtype()) && !is_complex(x.dtype());
  Tensor close = "eq"_op(x, other);
  if (a[4].to_bool() && !exact) close = "logical_or"_op(close, "logical_and"_op("isnan"_op(x), "isnan"_op(other)));
  if (rtol == 0 && atol == 0) return close;
  auto wide_of = [&](const Tensor& t) { return exact ? Tensor("to"_op(t, default_dtype())) : t; };
  const Tensor wide = wide_of(other);
  const Tensor error = "abs"_op("sub"_op(wide_of(x), wide)), allowed = "add"_op("abs"_op("mul"_op(wide, rtol)), atol);
  return "logical_or"_op(close, "logical_and"_op("isfinite"_op(error), "le"_op(error, allowed)));
}

IValue all_of(const Tensor& t) { return "Bool"_op("all"_op(t)); }

// The kernel compares blocks, and stops at the first one that differs.
void equal_rule(RuleCall& c) {
  c.truth_value();
  const bool fits = all_contiguous(c, {0, 1}) && c.dtype(0) == c.dtype(1) && !is_quantized(*c.dtype(0)) && compares_elements(*c.dtype(0)) &&
                    std::ranges::equal(c.sizes(0).words(), c.sizes(1).words());
  if (!fits) c.leave_to_decomposition();
}

// Comparisons with a decomposition into others: isclose, allclose, equal.
void closeness(Registry& r) {
  const char* close = R"([[*p, *n] for p in ([at([1.0, 1.0, inf, inf, -inf, nan, nan, 0.0, 1e-9, 100.0]).to(d),
                                     at([1.0, 1.00001, inf, -inf, -inf, nan, 1.0, -0.0, 0.0, 100.01]).to(d)] for d in (f32, f64, f16))
                   for n in ((1e-5, 1e-8, False), (1e-5, 1e-8, True), (0.0, 0.0, True), (0.5, 1.0, False), (-1.0, 1e-8), (1e-5, -1.0))]
                + [[at([1, 2, 3]), at([1, 3, 3])], [at([True, False]), at([True, True])], [t(f32, 3, 1), t(f32, 2)], [t(f32, 3), t(f32, 2)],
                   [t(f32, 3), t(f64, 3)], [t(c64, 3), t(c64, 3)], [at([1 + 1j, complex(nan, 0)]), at([1 + 1.000001j, complex(nan, 0)])],
                   [t(f32, 0), t(f32, 0)], [at([1, 2]), at([1, 3]), 0.5, 1.0], [at([1, 2]), at([1, 2]), 0.0, 0.0]])";
  r.op("isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor")
      .rule(isclose_rule)
      .decompose(decompose_isclose, Reads::Nothing)
      .gradient(constant("its result is bool"))
      .onnx(none("decomposes to comparisons"))
      .doc("Where |self - other| <= atol + rtol |other|; equal infinities are close.")
      .samples(close)
      .special(Special::OtherSchemaText, "the shortest text of rtol");
  r.op("allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool")
      .decompose([](const IValue* a) -> IValue { return all_of("isclose"_op(a[0], a[1], a[2], a[3], a[4])); }, Reads::Nothing)
      .gradient(constant("its result is a bool"))
      .onnx(none("write isclose and all"))
      .doc("Whether all elements are close: isclose.")
      .samples(close)
      .special(Special::OtherSchemaText, "the shortest text of rtol");
  r.op("equal(Tensor self, Tensor other) -> bool")
      .decompose([](const IValue* a) -> IValue {
        const Tensor x = a[0].to_tensor(), y = a[1].to_tensor();
        if (x.sizes() != y.sizes()) return false;
        if (!is_quantized(x.dtype()) && !is_quantized(y.dtype())) return all_of("eq"_op(x, y));
        return x.dtype() == y.dtype() && same_quantizer(quantizer_of(x), quantizer_of(y))
                   ? all_of("eq"_op("int_repr"_op(x), "int_repr"_op(y)))
                   : IValue(false);
      })
      .rule(equal_rule)
      .kernel(equal_kernel)
      .quantized(Quantized::Taken)
      .gradient(constant("its result is a bool"))
      .onnx(none("write eq and all"))
      .doc("Whether both have the same size and the same elements.")
      .samples(R"([[v, v.clone()] for v in layouts(2, 3)] + [[t(f32, 3), t(f32, 3)], [t(f32, 3), t(f32, 4)], [t(f32, 1), t(f32)],
                   [at([1.0, nan]), at([1.0, nan])], [at([0.0]), at([-0.0])], [at([1, 2]), at([1.0, 2.0])], [t(f32, 0), t(f32, 0)],
                   [t(f32, 0), t(f32, 0, 2)]])");
}

}  // namespace

void elementwise(Registry& r) {
  closeness(r);
  comparisons(r);
  logic(r);
  elementary_functions(r);
  auto zero_slope = [](const Num* x, Num) { return lit(x[0].t, 0.0); };
  auto rounding = [&](const char* schema, Body1 body, const char* onnx, const char* doc) {
    return r.pointwise(schema, body).dtypes(kNumbers).inplace().out().slope(0, zero_slope).onnx(onnx).doc(doc);
  };
  rounding("floor(Tensor self) -> Tensor", [](Num x) { return floor(x); }, "Floor", "The largest integer that is not greater.");
  rounding("ceil(Tensor self) -> Tensor", [](Num x) { return ceil(x); }, "Ceil", "The smallest integer that is not less.");
  rounding(
      "trunc(Tensor self) -> Tensor", [](Num x) { return trunc(x); }, "Where(Less(self, 0), Ceil(self), Floor(self))", "The integer part.")
      .alias({"fix"});
  rounding("round(Tensor self) -> Tensor", [](Num x) { return rint(x); }, "Round", "The nearest integer, the even one at ties.");
  r.op("round.decimals(Tensor self, *, int decimals) -> Tensor")
      .decompose(round_decimals, Reads::Nothing)
      .inplace()
      .out()
      .onnx(none("decomposes to mul, round and div"))
      .doc("The nearest number with so many decimals, the even one at ties; with `decimals` below 0, tens, hundreds and so on.")
      .samples(
          "[[t(d, 7, low=-90, high=90), n] for d in (f32, f64) for n in (0, 1, 3, -1, -2)] + [[at([0.5, 1.25, 2.35]), 1], [t(i64, 3), 1], "
          "[t(i64, 3), 0]]");
  r.pointwise("sign(Tensor self) -> Tensor", sign)
      .dtypes(kNumbers | kBool)
      .inplace()
      .out()
      .slope(0, zero_slope)
      .onnx("Sign")
      .doc("-1, 0 or 1 by the sign of each element; 0 for a NaN.")
      .special(Special::ReferenceDiffers, "of NaN it is 0 in PyTorch");
  r.pointwise("neg(Tensor self) -> Tensor", [](auto x) { return -x; })
      .dtypes(kNumbers | kComplex)
      .refuses_bool()
      .inplace()
      .out()
      .alias({"negative"})
      .gradient([](GradCall& c) { c.set(0, "neg"_op(c.grad())); })
      .onnx("Neg")
      .doc("The negative of each element.");
  r.pointwise("abs(Tensor self) -> Tensor", [](auto x) { return abs(x); })
      .dtypes(kNumbers | kComplex)
      .inplace()
      .out()
      .alias({"absolute"})
      // As in PyTorch, the gradient is multiplied by the sign, so an infinite gradient at 0 gives NaN.
      .gradient([](GradCall& c) {
        c.set(0, "mul"_op(c.grad(), is_complex(c.dtype(0)) ? Tensor("sgn"_op(c.value(0))) : Tensor("sign"_op(c.value(0)))));
      })
      .onnx("Abs")
      .doc("The absolute value of each element.");
  r.pointwise("square(Tensor self) -> Tensor", [](auto x) { return x * x; })
      .dtypes(kNumbers | kComplex)
      .counts_bool()
      .inplace()
      .out()
      .out_dtype(OutDType::Safe)
      .slope(0, [](const Num* x, Num) { return 2.0 * x[0]; })
      .onnx("out: Mul(self, self)")
      .doc("Each element times itself.");

  // As in PyTorch, each has two names: maximum and max.other. ONNX's Max is imported as the first.
  constexpr size_t kOutOnly = std::string_view("out: ").size();
  auto extremum = [&](const char* schema, const char* other, Body2 body, SlopeFn first, SlopeFn second, const char* onnx, const char* doc) {
    for (const char* text : {schema, other})
      r.pointwise(text, body)
          .dtypes(kNumbers | kBool)
          .out()
          .commutative()
          .slope(0, first)
          .slope(1, second)
          .onnx(text == schema ? onnx + kOutOnly : onnx)
          .doc(doc)
          .samples("pointwise() + [[at([nan, 1.0, nan, 2.0, 0.0, -0.0]), at([1.0, nan, nan, 2.0, -0.0, 3.0])]]")
          .special(Special::EitherZero, kEqualOperands);
  };
  SlopeFn larger = [](const Num* x, Num) { return share_of(x[0], x[1]); };
  SlopeFn smaller = [](const Num* x, Num) { return share_of(x[1], x[0]); };
  extremum(
      "maximum(Tensor self, Tensor other) -> Tensor", "max.other(Tensor self, Tensor other) -> Tensor",
      [](Num a, Num b) { return maximum(a, b); }, larger, smaller, "out: Max", "The larger of two elements; a NaN wins.");
  extremum(
      "minimum(Tensor self, Tensor other) -> Tensor", "min.other(Tensor self, Tensor other) -> Tensor",
      [](Num a, Num b) { return minimum(a, b); }, smaller, larger, "out: Min", "The smaller of two elements; a NaN wins.");
  // pow with a number: see power_of_number(). The special exponents give the exact product or root, which is within the 2 ulp of pow.
  auto power = [&](std::initializer_list<const char*> schemas, auto body) {
    return r.pointwise(schemas, body)
        .dtypes(kNumbers | kComplex)
        .scalars_promote()
        .refuses("Integers to negative integer powers are not allowed. Convert the base first, for example x.to(torch.float32)")
        .out()
        // d/dx x^y is 0 if y is 0, for every x. d/dy x^y is 0 if x is 0 and y >= 0.
        .slope(0, [](const Num* x, Num) { return where(x[1] == 0.0, 0.0, x[1] * pow(x[0], x[1] - 1.0)); })
        .slope(1, [](const Num* x, Num y) { return where((x[0] == 0.0) & (x[1] >= 0.0), 0.0, y * log(x[0])); })
        .onnx("Pow")
        .number_check(1, NumberCheck::BesideIntegers)
        .doc("`self` raised to `exponent`.")
        .special(Special::ReferenceDiffers, "PyTorch's roots of -0 and minus infinity; the reference refuses negative powers of integers");
  };
  power({"pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor"}, [](auto x, auto y) { return power_of(x, y); }).inplace("Tensor");
  power({"pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor"}, [](auto x, auto y) { return power_of_number(x, y); })
      .wide_numbers()
      .dtypes(kNumbers | kComplex | kBool)
      .slope(0, [](const Num* x, Num) { return where(x[1] == 0.0, 0.0, x[1] * power_of_number(x[0], x[1] - 1.0)); })
      .inplace("Scalar")
      .samples(R"(pointwise() + [[special(d), e] for d in ALL for e in (-1, 0, 3)] + [[t(u8, 3), 300], [t(i8, 3), 200], [t(u8, 3), 2 ** 40],
                [t(u8, 3), 255]])");
  power({"pow.Scalar(Scalar self, Tensor exponent) -> Tensor"}, [](auto x, auto y) { return power_of(x, y); }).contiguous_result();
  auto chosen = [&](std::initializer_list<const char*> schemas) {
    return r.pointwise(schemas, [](auto c, auto a, auto b) { return where(condition_of(c), a, b); })
        .fixed(0, DType::b1)
        .dtypes(kAllDTypes)
        .scalars_promote()
        .takes_byte_mask()
        .number_check(1, NumberCheck::BesideIntegers)
        .number_check(2, NumberCheck::BesideIntegers)
        .doc("`self` where `condition` is true, else `other`.");
  };
  auto chosen_tensor = [&](std::initializer_list<const char*> schemas) {
    return chosen(schemas)
        .gradient([](GradCall& c) {
          if (c.needs(1)) c.set(1, "where"_op(c.value(0), c.grad(), 0.0));
          if (c.needs(2)) c.set(2, "where"_op(c.value(0), 0.0, c.grad()));
        })
        .onnx("Where");
  };
  chosen_tensor({"where.self(Tensor condition, Tensor self, Tensor other) -> Tensor"})
      .out_named("self_out")
      .out_dtype(OutDType::Exact)
      .samples("pointwise() + [[c, t(f32, 3), t(f32, 3)] for c in (t(i64, 3), t(f32, 3), t(u8, 3))]");
  chosen_tensor({"where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor",
                 "where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor"})
      .samples("ScalarOther", R"(pointwise() + [[t(b1, 3), t(u8, 3), v] for v in (300, -1, 255)] + [[t(b1, 3), t(f16, 3), 1000000.0],
                  [t(i64, 3), t(f32, 3), 1],
                [t(f32, 3), t(f32, 3), 1]])")
      .samples("ScalarSelf", "pointwise() + [[t(b1, 3), 300, t(u8, 3)], [t(b1, 3), 200, t(i8, 3)]]");
  chosen({"where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor"})
      .gradient(constant("a condition has none"))
      .onnx(none("two numbers name no dtype for the result"));
  r.pointwise({"masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor"},
              [](auto x, auto mask, auto value) { return where(condition_of(mask), value, x); })
      .fixed(1, DType::b1)
      .dtypes(kAllDTypes)
      .contiguous_result()
      .inplace()
      .operator_out()
      .writes_again()
      .gradient([](GradCall& c) { c.set(0, "masked_fill"_op(c.grad(), c.value(1), 0.0)); })
      .onnx("out: Where(mask, value, self)")
      .number_check(2, NumberCheck::Stored)
      .doc("A copy of `self` with `value` where `mask` is true.")
      .samples(R"(pointwise() + [[t(u8, 3), t(b1, 3), v] for v in (300, -1, 2.7, 256.0)] + [[t(f16, 3), t(b1, 3), 100000.0],
                  [t(f32, 3), t(b1, 3), 1e39],
                [t(f32, 3), t(b1, 3), -inf], [t(f32, 3), t(b1, 3), 1j], *([t(f32, 3), m, 1] for m in (t(i64, 3), t(u8, 3), t(f32, 3)))])");
  r.op({"clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
        "clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor"})
      .rule([](RuleCall& c) {
        c.check(!c.none(1) || !c.none(2), ErrorKind::Runtime, "torch.clamp: At least one of 'min' or 'max' must not be None");
        Sizes sizes = c.sizes(0);
        for (size_t i : {size_t{1}, size_t{2}})
          if (c.is_tensor(i)) sizes = broadcast(sizes, c.sizes(i), c.op.name());
        c.result(sizes, c.promoted(std::array<size_t, 3>{0, 1, 2}));
      })
      .decompose(
          [](const IValue* a) -> IValue {
            IValue x = a[0];
            // Bools become the numbers that the other limit makes of them before they are limited by a bool.
            if (x.as_tensor().dtype() == DType::b1 && a[1].is_bool() && (a[2].is_int() || a[2].is_float()))
              x = "to"_op(x, a[2].is_float() ? default_dtype() : DType::i64);
            if (!a[1].is_none()) x = "clamp_min"_op(x, a[1]);
            return a[2].is_none() ? x : "clamp_max"_op(x, a[2]);
          },
          Reads::Nothing)
      .inplace()
      .out("Tensor_out")
      .out_dtype("Tensor_out", OutDType::Safe)
      .alias({"clip"})
      .onnx(none("decomposes to clamp_min and clamp_max"))
      .doc("The elements, raised to min and lowered to max.")
      .samples("", R"([[t(d, 3, 4), *b] for d in ALL for b in ((0, None), (None, 1), (-1, 1))]
               + [[v, *b] for v in layouts(3, 4) for b in ((-0.5, 0.5), (0.5, -0.5), (None, None))] + [[special(f32), -1.0, 2.0],
                  [special(f32), nan],
                [t(i64, 5), 0.5], [t(i64, 5), None, 2.5], [t(f32, 0, 2), 0.0, 1.0], [t(f32), 0, 1], [t(u8, 4), -1, 300], [t(i8, 4), -200],
                [t(i8, 4), None, 127], [t(i32, 4), None, 2 ** 31]])")
      .samples("Tensor",
               R"([[t(f32, 3, 4), lo, hi] for lo, hi in ((t(f32, 4), None), (None, t(f32, 3, 1)), (t(f32, 3, 4), t(f32)), (None, None),
                  (t(f32, 5), None))]
               + [[t(a, 4), t(b, 4)] for a in (f32, i64, bf16, b1) for b in (f32, i64, f64)] + [[t(f32), t(f32, 2, 3), t(f32, 3)],
                [t(f32, 0, 2), t(f32, 2)]])");
  // PyTorch has no clamp of bools by a bool number, but one by a tensor of bools. Of the two overloads the one of a tensor comes first, which a tensor of no dims
  // names then.
  auto limited = [&](const char* schema, Body2 body, SlopeFn first, SlopeFn second, const char* onnx, const char* doc) {
    const bool tensor = std::string_view(schema).find(".Tensor") != std::string_view::npos;
    auto b = r.pointwise(schema, body);
    b.dtypes(tensor ? kNumbers | kBool : kNumbers)
        .scalars_promote()
        .inplace()
        .out("Tensor_out")
        .slope(0, first)
        .slope(1, second)
        .onnx(onnx)
        .number_check(1, NumberCheck::Stored)
        .doc(doc)
        .special(Special::EitherZero, kEqualOperands);
    return b;
  };
  auto low = [&](const char* schema) {
    return limited(
        schema, [](Num x, Num least) { return maximum(least, x); },
        [](const Num* x, Num) { return where(x[1] <= x[0], lit(x[0].t, 1.0), lit(x[0].t, 0.0)); },
        [](const Num* x, Num) { return where(x[0] < x[1], lit(x[0].t, 1.0), lit(x[0].t, 0.0)); }, "Max(self, min)",
        "Elements below `min` become `min`.");
  };
  auto high = [&](const char* schema) {
    return limited(
        schema, [](Num x, Num most) { return minimum(most, x); },
        [](const Num* x, Num) { return where(x[0] <= x[1], lit(x[0].t, 1.0), lit(x[0].t, 0.0)); },
        [](const Num* x, Num) { return where(x[1] < x[0], lit(x[0].t, 1.0), lit(x[0].t, 0.0)); }, "Min(self, max)",
        "Elements above `max` become `max`.");
  };
  low("clamp_min.Tensor(Tensor self, Tensor min) -> Tensor").special(Special::ReadsBackOtherwise, "as maximum");
  low("clamp_min(Tensor self, Scalar min) -> Tensor")
      .samples("pointwise() + [[t(i8, 3), -200], [t(f16, 3), -1000000.0], [t(f32, 3), -inf]]");
  high("clamp_max.Tensor(Tensor self, Tensor max) -> Tensor").special(Special::ReadsBackOtherwise, "as minimum");
  high("clamp_max(Tensor self, Scalar max) -> Tensor")
      .samples("pointwise() + [[t(u8, 3), 300], [t(f16, 3), 1000000.0], [t(f32, 3), 1e39]]");
}

}  // namespace monograph
