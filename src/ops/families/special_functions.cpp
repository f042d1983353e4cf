// Functions of torch.special: gamma, zeta and Bessel functions, the normal distribution, nextafter. Most are pointwise bodies that compute in float64, also
// for narrower dtypes; zeta, the incomplete gamma functions and the slopes of random draws have kernels.
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/draw_slopes.h"
#include "kernels/incomplete_gamma.h"
#include "kernels/series.h"
#include "ops/elementary/detail.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/families/special_tables.h"
#include "ops/families/wide_floats.h"
#include "ops/rule.h"
#include "ops/torchscript_names.h"

namespace monograph {
namespace {

constexpr DTypeSet kWideFloats = set_of({DType::f32, DType::f64});
constexpr const char* kNoForm = "ONNX has no operator for it";
constexpr const char* kFewBits = "PyTorch's series keep fewer bits, in float32 and beside zeros";
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRootHalf = std::numbers::sqrt2 / 2;

// Runs a body in float64 and rounds its result to the dtype of x.
template <Num (*kBody)(Num)>
Num in_double(Num x) {
  if (x.t == DType::f64) return kBody(x);
  return convert(kBody(convert(x, DType::f64)), x.t);
}

// The same with a body that is told whether its result will be rounded to float32 or less: then a series may end earlier.
template <Num (*kBody)(Num, bool)>
Num in_double(Num x) {
  if (x.t == DType::f64) return kBody(x, false);
  return convert(kBody(convert(x, DType::f64), true), x.t);
}

Num nan_of(Num x) { return lit(x.t, std::nan("")); }
Num sin_pi(Num r) { return sin(r * std::numbers::pi); }  // for |r| <= 1/2

// --- The gamma function.

// lgamma(2 + z) for |z| <= 1/2.
Num log_gamma_near_two(Num z) { return z * detail::polynomial(z, kLogGamma); }

// log|gamma(y)| for y >= -1/2. From 8.5 on it is Stirling's series; below, steps of 1 lead to a number near 2, where a power series holds. All ranges share
// one logarithm.
Num log_gamma_right(Num y) {
  Num product = lit(y.t, 1.0), w = y;
  for (int step = 0; step < 6; ++step) {
    Num over = w >= 2.5;
    w = where(over, w - 1.0, w), product = where(over, product * w, product);
  }
  Num below = y < 0.5, around = y < 1.5, small = y < 8.5;
  Num z = where(below, y, where(around, y - 1.0, w - 2.0));
  Num logarithm = log(where(below, abs(y) * (y + 1.0), where(small, product, y)));
  Num steps = where(below, -logarithm, where_rare(around, -log1p(y - 1.0), logarithm));
  Num near = log_gamma_near_two(z) + steps;
  static constexpr double kStirling[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156};
  constexpr double kConstant = 0.41893853320467274178;  // log(2 pi) / 2 - 1/2
  Num inverse = 1.0 / y;
  Num far = (y - 0.5) * (logarithm - 1.0) + (detail::polynomial(inverse * inverse, kStirling) * inverse + kConstant);
  return where_rare(small, near, where_rare(y >= 8.5, far, y));  // neither holds for NaN
}
Num log_gamma_double(Num x) {
  Num reflects = x < -0.5, value = log_gamma_right(where(reflects, 1.0 - x, x));
  Num rest = x - rint(x), reflected = log(std::numbers::pi / abs(sin_pi(rest))) - value;
  reflected = where(rest == 0.0, lit(x.t, kInfinity), reflected);
  return where(abs(x) == kInfinity, lit(x.t, kInfinity), where_rare(reflects, reflected, value));
}
Num log_gamma(Num x) { return in_double<log_gamma_double>(x); }

// digamma for x > 0: steps of 1 up to 10, then the asymptotic series.
Num digamma_right(Num x) {
  Num steps = lit(x.t, 0.0), y = x;
  for (int step = 0; step < 10; ++step) {
    Num below = y < 10.0;
    steps = where_rare(below, steps - 1.0 / y, steps), y = where(below, y + 1.0, y);
  }
  static constexpr double kSeries[] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12};
  Num inverse = 1.0 / y, square = inverse * inverse;
  return steps + (log(y) - inverse * 0.5 - detail::polynomial(square, kSeries) * square);
}
Num digamma_double(Num x) {
  Num left = x < 0.0, rest = x - rint(x);
  Num value = digamma_right(where(left, 1.0 - x, x));
  Num reflected = value - std::numbers::pi * cos(rest * std::numbers::pi) / sin_pi(rest);
  Num pole = detail::with_sign_of(lit(x.t, kInfinity), -x);
  return where(x == 0.0, pole, where_rare(left, where(rest == 0.0, nan_of(x), reflected), value));
}
Num digamma(Num x) { return in_double<digamma_double>(x); }

Num trigamma_right(Num x) {
  Num steps = lit(x.t, 0.0), y = x;
  for (int step = 0; step < 10; ++step) {
    Num below = y < 10.0;
    steps = where(below, steps + 1.0 / (y * y), steps), y = where(below, y + 1.0, y);
  }
  static constexpr double kSeries[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6};
  Num inverse = 1.0 / y, square = inverse * inverse;
  return steps + (inverse + square * 0.5 + detail::polynomial(square, kSeries) * square * inverse);
}
Num trigamma_double(Num x) {
  Num left = x < 0.5, sine = sin_pi(x - rint(x)), value = trigamma_right(where(left, 1.0 - x, x));
  return where(left, lit(x.t, std::numbers::pi * std::numbers::pi) / (sine * sine) - value, value);
}
Num trigamma(Num x) { return in_double<trigamma_double>(x); }

IValue decompose_polygamma(const IValue* a) {
  const int64_t n = a[0].to_int();
  MONOGRAPH_CHECK(n >= 0, Runtime, "polygamma(n, x) does not support negative n, but got n = ", n);
  if (n == 0) return "digamma"_op(a[1]);
  if (n == 1) return "prim::trigamma"_op(a[1]);
  const Tensor x = a[1].to_tensor();
  auto of = [n](const Tensor& v) -> Tensor {
    return "mul"_op("special_zeta"_op(static_cast<double>(n + 1), v), (n % 2 ? 1.0 : -1.0) * std::tgamma(static_cast<double>(n + 1)));
  };
  return is_floating(x.dtype()) && element_size(x.dtype()) == 2 ? "to"_op(of("to"_op(x, DType::f32)), x.dtype()) : IValue(of(x));
}

// mvlgamma: the sum of lgamma(x - k / 2) over k = 0 .. p - 1, plus a constant.
IValue decompose_mvlgamma(const IValue* a) {
  Tensor x = a[0].to_tensor();
  const int64_t p = a[1].to_int();
  MONOGRAPH_CHECK(x.dtype() != DType::b1, Runtime, "mvlgamma: the input tensor may not be a boolean tensor");
  MONOGRAPH_CHECK(p >= 1, Runtime, "mvlgamma: p has to be greater than or equal to 1, but got ", p);
  if (exact(x.dtype())) x = "to"_op(x, default_dtype());
  const Tensor shifts = "to"_op("mul"_op(counted(p, x), -0.5), x.dtype());
  // One k after another along dim 0: a sum over short rows would take longer.
  const Tensor all = "add"_op("unsqueeze"_op(x, 0), along(shifts, 0, x.dim() + 1));
  const Tensor sum = "sum"_op("lgamma"_op(all), Dims{0}, false);
  return "add"_op(sum, static_cast<double>(p * (p - 1)) * std::log(std::numbers::pi) / 4);
}

void gammas(Registry& r) {
  auto function = [&](const char* schema, Body1 body, const char* doc, const char* samples) {
    auto b = r.pointwise(schema, body);
    b.promote(Promote::Float).dtypes(kFloating);
    if (samples) b.inplace().out().samples(samples);
    else b.function_only();
    b.decompose(none("it computes in the wider dtype")).onnx(none(kNoForm)).doc(doc);
    return b;
  };
  // The samples stay away from the zeros of the functions, near which PyTorch keeps few bits.
  const char* positive =
      "[[t(d, 9, low=2.5, high=30.0)] for d in FLOATS] + [[at([0.25, 0.5, 1e-10, 3.0, 7.5, 8.75, 1e5, inf, nan]).to(d)] for d in (f32, "
      "f64)] + [[at([1, 2, 5])], "
      "[t(f32, 3, 4, low=3.0, high=5.0).t()]]";
  function("lgamma(Tensor self) -> Tensor", log_gamma,
           R"(The logarithm of the absolute value of the gamma function. For a whole number n above 0, this is log((n - 1)!).

>>> x = torch.tensor([1.0, 4.0, 0.5])
>>> torch.lgamma(x))",
           "[[t(d, 9, low=2.5, high=30.0)] for d in FLOATS] + [[at([0.25, 0.5, 1.0, 2.0, 1e-10, -0.5, -3.25, -7.5, 0.0, -2.0, 1e5, 1e30, "
           "inf, -inf, nan]).to(d)] for d "
           "in (f32, f64)] + [[at([1, 2, 5])], [t(f32, 3, 4, low=3.0, high=5.0).t()]]")
      .alias({"special_gammaln"})
      .gradient([](GradCall& c) { c.set(0, "mul"_op(c.grad(), "digamma"_op(c.value(0)))); });
  function("digamma(Tensor self) -> Tensor", digamma, "The derivative of lgamma. It is infinite at 0 and NaN at negative whole numbers.",
           positive)
      .alias({"special_digamma", "special_psi"})
      .special(Special::RoughGradient, "its trigamma takes six terms from 6 on")
      .gradient([](GradCall& c) { c.set(0, "mul"_op(c.grad(), "prim::trigamma"_op(c.value(0)))); });
  function("prim::trigamma(Tensor self) -> Tensor", trigamma, "The derivative of digamma.", nullptr)
      .samples(none("polygamma(1, x) has its results"))
      .gradient([](GradCall& c) { c.set(0, "mul"_op(c.grad(), "polygamma"_op(2, c.value(0)))); });
  no_torchscript("prim::trigamma", "PyTorch has no operator of this name");
  r.op("polygamma(int n, Tensor self) -> Tensor")
      .decompose(decompose_polygamma, Reads::Nothing)
      .out()
      .out_dtype(OutDType::Safe)
      .alias({"special_polygamma"})
      .function_only()
      .gradient([](GradCall& c) { c.set(1, "mul"_op(c.grad(), "polygamma"_op(c.value(0).to_int() + 1, c.value(1)))); })
      .onnx(none(kNoForm))
      .doc(R"(The `n`-th derivative of digamma.

n: Which derivative, from 0 on. 0 is digamma itself.

>>> torch.polygamma(1, torch.tensor([1.0, 0.5])))")
      .samples(
          "[[n, t(f32, 9, low=2.0, high=9.0)] for n in (0, 1, 2, 5)] + [[n, at([0.25, 1.0, 30.0, -0.5, -2.25, 1e4])] for n in (1, 2, 3)] + "
          "[[1, at([1, "
          "2])], [-1, t(f32, 2)], [2, t(f32, 3, 2, low=1.0).t()]]");
  r.op("mvlgamma(Tensor self, int p) -> Tensor")
      .decompose(decompose_mvlgamma, Reads::Symbols)
      .inplace()
      .out()
      .out_dtype(OutDType::Safe)
      .alias({"special_multigammaln"})
      .onnx(none(kNoForm))
      .doc(
          R"(The logarithm of the gamma function of `p` dims, for elements above (p - 1) / 2: the sum of lgamma(x - k / 2) over k = 0 .. p - 1, and log(pi) p (p - 1) / 4.

p: How many dims the gamma function has, from 1 on.

>>> x = torch.tensor([2.0, 3.0])
>>> torch.mvlgamma(x, 2))")
      .samples("[[t(d, 5, low=3.0, high=9.0), p] for d in (f32, f64) for p in (1, 2, 5)] + [[at([3, 5]), 2], [t(f32, 2, low=3.0), 0]]");
}

