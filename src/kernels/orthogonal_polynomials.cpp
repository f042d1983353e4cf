// Recurrences from degrees 0 and 1. The four Chebyshev families have the same recurrence; between -1 and 1 they are also quotients of sines and cosines,
// which are used for large degrees, as in PyTorch.
//
// Small degrees are computed for several elements at once, each stopping at its own degree, so that no branch depends on an element. The special cases
// need no test there: at 1 and -1 the recurrence has no rounding errors for small degrees, and an infinity or a NaN stays one.
#include "kernels/orthogonal_polynomials.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/clones.h"
#include "kernels/walk.h"

namespace monograph {
namespace {

constexpr int64_t kPolynomialCost = 40;  // instructions for an element of a small degree

// The degree as an integer, at most 2^62.
template <class C>
int64_t degree_of(C n) {
  constexpr C kMost = 0x1p62;
  return std::isnan(n) ? -1 : static_cast<int64_t>(n < -kMost ? -kMost : n > kMost ? kMost : n);
}

enum class Chebyshev : uint8_t { T, U, V, W };

// The values at 1 and at -1.
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

// The value from sines and cosines, for -1 < x < 1.
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

// The recurrence from degree 0 (which is 1) and degree 1. It ends early at an infinity or a NaN, which would stay.
template <class Family, class C>
C recurrence(int64_t n, C x) {
  if (n < 0) return 0;
  if (n == 0) return 1;
  C before = 1, now = Family::first(x);
  for (int64_t k = 1; k < n && !std::isnan(now); ++k) {
    const C next = Family::next(static_cast<C>(k), x, before, now);
    before = now, now = next;
  }
  return now;
}

// A family defines its value at degree 1 (`first`) and at degree k + 1 (`next`), the argument x of both, its value at any degree (`value`), and the
// largest degree for which the recurrence alone gives that value.
template <Chebyshev kKind, int64_t kByAngleFrom, bool kShifted = false>
struct ChebyshevFamily {
  static constexpr int64_t kSmall = kByAngleFrom;
  template <class C>
  [[gnu::always_inline]] static C argument(C x) {
    return kShifted ? x + x - 1 : x;
  }
  template <class C>
  [[gnu::always_inline]] static C first(C x) {
    const C twice = x + x;
    return kKind == Chebyshev::T ? x : kKind == Chebyshev::U ? twice : kKind == Chebyshev::V ? twice - 1 : twice + 1;
  }
  template <class C>
  [[gnu::always_inline]] static C next(C, C x, C before, C now) {
    return (x + x) * now - before;
  }
  template <class C>
  static C value(int64_t n, C x) {
    if (n >= 0 && std::fabs(x) == 1) return chebyshev_at_end<C>(kKind, n, x > 0);
    if (n > kByAngleFrom && std::fabs(x) < 1) return chebyshev_by_angle(kKind, n, x);
    return recurrence<ChebyshevFamily>(n, x);
  }
};

// A family that always uses the recurrence, with x as the argument.
struct PlainFamily {
  static constexpr int64_t kSmall = 16;
  template <class C>
  [[gnu::always_inline]] static C argument(C x) {
    return x;
  }
};

// The largest degree that PyTorch computes; above it the value is NaN.
template <class C>
constexpr int64_t kMostHermite = sizeof(C) == 4 ? 128 : 512;

template <int kFactor>
struct HermiteFamily : PlainFamily {
  template <class C>
  [[gnu::always_inline]] static C first(C x) {
    return C(kFactor) * x;
  }
  template <class C>
  [[gnu::always_inline]] static C next(C k, C x, C before, C now) {
    return C(kFactor) * x * now - C(kFactor) * k * before;
  }
  template <class C>
  static C value(int64_t n, C x) {
    return n > kMostHermite<C> ? std::numeric_limits<C>::quiet_NaN() : recurrence<HermiteFamily>(n, x);
  }
};

struct LaguerreFamily : PlainFamily {
  template <class C>
  [[gnu::always_inline]] static C first(C x) {
    return 1 - x;
  }
  template <class C>
  [[gnu::always_inline]] static C next(C k, C x, C before, C now) {
    return (((k + k) + (1 - x)) * now - k * before) / (k + 1);
  }
  template <class C>
  static C value(int64_t n, C x) {
    return n >= 0 && x == 0 ? C(1) : recurrence<LaguerreFamily>(n, x);
  }
};

struct LegendreFamily : PlainFamily {
  template <class C>
  [[gnu::always_inline]] static C first(C x) {
    return x;
  }
  template <class C>
  [[gnu::always_inline]] static C next(C k, C x, C before, C now) {
    return ((k + k + 1) * x * now - k * before) / (k + 1);
  }
  template <class C>
  static C value(int64_t n, C x) {
    if (n >= 0 && std::fabs(x) == 1) return x > 0 || n % 2 == 0 ? C(1) : C(-1);
    return recurrence<LegendreFamily>(n, x);
  }
};

// For degrees that are not small. One version of the code is enough.
template <class Family, class C>
[[gnu::noinline]] C value_of(C degree, C x) {
  return Family::value(degree_of(degree), x);
}

// Computes a row in blocks: small degrees together, else one element at a time. The fraction of a degree is ignored. A degree of -1 or less gives 0, and so
// does a NaN.
template <class Family, class C>
struct PolynomialRow {
  static constexpr int64_t kLanes = 64;  // enough lanes for the compiler to keep the loops over them, and vectorize these
  static constexpr int32_t kSmall = Family::kSmall;

