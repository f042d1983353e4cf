// PyTorch's approximations of these derivatives, region by region, with its constants: series near the ends, saddle points for large parameters, and rational
// functions fitted to the derivatives between them (within a few parts in 10,000). The constants are public facts; see NOTICE.
#include "kernels/draw_slopes.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "kernels/walk.h"

namespace monograph {
namespace {

double polynomial(double x, std::span<const double> c) {  // c[0] + c[1] x + ..
  double value = 0;
  for (size_t k = c.size(); k-- > 0;) value = value * x + c[k];
  return value;
}

// The digamma function: recurrence up to 10, then the asymptotic series.
double digamma(double x) {
  if (x == 0 || (x < 0 && x == std::floor(x))) return std::numeric_limits<double>::infinity();  // as in PyTorch
  if (x < 0) return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * x);
  static constexpr double kSeries[] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12};
  double steps = 0;
  for (; x < 10; x += 1) steps -= 1 / x;
  const double square = 1 / (x * x);
  return steps + std::log(x) - 0.5 / x - square * polynomial(square, kSeries);
}

// --- gamma ---

double gamma_slope_near_zero(double a, double x) {
  double term = 1, divisor = a, first = 1 / a, second = 1 / (a * a);
  for (int k = 1; k <= 5; ++k) {
    term *= -x / k, divisor += 1;
    first += term / divisor, second += term / (divisor * divisor);
  }
  const double power = std::pow(x, a), density = std::pow(x, a - 1) * std::exp(-x);
  const double slope = -((std::log(x) - digamma(a)) * (power * first) - power * second) / density;
  return std::isnan(slope) ? 0 : slope;
}

double gamma_slope_of_large(double a, double x) {
  if (static_cast<double>(0.9f) * a <= x && x <= static_cast<double>(1.1f) * a) {  // near the mean, where the terms below cancel
    const double square = a * a;
    const double of_a = 1 + 24 * a * (1 + 12 * a);
    const double of_x = 1440 * square + 6 * x * (53 - 120 * x) - 65 * x * x / a + a * (107 + 3600 * x);
    return of_a * of_x / (1244160 * square * square);
  }
  const double root = std::sqrt(8 * a), ratio = std::log(x / a), away = a - x;
  const double simple = root / away, saddle = std::pow(x - a - a * ratio, -1.5);
  const double terms = ratio * (x < a ? simple - saddle : simple + saddle) - std::sqrt(2 / a) * (a + x) / (away * away);
  const double stirling = 1 + 1 / (12 * a) * (1 + 1 / (24 * a));
  return -stirling * x * terms / root;
}

double gamma_slope_fitted(double a, double x) {
  static constexpr double kFit[8][3] = {
      {0.16009398, 0.53487893, 0.040121004},
      {-0.094634809, 0.1298071, -0.0065914022},
      {0.025146376, 0.065735949, -0.0026286047},
      {-0.0030648343, -0.0015649758, -0.0013441777},
      {1, 0.16639465, 0.017050642},
      {0.32668115, 0.020070113, -0.0021309326},
      {0.10406089, -0.0035938915, 0.00085092367},
      {0.0014179084, -0.00058392623, -1.5247877e-07},
  };
  const double u = std::log(x / a), v = std::log(a);
  double c[8];
  for (int k = 0; k < 8; ++k) c[k] = polynomial(u, kFit[k]);
  return std::exp(polynomial(v, std::span(c, 4)) / polynomial(v, std::span(c + 4, 4)));
}

double gamma_slope(double a, double x) {
  if (x < static_cast<double>(0.8f)) return gamma_slope_near_zero(a, x);
  return a > 8 ? gamma_slope_of_large(a, x) : gamma_slope_fitted(a, x);
}

// --- Dirichlet: one component x has a beta distribution with a and b = total - a; the derivative is divided by 1 - x ---

// Computed in the dtype of the elements, as in PyTorch.
template <class C>
C beta_slope_near_zero(C x, C a, C b) {
  const C factor = static_cast<C>(digamma(a)) - static_cast<C>(digamma(a + b)) - std::log(x);
  C term = 1, series = (factor + 1 / a) / a;
  for (int k = 1; k <= 10; ++k) {
    term *= (static_cast<C>(k) - b) * x / static_cast<C>(k);
    const C divisor = a + static_cast<C>(k);
    series += term / divisor * (factor + 1 / divisor);
  }
  const C slope = x * std::pow(1 - x, -b) * series;
  return std::isnan(slope) ? C{0} : slope;
}