// --- Hurwitz's zeta function.

void zetas(Registry& r) {
  auto add = [&](const char* schema, const char* out, const char* samples) {
    auto b = r.op(schema);
    b.out_named(out)
        .out_dtype(OutDType::Safe)
        .namespaced("_special")
        .onnx(none(kNoForm))
        .doc(
            R"(Hurwitz's zeta function: the sum of (other + k) to the power of -self over k = 0, 1, 2, and so on. With other = 1 it is Riemann's.

self: The exponent, above 1.
other: What is added to each k.

>>> torch.special.zeta(torch.tensor([2.0, 4.0]), torch.tensor([1.0, 1.0])))");
    if (std::string_view(schema).starts_with("special_zeta(")) {
      b.rule(wide_pair_rule).kernel(zeta_kernel).gradient([](GradCall& c) {
        MONOGRAPH_CHECK(!c.needs(0), NotImplemented, "the derivative for 'self' of special_zeta is not implemented");
        const Tensor next = "special_zeta"_op("add"_op(c.value(0), 1), c.value(1));
        c.set(1, "mul"_op(c.grad(), "neg"_op("mul"_op(c.value(0), next))));
      });
    } else {
      b.decompose([](const IValue* a) -> IValue { return "special_zeta"_op(tensor_beside(a[0], a[1]), tensor_beside(a[1], a[0])); },
                  Reads::Nothing);
    }
    b.samples(samples);
  };
  add("special_zeta(Tensor self, Tensor other) -> Tensor", "out",
      "[[t(d, 9, low=1.2, high=6.0), t(d, 9, low=0.2, high=12.0)] for d in (f32, f64)] + [[at([1.0, 0.5, 2.0, 2.0, 2.5, 3.0, nan, 2.0, "
      "40.0]).to(d), at([2.0, 2.0, 0.0, "
      "-1.0, -1.5, -1.5, 1.0, nan, 3.0]).to(d)] for d in (f32, f64)] + [[t(f32, 3, 1, low=2.0), t(f32, 4, low=1.0)], [at([2, 3]), at([1, "
      "2])], [t(f32, 2), t(f32, 3)]]");
  add("special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor", "self_scalar_out",
      "[[x, t(d, 5, low=1.0, high=9.0)] for x in (2, 2.5) for d in (f32, f64)] + [[2, at([1, 2])]]");
  add("special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor", "other_scalar_out",
      "[[t(d, 5, low=1.5, high=9.0), q] for q in (1, 2.5) for d in (f32, f64)]");
}

