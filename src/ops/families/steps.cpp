// logspace, range and kaiser_window: factories of evenly spaced numbers and of functions of them. logspace has a kernel; the others decompose into arange.
#include <cmath>
#include <string>

#include "kernels/fill.h"
#include "ops/families/composite.h"
#include "ops/families/creation.h"
#include "ops/families/error_kinds.h"
#include "ops/pointwise.h"

namespace monograph {
namespace {

constexpr const char* kNumbers = "made of numbers alone: its value becomes a constant";

// The last four arguments of a factory: dtype, layout, device and pin_memory.
struct FactoryOptions {
  IValue dtype, layout, device, pinned;
  explicit FactoryOptions(const IValue* a) : dtype(a[0]), layout(a[1]), device(a[2]), pinned(a[3]) {}
  DType of(DType otherwise) const { return dtype.is_none() ? otherwise : dtype.to_dtype(); }
};
Tensor counted_as(const Size& n, DType t, const FactoryOptions& o) { return "arange"_op(n, t, o.layout, o.device, o.pinned); }
Tensor with_dtype(const Tensor& x, DType t) { return "to"_op(x, t); }

void made_of(RuleCall& c, const Size& n, size_t options, std::optional<DType> otherwise) {
  c.made(Sizes{n}, c.dtype_or(options, otherwise));
}

// --- logspace.

void logspace_rule(RuleCall& c) {
  made_of(c, c.size(2), 4, dtype_between(c));
  const auto t = c.results()[0].dtype;
  c.check(t != DType::b1, ErrorKind::NotImplemented, "\"logspace\" not implemented for 'Bool'");
  if (!c.eager() || c.size(2).is(0)) return;
  // Two numbers or more lie between ends that the dtype holds. A single one is computed first, and the dtype must hold the power.
  if (!c.size(2).is(1))
    for (size_t i : {0, 1}) number_in(c.op.name(), c.value(i), *t);
  else if (!is_complex(*t)) number_in(c.op.name(), std::pow(*c.real(3), *c.real(0)), *t);
}

// --- range: like arange, but the end is included.

template <bool kStep>
void range_rule(RuleCall& c) {
  const size_t options = kStep ? 3 : 2;
  auto a = c.real(0), b = c.real(1), s = kStep ? c.real(2) : std::optional(1.0);
  if (const auto t = c.dtype_or(options, default_dtype()); t && is_integral(*t, false))  // rounded to the dtype
    for (auto* v : {&a, &b, &s})
      if (*v) *v = std::trunc(**v);
  if (!a || !b || !s) return made_of(c, Size(), options, default_dtype());
  check_range(c, *a, *b, *s);
  made_of(c, static_cast<int64_t>((*b - *a) / *s + 1), options, default_dtype());
}
template <bool kStep>
IValue decompose_range(const IValue* a) {
  const FactoryOptions o(a + (kStep ? 3 : 2));
  const DType t = o.of(default_dtype());
  auto number = [&](double v) { return is_integral(t, false) ? std::trunc(v) : v; };
  const double first = number(a[0].to_double()), last = number(a[1].to_double()), step = kStep ? number(a[2].to_double()) : 1.0;
  const auto n = static_cast<int64_t>((last - first) / step + 1);
  if (is_integral(t, false)) {
    const Tensor steps = "mul"_op(counted_as(n, DType::i64, o), static_cast<int64_t>(step));
    return with_dtype("add"_op(steps, static_cast<int64_t>(first)), t);
  }
  return with_dtype("add"_op("mul"_op(counted_as(n, DType::f64, o), step), first), t);
}

// --- kaiser_window.

// The arguments are (window_length, periodic, beta, dtype, ..); the overloads leave some out, so the place of dtype is looked up.
void window_rule(RuleCall& c) {
  const auto options = static_cast<size_t>(c.op.schema().index_of("dtype"));
  const Size n = c.size(0);
  const auto t = c.dtype_or(options, default_dtype());
  c.check(!t || is_floating(*t), Runtime, "expects floating point dtypes, got: ", scalar_type(t));
  c.check(n >= 0, Runtime, "requires non-negative window_length, got window_length=", n);
  made_of(c, n, options, default_dtype());
}

// i0(beta * sqrt(1 - u^2)) / i0(beta), for u from -1 to 1. A periodic window is a symmetric one of one more element, without the last. `before`: how many
// arguments come before dtype.
IValue kaiser_window(const IValue* a, size_t before) {
  const FactoryOptions o(a + before);
  const DType t = o.of(default_dtype());
  const int64_t length = a[0].to_int(), n = length + (before == 1 || a[1].to_bool() ? 1 : 0);
  const double beta = before == 3 ? a[2].to_double() : 12.0, middle = static_cast<double>(n - 1) / 2;
  if (length == 0) return "empty"_op(Dims{0}, t, o.layout, o.device, o.pinned);
  if (length == 1) return "ones"_op(Dims{1}, t, o.layout, o.device, o.pinned);
  const Tensor from_middle = "div"_op("sub"_op(counted_as(n, t, o), middle), middle);
  const Tensor root = "sqrt"_op("clamp_min"_op("rsub"_op("square"_op(from_middle), 1), 0));
  const Tensor all = "div"_op("i0"_op("mul"_op(root, beta)), "i0"_op("scalar_tensor"_op(beta, t)));
  return n == length ? all : Tensor("clone"_op("narrow"_op(all, 0, 0, length)));
}

}  // namespace

void steps(Registry& r) {
  auto stated = [&](std::string_view head, RuleFn rule, const char* doc) {
    return r.op(concat(head, kFactoryArguments).c_str())
        .rule(rule)
        .function_only()
        .gradient(constant("it is made of numbers"))
        .onnx(none(kNumbers))
        .doc(doc);
  };
  auto factory = [&](std::string_view head, RuleFn rule, DecomposeFn decompose, const char* doc) {
    return stated(head, rule, doc).decompose(decompose);
  };
  const char* log_doc = R"(`steps` powers of `base`, whose exponents lie evenly from `start` to `end`.

start: The first exponent.
end: The last exponent, which is in the result.
base: The number whose powers the elements are.

>>> torch.logspace(0, 3, 4))";
  stated("logspace(Scalar start, Scalar end, int steps, float base=10.", logspace_rule, log_doc)
      .kernel(logspace_kernel)
      .out()
      .samples(
          "[[a, b, n, *m] for a, b, n, m in ((0, 1, 5, ()), (-2, 2, 4, (2.0,)), (1, 3, 1, ()), (0, 1, 0, ()), (0, 3, 4, (10.0, i64)), "
          "(0.5, 1.5, 3, (2.0, f64)), "
          "(0, 1, 3, (10.0, bf16)))] + [[0, 1j, 4], [1 - 1j, 2, 3, 2.0, c128]]");
  factory("range.step(Scalar start, Scalar end, Scalar step=1", range_rule<true>, decompose_range<true>,
          R"(Numbers from `start` to `end` by `step`. Unlike arange, it includes `end`.

end: The end of the numbers, which is in the result if the steps reach it.

>>> torch.range(1, 3, 0.5))")
      .samples(
          "[[a, b, s, d] for a, b, s in ((1, 5, 2), (5, 0, -2), (2, 2, 1), (3, 1, 1)) for d in (None, f64, i64)] + [[0.5, 3, 0.5], [0.5, "
          "3, 0.5, f64]]");
  factory("range(Scalar start, Scalar end", range_rule<false>, decompose_range<false>,
          "Numbers from `start` to `end` by 1. Unlike arange, it includes `end`.")
      .samples("[[a, b, d] for a, b in ((1, 5), (0.5, 3), (3, 1)) for d in (None, f64, i64)]");
  const char* window_doc =
      R"(Kaiser's window: the Bessel function i0 of `beta` times a half circle, divided by i0(beta). It is 1 in the middle.

window_length: How many elements the window has.
periodic: Whether the window repeats without a jump, as spectra need it: it is a symmetric window of one more element, without the last. False: it is symmetric.
beta: How narrow the window is.

>>> torch.kaiser_window(5, periodic=False))";
  factory(
      "kaiser_window(int window_length", window_rule, [](const IValue* a) -> IValue { return kaiser_window(a, 1); }, window_doc)
      .samples("[[n] for n in (0, 1, 2, 5, 8, -1)] + [[6, d] for d in (f64, i64)]");
  factory(
      "kaiser_window.periodic(int window_length, bool periodic", window_rule, [](const IValue* a) -> IValue { return kaiser_window(a, 2); },
      window_doc)
      .samples("[[n, k] for n in (0, 1, 2, 5, 8) for k in (True, False)] + [[6, False, f64]]");
  factory(
      "kaiser_window.beta(int window_length, bool periodic, float beta", window_rule,
      [](const IValue* a) -> IValue { return kaiser_window(a, 3); }, window_doc)
      .samples("[[n, k, b] for n in (1, 2, 5) for k in (True, False) for b in (0.5, 8.0)]");
}

}  // namespace monograph
