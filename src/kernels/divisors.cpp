// gcd and lcm by Euclid's algorithm, row by row over broadcast operands; frexp by the C library.
#include "kernels/divisors.h"

#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "kernels/element_types.h"
#include "kernels/walk.h"

namespace monograph {
namespace {

constexpr int64_t kDivisions = 200;  // the approximate number of instructions of Euclid's algorithm

template <class T>
T magnitude(T x) {
  using U = std::make_unsigned_t<T>;
  return x < 0 ? static_cast<T>(U{0} - static_cast<U>(x)) : x;  // the absolute value of the smallest integer is itself
}

template <class T>
T greatest_divisor(T a, T b) {
  a = magnitude(a), b = magnitude(b);
  while (a != 0) {
    const T rest = static_cast<T>(b % a);
    b = a, a = rest;
  }
  return b;
}

template <class T>
T least_multiple(T a, T b) {
  using U = std::make_unsigned_t<T>;
  T divisor = greatest_divisor(a, b);
  if (divisor == 0) return 0;
  if (divisor == -1) divisor = 1;  // of the smallest integer and 7; the smallest integer divided by -1 ends the process
  if constexpr (sizeof(T) < sizeof(int)) return static_cast<T>(std::abs(a / divisor * b));  // the absolute value, whose lower bits are kept
  return magnitude(static_cast<T>(static_cast<uint64_t>(static_cast<U>(a / divisor)) * static_cast<uint64_t>(static_cast<U>(b))));
}

template <bool kMultiple>
void common(const KernelCall& call) {
  dispatch(call.results[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      for_rows<3>({&call.results[0], &call.args[0].tensor, &call.args[1].tensor}, kDivisions, [](const BroadcastRow<3>& r) {
        auto* out = reinterpret_cast<T*>(r.first[0]);
        auto *a = reinterpret_cast<const T*>(r.first[1]), *b = reinterpret_cast<const T*>(r.first[2]);
        for (int64_t i = 0; i < r.n; ++i) {
          const T x = a[i * r.step[1]], y = b[i * r.step[2]];
          out[i * r.step[0]] = kMultiple ? least_multiple(x, y) : greatest_divisor(x, y);
        }
      });
  });
}

}  // namespace

KernelStatus gcd_kernel(KernelCall& call) {
  common<false>(call);
  return KernelStatus::Ok;
}
KernelStatus lcm_kernel(KernelCall& call) {
  common<true>(call);
  return KernelStatus::Ok;
}

KernelStatus frexp_kernel(KernelCall& call) {
  constexpr int64_t kCost = 8;
  dispatch(call.args[0].tensor.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T> || is_half<T>)
      for_rows<3>({&call.results[0], &call.results[1], &call.args[0].tensor}, kCost, [](const BroadcastRow<3>& r) {
        auto* mantissa = reinterpret_cast<T*>(r.first[0]);
        auto* exponent = reinterpret_cast<int32_t*>(r.first[1]);
        auto* x = reinterpret_cast<const T*>(r.first[2]);
        for (int64_t i = 0; i < r.n; ++i) {
          int power = 0;
          mantissa[i * r.step[0]] = T(std::frexp(static_cast<OpMathType<T>>(x[i * r.step[2]]), &power));
          exponent[i * r.step[1]] = power;
        }
      });
  });
  return KernelStatus::Ok;
}

}  // namespace monograph