// --- The incomplete gamma functions.

void incomplete_gamma_rule(RuleCall& c) {
  const auto t = c.promoted(std::array<size_t, 2>{0, 1});
  c.check_dtype(t, is_floating, concat(c.op.base_name(), "_cpu"));
  if (t) c.convert(0, *t), c.convert(1, *t);
  c.result(broadcast(c.sizes(0), c.sizes(1), c.op.name()), t);
}

Tensor incomplete_gamma_slope(GradCall& c) {
  MONOGRAPH_CHECK(!c.needs(0), NotImplemented, "[", c.op.name(), "] the derivative for 'self' is not implemented; detach() it");
  const Tensor a = c.arg(0), x = c.arg(1);
  const Tensor log_density = "sub"_op("sub"_op("mul"_op("sub"_op(a, 1), "log"_op(x)), x), "lgamma"_op(a));
  return "mul"_op(c.grad(), "exp"_op(log_density));
}

void incomplete_gammas(Registry& r) {
  auto add = [&](const char* schema, StructuredKernel kernel, auto gradient, const char* doc) {
    return r.op(schema)
        .rule(incomplete_gamma_rule)
        .kernel(kernel)
        .inplace()
        .out()
        .out_dtype(OutDType::Safe)
        .gradient(gradient)
        .onnx(none(kNoForm))
        .doc(doc)
        .samples(
            "[[t(d, 40, low=a, high=b), t(d, 40, low=a / 2, high=2 * b)] for d in FLOATS for a, b in ((0.1, 2.0), (2.0, 20.0))] + [[t(f64, "
            "40, "
            "low=20.0, high=3000.0), t(f64, 40, low=20.0, high=3000.0)], [at([0.0, 0.0, 1.0, 2.0, inf, 1.0, -1.0, 1.0, nan]), at([0.0, "
            "1.0, 0.0, "
            "inf, 2.0, 50.0, 1.0, -1.0, 1.0])], [t(f32, 3, 1, low=1.0), t(f32, 4, low=0.5)], [at([1, 2]), at([3, 1])], [t(f32, 2), t(f32, "
            "3)]]");
  };
  add(
      "igamma(Tensor self, Tensor other) -> Tensor", igamma_kernel, [](GradCall& c) { c.set(1, incomplete_gamma_slope(c)); },
      R"(The regularized lower incomplete gamma function: the integral of t^(self - 1) exp(-t) from 0 to `other`, divided by gamma(`self`).

self: The parameter, at least 0.
other: Where the integral ends, at least 0.

>>> torch.igamma(torch.tensor([1.0, 4.0]), torch.tensor([1.0, 4.0])))")
      .alias({"special_gammainc"});
  add(
      "igammac(Tensor self, Tensor other) -> Tensor", igammac_kernel, [](GradCall& c) { c.set(1, "neg"_op(incomplete_gamma_slope(c))); },
      R"(The regularized upper incomplete gamma function: 1 - igamma(`self`, `other`).

self: The parameter, at least 0.
other: Where the integral begins, at least 0.

>>> torch.igammac(torch.tensor([1.0, 4.0]), torch.tensor([1.0, 4.0])))")
      .alias({"special_gammaincc"});
}

// --- The derivatives of random draws with respect to the parameters of their distribution.

void standard_gamma_slope_rule(RuleCall& c) {
  check_wide_floats(c, {1}, "_standard_gamma_grad_cpu");
  c.like(0, broadcast(c.sizes(0), c.sizes(1), c.op.name()));
}
void dirichlet_slope_rule(RuleCall& c) {
  check_wide_floats(c, {1, 2}, "_dirichlet_grad_cpu");
  c.like(0, broadcast(broadcast(c.sizes(0), c.sizes(1), c.op.name()), c.sizes(2), c.op.name()));
}