  [[gnu::always_inline]] static void run(C* out, int64_t out_step, const C* x, int64_t x_step, const C* n, int64_t n_step, int64_t count) {
    C arguments[kLanes] = {}, degrees[kLanes] = {}, values[kLanes];
    for (int64_t at = 0; at < count; at += kLanes) {
      const int64_t here = std::min(kLanes, count - at);
      take(arguments, x + at * x_step, x_step, here), take(degrees, n + at * n_step, n_step, here);
      for (int64_t i = 0; i < kLanes; ++i) arguments[i] = Family::argument(arguments[i]);
      int32_t most = 0;
      for (int64_t i = 0; i < kLanes; ++i) {
        const C above = degrees[i] > 0 ? degrees[i] : C(0), bounded = above < C(kSmall + 1) ? above : C(kSmall + 1);
        most = std::max(most, static_cast<int32_t>(bounded));
      }
      C* to = out_step == 1 && here == kLanes ? out + at : values;
      if (most <= kSmall) small(to, arguments, degrees, most);
      else
        for (int64_t i = 0; i < here; ++i) to[i] = value_of<Family>(degrees[i], arguments[i]);
      if (to == values)
        for (int64_t i = 0; i < here; ++i) out[(at + i) * out_step] = values[i];
    }
  }

  [[gnu::always_inline]] static void take(C* lanes, const C* from, int64_t step, int64_t count) {
    if (step == 1) std::memcpy(lanes, from, static_cast<size_t>(count) * sizeof(C));
    else
      for (int64_t i = 0; i < count; ++i) lanes[i] = from[i * step];
  }

