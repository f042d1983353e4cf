// Hurwitz's zeta function by Euler and Maclaurin's formula, as in Cephes (S. Moshier): terms one by one up to a base above 9, then the corrections.
#include "kernels/series.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/element_types.h"
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
  if (!(x > 1) || q != q) return kNaN;
  if (q <= 0) {
    if (q == std::floor(q)) return kInfinity;
    if (x != std::floor(x)) return kNaN;  // a power of a negative number
  }
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
  dispatch(call.results[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T> || is_half<T>)
      for_rows<3>({&call.results[0], &call.args[0].tensor, &call.args[1].tensor}, kCost, [](const BroadcastRow<3>& r) {
        auto* out = reinterpret_cast<T*>(r.first[0]);
        auto *x = reinterpret_cast<const T*>(r.first[1]), *q = reinterpret_cast<const T*>(r.first[2]);
        using W = OpMathType<T>;
        for (int64_t i = 0; i < r.n; ++i)
          out[i * r.step[0]] = T(static_cast<W>(zeta(static_cast<W>(x[i * r.step[1]]), static_cast<W>(q[i * r.step[2]]))));
      });
  });
  return KernelStatus::Ok;
}

}  // namespace monograph