void slopes_of_draws(Registry& r) {
  auto slope = [&](const char* schema, RuleFn rule, StructuredKernel kernel, const char* doc, const char* samples) {
    r.op(schema)
        .rule(rule)
        .kernel(kernel)
        .function_only()
        .gradient(none("PyTorch has no second derivative of draws"))
        .onnx(none(kNoForm))
        .doc(doc)
        .samples(samples);
  };
  slope(
      "_standard_gamma_grad(Tensor self, Tensor output) -> Tensor", standard_gamma_slope_rule, standard_gamma_slope_kernel,
      R"(How much a draw `output` of the gamma distribution of shape `self` grows with the shape.

output: What was drawn.

>>> torch._standard_gamma_grad(torch.tensor([0.5, 3.0]), torch.tensor([0.25, 4.0])))",
      "[[t(d, 40, low=a, high=b), t(d, 40, low=a / 2, high=b * 1.5)] for d in (f32, f64) for a, b in ((0.1, 1.0), (0.5, 8.0), (8.0, "
      "60.0))] + [[t(f32, 3, 4, low=1.0).t(), t(f32, 4, 3, low=0.1)], [t(f32, 3, low=1.0), t(f64, 3, low=1.0)], [at([1, 2]), at([1, 2])]]");
  slope(
      "_dirichlet_grad(Tensor x, Tensor alpha, Tensor total) -> Tensor", dirichlet_slope_rule, dirichlet_slope_kernel,
      R"(How much a draw of Dirichlet's distribution grows with its concentration, divided by 1 - x.

x: What was drawn.
alpha: Its concentration.
total: The sum of the concentrations of all numbers that were drawn with it.

>>> torch._dirichlet_grad(torch.tensor([0.25]), torch.tensor([2.0]), torch.tensor([5.0])))",
      "[[t(d, 40, low=0.01, high=0.99), t(d, 40, low=a, high=b), t(d, 40, low=b, high=4 * b)] for d in (f32, f64) for a, b in ((0.1, 1.0), "
      "(0.5, 5.0), (7.0, 14.0))] + [[t(f32, 2, low=0.1, high=0.9), t(f32, 2, low=1.0), t(f32, 2, low=3.0, high=9.0)], [at([1]), at([1]), "
      "at([2])]]");
}

// --- Bessel's functions.

// The sum of a Chebyshev series, c0 / 2 + c1 T1(y) + c2 T2(y) + .., by Clenshaw's recurrence. Each step waits for one fma only.
Num chebyshev(Num y, std::span<const double> c) {
  Num after = lit(y.t, 0.0), now = lit(y.t, 0.0), twice = y * 2.0;
  for (size_t k = c.size() - 1; k > 0; --k) {
    Num next = fma(twice, now, c[k] - after);
    after = now, now = next;
  }
  return fma(y, now, 0.5 * c[0] - after);
}

// The terms of a series that are computed. A narrow result needs those above 2^-35 of it.
std::span<const double> near_terms(std::span<const double> all, bool narrow) { return narrow ? all.first(22) : all; }
std::span<const double> far_terms(std::span<const double> all, bool narrow) { return narrow ? all.first(10) : all; }

Num i0e_double(Num x, bool narrow) {
  Num size = abs(x), large = where(size < 8.0, lit(x.t, 8.0), size);
  Num far = chebyshev(16.0 / large - 1.0, far_terms(kI0Far, narrow)) / sqrt(large);
  return where(size <= 8.0, chebyshev(size * 0.25 - 1.0, near_terms(kI0Near, narrow)), far);
}
Num i1e_double(Num x, bool narrow) {
  Num size = abs(x), large = where(size < 8.0, lit(x.t, 8.0), size);
  Num far = chebyshev(16.0 / large - 1.0, far_terms(kI1Far, narrow)) / sqrt(large);
  Num value = where(size <= 8.0, chebyshev(size * 0.25 - 1.0, near_terms(kI1Near, narrow)) * size, far);
  return where(x < 0.0, -value, value);  // at -0 it is 0, as in PyTorch
}
Num i0_double(Num x, bool narrow) { return where(abs(x) == kInfinity, lit(x.t, kInfinity), exp(abs(x)) * i0e_double(x, narrow)); }
Num i1_double(Num x, bool narrow) { return where(abs(x) == kInfinity, x, exp(abs(x)) * i1e_double(x, narrow)); }
Num i0_body(Num x) { return in_double<i0_double>(x); }
Num i0e_body(Num x) { return in_double<i0e_double>(x); }
Num i1_body(Num x) { return in_double<i1_double>(x); }
Num i1e_body(Num x) { return in_double<i1e_double>(x); }

// The derivatives of i1 and i1e: f - y / x, and f - y (sgn(x) + 1 / x) with `sign`. At 0 both are 1/2.
Tensor i1_slope(const Tensor& x, const Tensor& f, const Tensor& y, bool sign) {
  const double least = x.dtype() == DType::f64 ? 0x1p-52 : 0x1p-23;
  const Tensor there = "gt"_op("abs"_op(x), least), safe = "where"_op(there, x, least);
  Tensor factor = "reciprocal"_op(safe);
  if (sign) factor = "add"_op("sgn"_op(safe), factor);
  return "where"_op(there, "sub"_op(f, "mul"_op(y, factor)), 0.5);
}

void bessels(Registry& r) {
  auto function = [&](const char* schema, Body1 body, const char* doc, bool writes = false) {
    auto b = r.pointwise(schema, body);
    b.promote(Promote::Float).dtypes(kFloating);
    if (writes) b.inplace();
    b.out()
        .decompose(none("it computes in the wider dtype"))
        .onnx(none(kNoForm))
        .doc(doc)
        .samples(
            "[[t(d, 9, low=-12.0, high=12.0)] for d in (f32, f64)] + [[at([0.0, -0.0, 1e-5, 1e-20, 7.9, 8.1, -30.0, 80.0, nan]).to(d)] for "
            "d in (f32, f64)] + [[at([-1, 0, 3])], "
            "[t(f32, 3, 4).t()]]");
    b.special(Special::Factorization, kFewBits);
    return b;
  };
  function("i0(Tensor self) -> Tensor", i0_body, "The modified Bessel function of the first kind, of order 0.", true)
      .alias({"special_i0"})
      .gradient([](GradCall& c) { c.set(0, "mul"_op(c.grad(), "special_i1"_op(c.value(0)))); });
  function("special_i0e(Tensor self) -> Tensor", i0e_body, "exp(-|x|) i0(x), which does not overflow.")
      .namespaced("_special")
      .gradient([](GradCall& c) {
        const Tensor x = c.arg(0);
        c.set(0, "mul"_op(c.grad(), "sub"_op("special_i1e"_op(x), "mul"_op("sgn"_op(x), c.result()))));
      });
  function("special_i1(Tensor self) -> Tensor", i1_body, "The modified Bessel function of the first kind, of order 1.")
      .namespaced("_special")
      .gradient([](GradCall& c) {
        const Tensor x = c.arg(0);
        c.set(0, "mul"_op(c.grad(), i1_slope(x, "i0"_op(x), c.result(), false)));
      });
  function("special_i1e(Tensor self) -> Tensor", i1e_body, "exp(-|x|) i1(x), which does not overflow.")
      .namespaced("_special")
      .gradient([](GradCall& c) {
        const Tensor x = c.arg(0);
        c.set(0, "mul"_op(c.grad(), i1_slope(x, "special_i0e"_op(x), c.result(), true)));
      });
}

