// P(a, x), the lower function, and Q(a, x) = 1 - P. The smaller one is computed: by a power series for P, a continued fraction for Q, and Temme's expansion
// near x = a for large a (DLMF 8.7, 8.9 and 8.12).
#include "kernels/incomplete_gamma.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/walk.h"

namespace monograph {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 0x1p-53;
constexpr int kMostTerms = 5000;

// log(1 + m) - m, which is about -m^2 / 2.
double log1p_less(double m) {
  if (std::fabs(m) > 0.25) return std::log1p(m) - m;
  double power = -m * m, sum = power / 2;
  for (int k = 3; k < 64; ++k) {
    power *= -m;
    const double term = power / k;
    sum += term;
    if (std::fabs(term) < kRounding * std::fabs(sum)) break;
  }
  return sum;
}

// log(gamma(a)) - ((a - 1/2) log(a) - a + log(2 pi) / 2) for a >= 10: the remainder of Stirling's formula.
double stirling(double a) {
  const double square = 1 / (a * a);
  return (1.0 / 12 +
          square * (-1.0 / 360 + square * (1.0 / 1260 + square * (-1.0 / 1680 + square * (1.0 / 1188 - square * 691.0 / 360360))))) /
         a;
}

// x^a exp(-x) / gamma(a + 1).
double weight(double a, double x) {
  if (a < 10) {
    int sign = 0;
    return std::exp(a * std::log(x) - x - lgamma_r(a + 1, &sign));
  }
  const double m = (x - a) / a;
  const double exponent = std::fabs(m) < 0.5 ? a * log1p_less(m) : a * std::log(x / a) + a - x;
  return std::exp(exponent - stirling(a)) / std::sqrt(2 * std::numbers::pi * a);
}

double lower_series(double a, double x, double rounding) {
  double term = 1, sum = 1, divisor = a;
  for (int k = 0; k < kMostTerms && term > rounding * sum; ++k) divisor += 1, term *= x / divisor, sum += term;
  return weight(a, x) * sum;
}

// Q by its continued fraction, for x > a. Numerators and denominators follow the same recurrence, which needs no division. Both are positive and grow, so
// they are scaled down together now and then.
double upper_fraction(double a, double x, double rounding) {
  constexpr double kLarge = 0x1p400;
  double b = x + 1 - a, numerator = 1, denominator = b, numerator_before = 0, denominator_before = 1;
  for (int k = 1; k < kMostTerms; ++k) {
    const double factor = k * (a - k);
    b += 2;
    const double next_numerator = b * numerator + factor * numerator_before,
                 next_denominator = b * denominator + factor * denominator_before;
    const double cross = numerator * next_denominator;
    const bool ends = std::fabs(next_numerator * denominator - cross) < 2 * rounding * cross;
    numerator_before = numerator, numerator = next_numerator;
    denominator_before = denominator, denominator = next_denominator;
    if (ends) break;
    if (denominator < kLarge) continue;
    numerator /= kLarge, denominator /= kLarge, numerator_before /= kLarge, denominator_before /= kLarge;
  }
  return weight(a, x) * a * (numerator / denominator);
}

// 1 - P for a below 1 and x up to about 1, without the cancellation of subtracting a P near 1.
double upper_series(double a, double x, double rounding) {
  // 1 - x^a / gamma(a + 1), and the rest of the series.
  int sign = 0;
  const double first = -std::expm1(a * std::log(x) - lgamma_r(a + 1, &sign));
  double term = 1, sum = 0;
  for (int k = 1; k < kMostTerms; ++k) {
    term *= -x / k;
    const double part = term / (a + k);
    sum += part;
    if (std::fabs(part) < rounding * std::fabs(sum)) break;
  }
  return first - std::exp(a * std::log(x) - lgamma_r(a, &sign)) * sum;
}

// Temme's expansion, for a above 1000 and x near a: the coefficients of powers of eta and of 1 / a.
double near_large(double a, double x, bool upper) {
  static constexpr double kC0[] = {-1.0 / 3,        1.0 / 12,    -2.0 / 135,         1.0 / 864,         1.0 / 2835,
                                   -139.0 / 777600, 1.0 / 25515, -571.0 / 261273600, -281.0 / 151559100};
  static constexpr double kC1[] = {-1.0 / 540, -1.0 / 288, 1.0 / 378, -77.0 / 77760};
  static constexpr double kC2[] = {25.0 / 6048, -139.0 / 51840};
  const double m = (x - a) / a, half_square = -log1p_less(m), eta = std::copysign(std::sqrt(2 * half_square), m);
  auto sum = [eta](auto& c) {
    double value = 0;
    for (size_t k = std::size(c); k-- > 0;) value = value * eta + c[k];
    return value;
  };
  const double rest = std::exp(-a * half_square) / std::sqrt(2 * std::numbers::pi * a) * (sum(kC0) + (sum(kC1) + sum(kC2) / a) / a);
  const double sign = upper ? 1 : -1;
  return 0.5 * std::erfc(sign * eta * std::sqrt(a / 2)) + sign * rest;
}

// P(a, x), or Q(a, x) for `upper`. A series or fraction ends at a term below `rounding` of the sum.
double incomplete_gamma(double a, double x, bool upper, double rounding) {
  const double none = upper ? 1 : 0, all = 1 - none;  // the values at x = 0 and at x = infinity
  if (!(a >= 0) || !(x >= 0)) return kNaN;
  if (a == 0) return x > 0 ? all : kNaN;
  if (x == 0) return none;
  if (std::isinf(a)) return std::isinf(x) ? kNaN : none;
  if (std::isinf(x)) return all;
  if (a > 1000 && std::fabs(x - a) < 4.5 * std::sqrt(a)) return near_large(a, x, upper);
  const bool by_fraction = x > 1.1 && x > a;
  if (by_fraction) return upper ? upper_fraction(a, x, rounding) : 1 - upper_fraction(a, x, rounding);
  if (!upper) return lower_series(a, x, rounding);
  return a < 1 && x <= 1.1 ? upper_series(a, x, rounding) : 1 - lower_series(a, x, rounding);
}

constexpr int64_t kGammaCost = 1500;  // instructions for an element

KernelStatus incomplete_gammas(KernelCall& call, bool upper) {
  constexpr double kRoundingOfFloat = 0x1p-30;  // of results that are rounded to float32 or less
  const double rounding = call.results[0].dtype == DType::f64 ? kRounding : kRoundingOfFloat;
  return map_elements<2>(call, kGammaCost, [=](const auto& x) { return incomplete_gamma(x[0], x[1], upper, rounding); });
}

}  // namespace

KernelStatus igamma_kernel(KernelCall& call) { return incomplete_gammas(call, false); }
KernelStatus igammac_kernel(KernelCall& call) { return incomplete_gammas(call, true); }

}  // namespace monograph
