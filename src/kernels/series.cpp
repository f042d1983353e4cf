// Hurwitz's zeta function by the Euler-Maclaurin formula, as in Cephes (S. Moshier): the terms up to a base above 9 are added, then the corrections.
#include "kernels/series.h"

#include <cmath>
#include <limits>

#include "kernels/walk.h"

namespace monograph {
namespace {

constexpr double kRounding = 0x1p-53;
// (2k)! / B2k
constexpr double kDivisors[] = {12.0,
                                -720.0,
                                30240.0,
                                -1209600.0,
                                47900160.0,
                                -1.8924375803183791606e9,
                                7.47242496e10,
                                -2.950130727918164224e12,
                                1.1646782814350067249e14,
                                -4.5979787224074726105e15,
                                1.8152105401943546773e17,
                                -7.1661652561756670113e18};

double zeta(double x, double q) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();
  if (x == 1) return kInfinity;
  if (x < 1 || q != q) return kNaN;
  if (q <= 0) {
    if (q == std::floor(q)) return kInfinity;  // of NaN too, as in PyTorch
    if (x != std::floor(x)) return kNaN;  // a negative base to a fractional power
  }
  if (x != x) return kNaN;
  double sum = std::pow(q, -x), base = q, term = 0;
  for (int i = 0; i < 9 || base <= 9; ++i) {
    base += 1;
    term = std::pow(base, -x);
    sum += term;
    if (std::fabs(term) < kRounding * std::fabs(sum)) return sum;
  }
  sum += term * base / (x - 1) - 0.5 * term;
  double factor = 1, k = 0;
  for (const double divisor : kDivisors) {
    factor *= x + k, term /= base;
    const double correction = factor * term / divisor;
    sum += correction;
    if (std::fabs(correction / sum) < kRounding) return sum;
    k += 1, factor *= x + k, term /= base, k += 1;
  }
  return sum;
}

}  // namespace

KernelStatus zeta_kernel(KernelCall& call) {
  constexpr int64_t kCost = 1000;  // instructions for an element
  return map_elements<2>(call, kCost, [](const auto& x) { return zeta(x[0], x[1]); });
}

}  // namespace monograph