// --- Bessel's and Airy's functions without derivatives. Outside of [-2, 2] PyTorch's J, Y and Ai are exact to six digits only, also in float64, so the
// samples in float64 stay inside.

constexpr double kTwoOverPi = 2 / std::numbers::pi;
constexpr double kAiryAtTwo = 1.8856180831641267;  // 2/3 x^(3/2) at x = 2

// P cos(t) - Q sin(t) of order 0 or 1 with kFirst, else P sin(t) + Q cos(t), times sqrt(2 / (pi x)): J(x) or Y(x) for x >= 8. The cosine of t = x - pi/4 is
// (cos(x) + sin(x)) / sqrt(2), so that no bits of x are lost; t of order 1 is pi/2 less.
template <bool kFirst>
Num bessel_far(Num x, bool order) {
  const Num y = 128.0 / (x * x) - 1.0, c = cos(x), s = sin(x);
  const Num sum = (c + s) * kRootHalf, difference = (s - c) * kRootHalf;
  const Num cosine = order ? difference : sum, sine = order ? -sum : difference;
  const Num p = chebyshev(y, order ? std::span<const double>(kBessel1Cosine) : kBessel0Cosine);
  const Num q = chebyshev(y, order ? std::span<const double>(kBessel1Sine) : kBessel0Sine) / x;
  return sqrt(kTwoOverPi / x) * (kFirst ? p * cosine - q * sine : p * sine + q * cosine);
}
Num not_less(Num x, double least) { return where(x < least, lit(x.t, least), x); }
Num bessel_near(Num size, std::span<const double> series) { return chebyshev(size * size * 0.03125 - 1.0, series); }

Num j0_double(Num x) {
  const Num size = abs(x);
  return where(size <= 8.0, bessel_near(size, kJ0Near), bessel_far<true>(not_less(size, 8.0), false));
}
Num j1_double(Num x) {
  const Num size = abs(x), far = bessel_far<true>(not_less(size, 8.0), true);
  return where(size <= 8.0, bessel_near(size, kJ1Near) * x, where(x < 0.0, -far, far));
}
// Of a function with a logarithm: NaN for negative x, and `at_zero` at 0.
Num right_of_zero(Num x, Num value, double at_zero) { return where(x < 0.0, nan_of(x), where(x == 0.0, lit(x.t, at_zero), value)); }
Num y0_double(Num x) {
  const Num near = bessel_near(x, kY0Near) + log(x) * bessel_near(x, kJ0Near) * kTwoOverPi;
  return right_of_zero(x, where(x <= 8.0, near, bessel_far<false>(not_less(x, 8.0), false)), -kInfinity);
}
Num y1_double(Num x) {
  const Num near = bessel_near(x, kY1Near) * x + (log(x) * bessel_near(x, kJ1Near) * x - 1.0 / x) * kTwoOverPi;
  return right_of_zero(x, where(x <= 8.0, near, bessel_far<false>(not_less(x, 8.0), true)), -kInfinity);
}

// At infinity PyTorch's functions are NaN, unlike torch.i0, and at -0 this I1 is 0.
Num modified_i0_double(Num x) { return where(abs(x) == kInfinity, nan_of(x), exp(abs(x)) * i0e_double(x, false)); }
Num modified_i1_double(Num x) {
  return where(abs(x) == kInfinity, nan_of(x), where(x == 0.0, lit(x.t, 0.0), exp(abs(x)) * i1e_double(x, false)));
}

// K0 and K1, times exp(x) with kScaled.
template <bool kScaled>
Num k0_double(Num x) {
  const Num small = where(x <= 2.0, x, lit(x.t, 2.0)), large = not_less(x, 2.0);
  const Num i0 = exp(small) * chebyshev(small * 0.25 - 1.0, kI0Near);
  const Num near = chebyshev(small * small * 0.5 - 1.0, kK0Near) - log(small * 0.5) * i0;
  const Num far = chebyshev(4.0 / large - 1.0, kK0Far) / sqrt(large);
  return right_of_zero(x, where(x <= 2.0, kScaled ? near * exp(small) : near, kScaled ? far : far * exp(-large)), kInfinity);
}
template <bool kScaled>
Num k1_double(Num x) {
  const Num small = where(x <= 2.0, x, lit(x.t, 2.0)), large = not_less(x, 2.0);
  const Num i1 = exp(small) * chebyshev(small * 0.25 - 1.0, kI1Near) * small;
  const Num near = chebyshev(small * small * 0.5 - 1.0, kK1Near) / small + log(small * 0.5) * i1;
  const Num far = chebyshev(4.0 / large - 1.0, kK1Far) / sqrt(large);
  return right_of_zero(x, where(x <= 2.0, kScaled ? near * exp(small) : near, kScaled ? far : far * exp(-large)), kInfinity);
}

