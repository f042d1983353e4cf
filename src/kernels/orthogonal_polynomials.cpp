// By recurrence from degrees 0 and 1. The four of Chebyshev have the same recurrence, and between -1 and 1 they are quotients of sines and cosines, which
// are taken for large degrees, where PyTorch takes them too.
#include "kernels/orthogonal_polynomials.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/walk.h"

namespace monograph {
namespace {

constexpr int64_t kCost = 300;  // instructions for an element

// The degree: beyond 2^62 all are one.
template <class C>
int64_t degree_of(C n) {
  constexpr C kMost = 0x1p62;
  return std::isnan(n) ? -1 : static_cast<int64_t>(n < -kMost ? -kMost : n > kMost ? kMost : n);
}

enum class Chebyshev : uint8_t { T, U, V, W };

// At 1, and at -1.
template <class C>
C chebyshev_at_end(Chebyshev kind, int64_t n, bool right) {
  const C odd_count = static_cast<C>(n) + static_cast<C>(n) + 1;
  const C sign = right || n % 2 == 0 ? C(1) : C(-1);
  switch (kind) {
    case Chebyshev::T: return sign;
    case Chebyshev::U: return sign * static_cast<C>(n + 1);
    case Chebyshev::V: return right ? C(1) : sign * odd_count;
    default: return right ? odd_count : sign;
  }
}

// By angles, for -1 < x < 1.
template <class C>
C chebyshev_by_angle(Chebyshev kind, int64_t n, C x) {
  const C angle = std::acos(x), degree = static_cast<C>(n);
  switch (kind) {
    case Chebyshev::T: return std::cos(degree * angle);
    case Chebyshev::U: return std::sin((degree + 1) * angle) / std::sin(angle);
    case Chebyshev::V: return std::cos((degree + C(0.5)) * angle) / std::cos(angle / 2);
    default: return std::sin((degree + C(0.5)) * angle) / std::sin(angle / 2);
  }
}

template <class C>
C chebyshev(Chebyshev kind, C x, C given, int64_t by_angle_from) {
  const int64_t n = degree_of(given);
  if (n < 0) return 0;
  if (std::fabs(x) == 1) return chebyshev_at_end<C>(kind, n, x > 0);
  if (n > by_angle_from && std::fabs(x) < 1) return chebyshev_by_angle(kind, n, x);
  if (n == 0) return 1;
  const C twice = x + x;
  C before = 1, now = kind == Chebyshev::T ? x : kind == Chebyshev::U ? twice : kind == Chebyshev::V ? twice - 1 : twice + 1;
  for (int64_t k = 2; k <= n && !std::isnan(now); ++k) {
    const C next = twice * now - before;
    before = now, now = next;
  }
  return now;
}

// From degree 0, which is 1, and degree 1; step(k, before, now) gives degree k + 1. An infinity or a NaN ends it, since no step leads back.
template <class C, class Step>
C recurrence(int64_t n, C first, Step step) {
  if (n < 0) return 0;
  if (n == 0) return 1;
  C before = 1, now = first;
  for (int64_t k = 1; k < n && !std::isnan(now); ++k) {
    const C next = step(static_cast<C>(k), before, now);
    before = now, now = next;
  }
  return now;
}

// PyTorch gives none of a larger degree.
template <class C>
constexpr int64_t kMostHermite = sizeof(C) == 4 ? 128 : 512;

template <class C>
C hermite(C x, C given, C factor) {
  const int64_t n = degree_of(given);
  if (n > kMostHermite<C>) return std::numeric_limits<C>::quiet_NaN();
  const C scaled = factor * x;
  return recurrence(n, scaled, [&](C k, C before, C now) { return scaled * now - factor * k * before; });
}

template <class C>
C laguerre(C x, C given) {
  const int64_t n = degree_of(given);
  if (n >= 0 && x == 0) return 1;
  return recurrence(n, 1 - x, [&](C k, C before, C now) { return (((k + k) + (1 - x)) * now - k * before) / (k + 1); });
}

template <class C>
C legendre(C x, C given) {
  const int64_t n = degree_of(given);
  if (n >= 0 && std::fabs(x) == 1) return x > 0 || n % 2 == 0 ? C(1) : C(-1);
  return recurrence(n, x, [&](C k, C before, C now) { return ((k + k + 1) * x * now - k * before) / (k + 1); });
}

KernelStatus chebyshev_kernel(KernelCall& call, Chebyshev kind, int64_t by_angle_from) {
  return map_elements<2>(call, kCost, [=](const auto& x) { return chebyshev(kind, x[0], x[1], by_angle_from); });
}
KernelStatus shifted_kernel(KernelCall& call, Chebyshev kind, int64_t by_angle_from) {
  return map_elements<2>(call, kCost, [=](const auto& x) { return chebyshev(kind, x[0] + x[0] - 1, x[1], by_angle_from); });
}

}  // namespace

KernelStatus chebyshev_t_kernel(KernelCall& call) { return chebyshev_kernel(call, Chebyshev::T, 6); }
KernelStatus chebyshev_u_kernel(KernelCall& call) { return chebyshev_kernel(call, Chebyshev::U, 8); }
KernelStatus chebyshev_v_kernel(KernelCall& call) { return chebyshev_kernel(call, Chebyshev::V, 8); }
KernelStatus chebyshev_w_kernel(KernelCall& call) { return chebyshev_kernel(call, Chebyshev::W, 8); }
KernelStatus shifted_chebyshev_t_kernel(KernelCall& call) { return shifted_kernel(call, Chebyshev::T, 6); }
KernelStatus shifted_chebyshev_u_kernel(KernelCall& call) { return shifted_kernel(call, Chebyshev::U, 6); }
KernelStatus shifted_chebyshev_v_kernel(KernelCall& call) { return shifted_kernel(call, Chebyshev::V, 6); }
KernelStatus shifted_chebyshev_w_kernel(KernelCall& call) { return shifted_kernel(call, Chebyshev::W, 4); }
KernelStatus hermite_h_kernel(KernelCall& call) {
  return map_elements<2>(call, kCost,
                         [](const auto& x) { return hermite(x[0], x[1], static_cast<std::remove_cvref_t<decltype(x[0])>>(2)); });
}
KernelStatus hermite_he_kernel(KernelCall& call) {
  return map_elements<2>(call, kCost,
                         [](const auto& x) { return hermite(x[0], x[1], static_cast<std::remove_cvref_t<decltype(x[0])>>(1)); });
}
KernelStatus laguerre_l_kernel(KernelCall& call) {
  return map_elements<2>(call, kCost, [](const auto& x) { return laguerre(x[0], x[1]); });
}
KernelStatus legendre_p_kernel(KernelCall& call) {
  return map_elements<2>(call, kCost, [](const auto& x) { return legendre(x[0], x[1]); });
}

}  // namespace monograph