  [[gnu::always_inline]] static void small(C* values, const C* x, const C* degrees, int32_t most) {
    C before[kLanes], now[kLanes];
    for (int64_t i = 0; i < kLanes; ++i) before[i] = 1, now[i] = Family::first(x[i]);
    for (int64_t i = 0; i < kLanes; ++i) {
      const C low = degrees[i] > -1 ? C(1) : C(0);
      values[i] = degrees[i] >= 1 ? now[i] : low;
    }
    for (int32_t k = 1; k < most; ++k) {
      const C degree = static_cast<C>(k);
      for (int64_t i = 0; i < kLanes; ++i) {
        const C next = Family::next(degree, x[i], before[i], now[i]);
        values[i] = degrees[i] >= degree + 1 ? next : values[i];
        before[i] = now[i], now[i] = next;
      }
    }
  }
};

// A row of elements with the same argument: its values of the first degrees are computed once.
constexpr int32_t kDegrees = 32;
constexpr int64_t kWorthTable = 64;  // elements

// table[0] is the value of degrees of -1 or less and of NaN, table[k + 1] that of degree k. A place above the table is kDegrees + 1.
template <class C>
struct LookUp {
  [[gnu::always_inline]] static void run(C* out, int64_t out_step, const C* n, int64_t n_step, int64_t count, const C* table, bool* above) {
    constexpr int64_t kLanes = 64;
    int32_t places[kLanes], most = 0;
    for (int64_t at = 0; at < count; at += kLanes) {
      const int64_t here = std::min(kLanes, count - at);
      const C* degrees = n + at * n_step;
      for (int64_t i = 0; i < here; ++i) {
        const C degree = degrees[i * n_step], next = degree > 0 ? degree + 1 : C(1),
                bounded = next < C(kDegrees + 1) ? next : C(kDegrees + 1);
        places[i] = degree > -1 ? static_cast<int32_t>(bounded) : 0;
      }
      for (int64_t i = 0; i < here; ++i) most = std::max(most, places[i]), out[(at + i) * out_step] = table[places[i]];
    }
    *above = most > kDegrees;
  }
};

template <class Family, class C>
void one_argument(const BroadcastRow<3>& r) {
  C* out = reinterpret_cast<C*>(r.first[0]);
  const C *n = reinterpret_cast<const C*>(r.first[2]), x = Family::argument(*reinterpret_cast<const C*>(r.first[1]));
  C values[kDegrees + 2] = {};
  for (int32_t k = -1; k < kDegrees; ++k) values[k + 1] = Family::value(int64_t{k}, x);
  const C* table = values;
  bool above = false;
  run_clone<LookUp<C>>(out, r.step[0], n, r.step[2], r.n, table, &above);
  for (int64_t i = 0; above && i < r.n; ++i)
    if (const C degree = n[i * r.step[2]]; degree >= C(kDegrees)) out[i * r.step[0]] = value_of<Family>(degree, x);
}

template <class Family>
KernelStatus polynomial_kernel(KernelCall& call) {
  auto rows = [&](auto zero) {
    using C = decltype(zero);
    for_rows<3>({&call.results[0], &call.args[0].tensor, &call.args[1].tensor}, kPolynomialCost, [](const BroadcastRow<3>& r) {
      if (r.step[1] == 0 && r.n >= kWorthTable) return one_argument<Family, C>(r);
      run_clone<PolynomialRow<Family, C>>(reinterpret_cast<C*>(r.first[0]), r.step[0], reinterpret_cast<const C*>(r.first[1]), r.step[1],
                                          reinterpret_cast<const C*>(r.first[2]), r.step[2], r.n);
    });
  };
  if (call.results[0].dtype == DType::f32) rows(float{});
  else rows(double{});
  return KernelStatus::Ok;
}

}  // namespace

KernelStatus chebyshev_t_kernel(KernelCall& call) { return polynomial_kernel<ChebyshevFamily<Chebyshev::T, 6>>(call); }
KernelStatus chebyshev_u_kernel(KernelCall& call) { return polynomial_kernel<ChebyshevFamily<Chebyshev::U, 8>>(call); }
KernelStatus chebyshev_v_kernel(KernelCall& call) { return polynomial_kernel<ChebyshevFamily<Chebyshev::V, 8>>(call); }
KernelStatus chebyshev_w_kernel(KernelCall& call) { return polynomial_kernel<ChebyshevFamily<Chebyshev::W, 8>>(call); }
KernelStatus shifted_chebyshev_t_kernel(KernelCall& call) { return polynomial_kernel<ChebyshevFamily<Chebyshev::T, 6, true>>(call); }
KernelStatus shifted_chebyshev_u_kernel(KernelCall& call) { return polynomial_kernel<ChebyshevFamily<Chebyshev::U, 6, true>>(call); }
KernelStatus shifted_chebyshev_v_kernel(KernelCall& call) { return polynomial_kernel<ChebyshevFamily<Chebyshev::V, 6, true>>(call); }
KernelStatus shifted_chebyshev_w_kernel(KernelCall& call) { return polynomial_kernel<ChebyshevFamily<Chebyshev::W, 4, true>>(call); }
KernelStatus hermite_h_kernel(KernelCall& call) { return polynomial_kernel<HermiteFamily<2>>(call); }
KernelStatus hermite_he_kernel(KernelCall& call) { return polynomial_kernel<HermiteFamily<1>>(call); }
KernelStatus laguerre_l_kernel(KernelCall& call) { return polynomial_kernel<LaguerreFamily>(call); }
KernelStatus legendre_p_kernel(KernelCall& call) { return polynomial_kernel<LegendreFamily>(call); }

}  // namespace monograph