Num airy_double(Num x) {
  const Num size = not_less(abs(x), 2.0), root = sqrt(size), z = size * root * (2.0 / 3.0), fourth = sqrt(root), part = kAiryAtTwo / z;
  const Num right = exp(-z) / fourth * chebyshev(part * 2.0 - 1.0, kAiryRight);
  const Num y = part * part * 2.0 - 1.0, c = cos(z), s = sin(z);
  const Num sine = (s + c) * kRootHalf, cosine = (c - s) * kRootHalf;
  const Num left = (chebyshev(y, kAiryCosine) * sine - chebyshev(y, kAirySine) / z * cosine) * std::sqrt(std::numbers::inv_pi) / fourth;
  const Num value = where(abs(x) <= 2.0, chebyshev(x * 0.5, kAiryNear), where(x > 0.0, right, left));
  return where(abs(x) == kInfinity, nan_of(x), value);
}
Num spherical_j0_double(Num x) { return where(abs(x) == kInfinity, lit(x.t, 0.0), where(x == 0.0, lit(x.t, 1.0), sin(x) / x)); }

void bessels_without_derivatives(Registry& r) {
  auto function = [&](const char* schema, Body1 body, const char* doc) {
    r.pointwise(schema, body)
        .promote(Promote::Float)
        .dtypes(kWideFloats)
        .out()
        .namespaced("_special")
        .gradient(constant("PyTorch has no derivative of it"))
        .decompose(none("it computes in the wider dtype"))
        .onnx(none(kNoForm))
        .doc(doc)
        .special(Special::Factorization, kFewBits)
        .samples(
            "[[t(f32, 19, low=a, high=b)] for a, b in ((0.02, 1.9), (2.1, 7.9), (8.1, 24.0), (-12.0, -0.02))] + [[t(f64, 19, low=a, high=a "
            "+ 0.9)] "
            "for a in (0.05, -0.95)] + [[at([0.0, -0.0, 1e-5, 2.0, 8.0, -2.0, -8.0, 40.0, inf, -inf, nan])], [at([0.0, -0.0, 1e-5, 0.5, "
            "inf, "
            "-inf, nan]).double()], [at([-1, 0, 3])], [t(f32, 3, 4).t()], [t(f16, 3)], [t(c64, 3)]]");
  };
  function("special_bessel_j0(Tensor self) -> Tensor", in_double<j0_double>,
           "The Bessel function of the first kind, of order 0.\n\n>>> torch.special.bessel_j0(torch.tensor([0.5, 3.0]))");
  function("special_bessel_j1(Tensor self) -> Tensor", in_double<j1_double>,
           "The Bessel function of the first kind, of order 1.\n\n>>> torch.special.bessel_j1(torch.tensor([0.5, 3.0]))");
  function(
      "special_bessel_y0(Tensor self) -> Tensor", in_double<y0_double>,
      "The Bessel function of the second kind, of order 0. Below 0 it is NaN.\n\n>>> torch.special.bessel_y0(torch.tensor([0.5, 3.0]))");
  function(
      "special_bessel_y1(Tensor self) -> Tensor", in_double<y1_double>,
      "The Bessel function of the second kind, of order 1. Below 0 it is NaN.\n\n>>> torch.special.bessel_y1(torch.tensor([0.5, 3.0]))");
  function("special_modified_bessel_i0(Tensor self) -> Tensor", in_double<modified_i0_double>,
           "The modified Bessel function of the first kind, of order 0. Unlike torch.i0 it has no derivative, and is NaN at "
           "infinity.\n\n>>> torch.special.modified_bessel_i0(torch.tensor([0.5, 3.0]))");
  function("special_modified_bessel_i1(Tensor self) -> Tensor", in_double<modified_i1_double>,
           "The modified Bessel function of the first kind, of order 1. Unlike special.i1 it has no derivative, and is NaN at "
           "infinity.\n\n>>> torch.special.modified_bessel_i1(torch.tensor([0.5, 3.0]))");
  function("special_modified_bessel_k0(Tensor self) -> Tensor", in_double<k0_double<false>>,
           "The modified Bessel function of the second kind, of order 0. Below 0 it is NaN.\n\n>>> "
           "torch.special.modified_bessel_k0(torch.tensor([0.5, 3.0]))");
  function("special_modified_bessel_k1(Tensor self) -> Tensor", in_double<k1_double<false>>,
           "The modified Bessel function of the second kind, of order 1. Below 0 it is NaN.\n\n>>> "
           "torch.special.modified_bessel_k1(torch.tensor([0.5, 3.0]))");
  function("special_scaled_modified_bessel_k0(Tensor x) -> Tensor", in_double<k0_double<true>>,
           "exp(x) special.modified_bessel_k0(x), which does not underflow.\n\nx: Where it is taken.\n\n>>> "
           "torch.special.scaled_modified_bessel_k0(torch.tensor([0.5, 3.0]))");
  function("special_scaled_modified_bessel_k1(Tensor x) -> Tensor", in_double<k1_double<true>>,
           "exp(x) special.modified_bessel_k1(x), which does not underflow.\n\nx: Where it is taken.\n\n>>> "
           "torch.special.scaled_modified_bessel_k1(torch.tensor([0.5, 3.0]))");
  function("special_spherical_bessel_j0(Tensor x) -> Tensor", in_double<spherical_j0_double>,
           "sin(x) / x, and 1 at 0.\n\nx: Where it is taken.\n\n>>> torch.special.spherical_bessel_j0(torch.tensor([0.5, 3.0]))");
  function("special_airy_ai(Tensor x) -> Tensor", in_double<airy_double>,
           "The Airy function Ai.\n\nx: Where it is taken.\n\n>>> torch.special.airy_ai(torch.tensor([0.5, 3.0]))");
}

// --- The normal distribution.

// log(exp(u^2) erfc(u)) for u >= 0.
Num log_scaled_erfc(Num u) {
  Num t = 2.0 / (u + 2.0);
  return log(t) + chebyshev(t * 2.0 - 1.0, kLogErfcx);
}
Num scaled_erfc_double(Num x) {
  Num size = abs(x), right = exp(log_scaled_erfc(size)), left = 2.0 * exp(x * x) - right;
  return where(x == kInfinity, lit(x.t, 0.0), where(x < 0.0, left, right));
}
Num scaled_erfc(Num x) { return in_double<scaled_erfc_double>(x); }

Num log_normal_distribution_double(Num x) {
  Num u = x * kRootHalf, left = log_scaled_erfc(abs(u)) - (u * u + std::numbers::ln2), right = log1p(erfc(u) * -0.5);
  return where(x == -kInfinity, x, where(x < -1.0, left, right));
}
Num log_normal_distribution(Num x) { return in_double<log_normal_distribution_double>(x); }