// The derivative by the second parameter of the beta distribution.
template <class C>
C beta_slope_of_second(C x, C a, C b) {
  const C factor = static_cast<C>(digamma(a + b)) - static_cast<C>(digamma(b));
  C term = 1, product = 1, derivative = 0, series = factor / a;
  for (int k = 1; k <= 8; ++k) {
    const C less = b - static_cast<C>(k);
    term *= -x / static_cast<C>(k);
    derivative = derivative * less + product, product *= less;
    series += term / (a + static_cast<C>(k)) * (derivative + factor * product);
  }
  const C slope = -std::pow(1 - x, 1 - b) * series;
  return std::isnan(slope) ? C{0} : slope;
}

double stirling_ratio(double a) { return 1 + 1 / (12 * a) + 1 / (288 * a * a); }

double beta_slope_of_large(double x, double a, double b) {
  const double total = a + b, mean = a / total, deviation = std::sqrt(a * b / (total + 1)) / total, y = 1 - x;
  if (mean - 0.1 * deviation <= x && x <= mean + 0.1 * deviation) {  // near the mean, where the terms below cancel
    const double b2 = b * b;
    const double of_a[] = {47 * x * b2 * b2, (43 + 20 * (16 + 27 * b) * x) * b2 * b, 3 * (59 + 180 * b - 90 * x) * b2,
                           (453 + 1620 * b * y - 455 * x) * b, 8 * y * (135 * b - 11)};
    const double factor = (1 + 12 * a) * (1 + 12 * b) / (total * total);
    return factor / y * polynomial(a, of_a) / (12960 * a * a * a * b2 * (1 + 12 * total));
  }
  const double away = b * x - a * y, of_a = std::log(a / (total * x)), of_b = std::log(b / (total * y));
  const double first = (-2 * a * a * y - a * b * y - x * b * b) / (std::sqrt(2 * a / b) * std::pow(total, 1.5) * away * away);
  const double saddle = std::pow(b * of_b + a * of_a, -1.5);
  const double terms = first + 0.5 * of_a * (std::sqrt(8 * a * b / total) / away + (x < mean ? saddle : -saddle));
  return stirling_ratio(a) * stirling_ratio(b) / stirling_ratio(total) * -x / std::sqrt(2 * a * b / total) * terms;
}

// Coefficients of the numerator and of the denominator, by powers of u, a and b.
constexpr double kBetaFit[2][3][3][4] = {
    {{{1.003668233, -0.01061107488, -0.0657888334, 0.01201642863},
      {0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033},
      {-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013}},
     {{0.221950385, -0.3187676331, 0.01799915743, 0.01074823814},
      {-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057},
      {0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05}},
     {{-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565},
      {0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181},
      {0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05}}},
    {{{1, -0.02924021934, -0.04438342661, 0.007285809825},
      {0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521},
      {-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149}},
     {{0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273},
      {0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956},
      {-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05}},
     {{0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05},
      {0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05},
      {-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06}}},
};

double beta_slope_fitted(double x, double a, double total) {
  const double u = std::log(x), v = std::log(a) - u, w = std::log(total) - v;
  const double by_u[] = {1, u, u * u}, by_v[] = {1, v, v * v};
  double sums[2] = {0, 0};
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sums[side] += by_u[i] * by_v[j] * polynomial(w, kBetaFit[side][i][j]);
  return sums[0] / sums[1] * (x * (digamma(total) - digamma(a)) / (total - a));
}

template <class C>
C dirichlet_slope(C x, C a, C total) {
  const C b = total - a, boundary = total * x * (1 - x);
  if (x <= C(0.5) && boundary < C(2.5)) return beta_slope_near_zero(x, a, b);
  if (x >= C(0.5) && boundary < C(0.75)) return -beta_slope_of_second(1 - x, b, a);
  return static_cast<C>(a > 6 && b > 6 ? beta_slope_of_large(x, a, static_cast<double>(total) - a) : beta_slope_fitted(x, a, total));
}

constexpr int64_t kSlopeCost = 500;  // instructions for an element

}  // namespace

KernelStatus standard_gamma_slope_kernel(KernelCall& call) {
  return map_elements<2>(call, kSlopeCost, [](const auto& x) { return gamma_slope(x[0], x[1]); });
}
KernelStatus dirichlet_slope_kernel(KernelCall& call) {
  return map_elements<3>(call, kSlopeCost, [](const auto& x) { return dirichlet_slope(x[0], x[1], x[2]); });
}

}  // namespace monograph