// The inverse of the normal distribution function: Acklam's rational approximation, whose relative error is 2^-29, then Halley's steps, each of which
// multiplies the number of exact bits by three.
Num normal_quantile_double(Num p, bool narrow) {
  static constexpr double kA[] = {2.506628277459239e+00,  -3.066479806614716e+01, 1.383577518672690e+02,
                                  -2.759285104469687e+02, 2.209460984245205e+02,  -3.969683028665376e+01};
  static constexpr double kB[] = {
      1.0, -1.328068155288572e+01, 6.680131188771972e+01, -1.556989798598866e+02, 1.615858368580409e+02, -5.447609879822406e+01};
  static constexpr double kC[] = {2.938163982698783e+00,  4.374664141464968e+00,  -2.549732539343734e+00,
                                  -2.400758277161838e+00, -3.223964580411365e-01, -7.784894002430293e-03};
  static constexpr double kD[] = {1.0, 3.754408661907416e+00, 2.445134137142996e+00, 3.224671290700398e-01, 7.784695709041462e-03};
  Num upper = p > 0.5, tail = where(upper, 1.0 - p, p);
  Num middle = p - 0.5, square = middle * middle;
  Num near = middle * detail::polynomial(square, kA) / detail::polynomial(square, kB);
  Num q = sqrt(log(tail) * -2.0), far = detail::polynomial(q, kC) / detail::polynomial(q, kD);
  Num x = where_rare(tail < 0.02425, far, where(upper, -near, near));  // as for the lower tail
  for (int step = 0; step < (narrow ? 1 : 2); ++step) {
    Num e = erfc(x * -kRootHalf) * 0.5 - tail, u = e * exp(x * x * 0.5) * 2.5066282746310005024;
    x = x - u / (x * u * 0.5 + 1.0);
  }
  x = where(upper, -x, x);
  x = where(p == 0.0, lit(p.t, -kInfinity), where(p == 1.0, lit(p.t, kInfinity), x));
  return where((p < 0.0) | (p > 1.0), nan_of(p), x);
}
Num normal_quantile(Num p) { return in_double<normal_quantile_double>(p); }

Num entr(Num x) {
  Num value = where(x == 0.0, lit(x.t, 0.0), -x * log(x));
  return where(x < 0.0, lit(x.t, -kInfinity), value);
}
Num xlog1py_body(Num x, Num y) { return where(is_nan(y), nan_of(x), where(x == 0.0, lit(x.t, 0.0), x * log1p(y))); }

void normals(Registry& r) {
  auto function = [&](const char* schema, Body1 body, const char* doc, const char* samples) {
    auto b = r.pointwise(schema, body);
    b.promote(Promote::Float).dtypes(kFloating).out().namespaced("_special").onnx(none(kNoForm)).doc(doc).samples(samples);
    b.special(Special::Factorization, kFewBits);
    return b;
  };
  constexpr const char* kWide = "it computes in the wider dtype";
  function("special_erfcx(Tensor self) -> Tensor", scaled_erfc, R"(exp(x^2) erfc(x), which stays a usable number where erfc(x) is 0.

>>> torch.special.erfcx(torch.tensor([0.0, 1.0, 50.0])))",
           "[[t(d, 9, low=-3.0, high=12.0)] for d in (f32, f64)] + [[at([0.0, -0.0, 1e-5, 60.0, 1e10, -30.0, inf, -inf, nan]).to(d)] for d "
           "in (f32, f64)] + [[at([-1, 0, 3])]]")
      .dtypes(kWideFloats)
      .decompose(none(kWide))
      .gradient([](GradCall& c) {
        const Tensor slope = "sub"_op("mul"_op("mul"_op(c.value(0), 2.0), c.result()), 2.0 / std::sqrt(std::numbers::pi));
        c.set(0, "mul"_op(c.grad(), slope));
      });
  function("special_log_ndtr(Tensor self) -> Tensor", log_normal_distribution,
           R"(The logarithm of special.ndtr. It stays precise where special.ndtr is near 0.

>>> torch.special.log_ndtr(torch.tensor([-30.0, 0.0])))",
           "[[t(d, 9, low=-8.0, high=3.0)] for d in (f32, f64)] + [[at([0.0, -1.0, -0.99, -1.01, -9.0, -25.0, 5.0, inf, nan]).to(d)] "
           "for d in (f32, f64)] + [[at([-1, 0, 3])], [t(f32, "
           "3, 4).t()]]")
      .dtypes(kWideFloats)
      .decompose(none(kWide))
      .gradient([](GradCall& c) {
        const Tensor scaled = "special_erfcx"_op("mul"_op(c.value(0), -kRootHalf));
        c.set(0, "mul"_op("div"_op(c.grad(), scaled), std::sqrt(2 / std::numbers::pi)));
      });
  function("special_ndtri(Tensor self) -> Tensor", normal_quantile,
           R"(The inverse of special.ndtr: the number below which a normal number lies with this probability.

self: The probabilities, from 0 to 1. Others give NaN.

>>> torch.special.ndtri(torch.tensor([0.025, 0.5, 0.975])))",
           "[[t(d, 9, low=0.01, high=0.99)] for d in (f32, f64)] + [[at([0.0, 1.0, 0.5, 1e-10, 0.999, 0.02, 0.03, -0.1, 1.1, nan]).to(d)] "
           "for d in (f32, f64)] + [[at([0, 1])], [t(f32, 3, "
           "4, low=0.1, high=0.9).t()]]")
      .dtypes(kWideFloats)
      .decompose(none(kWide))
      .gradient([](GradCall& c) {
        const Tensor y = "special_ndtri"_op(c.value(0));
        c.set(0, "mul"_op("mul"_op(c.grad(), std::sqrt(2 * std::numbers::pi)), "exp"_op("mul"_op("square"_op(y), 0.5))));
      });
  function("special_entr(Tensor self) -> Tensor", entr, R"(The entropy -x log(x) of each element. It is 0 at 0, and minus infinity below.

>>> torch.special.entr(torch.tensor([0.0, 0.5, 1.0])))",
           "[[t(d, 9, low=0.05, high=3.0)] for d in FLOATS] + [[at([0.0, -0.0, 1.0, -1.0, inf, nan, 1e-20]).to(d)] for d in (f32, f64)] + "
           "[[at([-1, 0, 3])], [t(f32, 3, 4, low=0.1).t()]]")
      .gradient([](GradCall& c) { c.set(0, "mul"_op(c.grad(), "neg"_op("add"_op("log"_op(c.value(0)), 1)))); });
  r.op("special_ndtr(Tensor self) -> Tensor")
      .decompose(
          [](const IValue* a) -> IValue {
            Tensor x = a[0].to_tensor();
            MONOGRAPH_CHECK(!is_complex(x.dtype()), NotImplemented, "special_ndtr is not implemented for complex numbers");
            if (exact(x.dtype())) x = "to"_op(x, default_dtype());
            return "mul"_op("add"_op("erf"_op("div"_op(x, std::numbers::sqrt2)), 1), 0.5);
          },
          Reads::Nothing)
      .out()
      .out_dtype(OutDType::Safe)
      .namespaced("_special")
      .onnx(none("decomposes to erf"))
      .doc(R"(The probability that a normal number, of mean 0 and standard deviation 1, lies below each element.

>>> torch.special.ndtr(torch.tensor([-1.0, 0.0, 1.0])))")
      .samples("[[t(d, 9)] for d in FLOATS] + [[at([0.0, inf, -inf, nan, 9.0])], [at([-1, 0, 3])]]");
  auto xlog1py = [&](const char* schema, const char* out) {
    r.pointwise(schema, xlog1py_body)
        .promote(Promote::Float)
        .dtypes(kFloating)
        .scalars_promote()
        .namespaced("_special")
        .out_named(out)
        .gradient([](GradCall& c) {
          if (c.needs(0)) {
            const Tensor x = c.value(0).is_tensor() ? c.arg(0) : Tensor("scalar_tensor"_op(c.value(0)));
            const Tensor none =
                "logical_and"_op("eq"_op(x, 0), "le"_op(c.value(1).is_tensor() ? c.arg(1) : Tensor("scalar_tensor"_op(c.value(1))), -1));
            c.set(0, "masked_fill"_op("special_xlog1py"_op(c.grad(), c.value(1)), none, 0));
          }
          if (c.value(1).is_tensor() && c.needs(1)) c.set(1, "div"_op("mul"_op(c.grad(), c.value(0)), "add"_op(c.value(1), 1)));
        })
        .onnx(none("decomposes to log1p and where"))
        .doc(R"(`self` times log1p(`other`). It is 0 where `self` is 0, and NaN where `other` is NaN.

>>> torch.special.xlog1py(torch.tensor([0.0, 2.0]), torch.tensor([-1.0, 1.0])))");
  };
  xlog1py("special_xlog1py(Tensor self, Tensor other) -> Tensor", "out");
  xlog1py("special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor", "other_scalar_out");
  xlog1py("special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor", "self_scalar_out");
}

// The next number of the dtype from x towards y. 16-bit dtypes are computed in float32, whose upper bits they are; one step there is a fixed number of float32
// steps. float16's subnormal numbers, which are evenly spaced, and its infinity are handled apart.
Num next_after(Num x, Num y) {
  const DType stored = Recorder::current().stored(x);
  const bool is_f16 = stored == DType::f16;
  Num whole = bits(x), unit = lit_int(whole.t, stored == DType::bf16 ? 1 << 16 : is_f16 ? 1 << 13 : 1);
  Num outward = ((x < y) & (x > 0.0)) | ((y < x) & (x < 0.0));
  Num stepped = from_bits(where(outward, whole + unit, whole - unit), x.t);
  Num least = is_f16 ? detail::with_sign_of(lit(x.t, 0x1p-24), y) : from_bits(detail::sign_bit(y) | unit, x.t);
  if (is_f16) {
    Num size = abs(x), step = where(x < y, lit(x.t, 0x1p-24), lit(x.t, -0x1p-24));
    stepped = where((size < 0x1p-14) | ((size == 0x1p-14) & ~outward), x + step, stepped);
    stepped = where(size == kInfinity, detail::with_sign_of(lit(x.t, 65504.0), x), stepped);
  }
  stepped = where(x == 0.0, least, stepped);
  return where(is_nan(x) | is_nan(y), nan_of(x), where(x == y, y, stepped));
}

}  // namespace

void special_functions(Registry& r) {
  gammas(r);
  zetas(r);
  incomplete_gammas(r);
  slopes_of_draws(r);
  bessels(r);
  bessels_without_derivatives(r);
  normals(r);
  r.pointwise("nextafter(Tensor self, Tensor other) -> Tensor", next_after)
      .dtypes(kFloating)
      .inplace()
      .out()
      // The step counts as a constant, so the gradient passes through. Where x equals y, PyTorch's gradient is 0.
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "where"_op("eq"_op(c.value(0), c.value(1)), 0.0, c.grad()));
        if (c.needs(1)) c.set(1, "zeros_like"_op(c.grad()));
      })
      .decompose(none("it reads the bits of a float"))
      .onnx(none(kNoForm))
      .doc(R"(The number of the dtype that comes next after each element, towards `other`.

other: Which way the step goes. It broadcasts with the first tensor.

>>> torch.nextafter(torch.tensor(1.0), torch.tensor(2.0)).item())")
      .samples(
          "[[t(d, 9), t(d, 9)] for d in FLOATS] + [[at([0.0, -0.0, 0.0, 1.0, inf, -inf, nan, 1.0, 2.0]).to(d), at([1.0, 1.0, -1.0, 1.0, "
          "0.0, 0.0, 1.0, nan, inf]).to(d)] for d "
          "in FLOATS] + [[t(f32, 3, 1), t(f32, 4)], [t(i64, 2), t(i64, 2)]]");
  r.op("special_round(Tensor self, *, int decimals=0) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return "round"_op(a[0], a[1]); }, Reads::Nothing)
      .out()
      .namespaced("_special")
      .onnx(none("decomposes to round"))
      .doc("Another function for round.")
      .samples("[[t(d, 5), n] for d in (f32, f64) for n in (0, 1, -1)] + [[at([0.5, 1.5]), 0], [t(i64, 3), 0]]");
}

}  // namespace monograph
