// Conversions of a kernel's numeric arguments.
#pragma once

#include <complex>
#include <type_traits>

#include "kernels/call.h"
#include "kernels/element_types.h"

namespace monograph {

inline double real_of(const KernelArg& a) {
  switch (a.kind) {
    case KernelArg::Kind::Bool: return a.boolean;
    case KernelArg::Kind::Int: return static_cast<double>(a.integer);
    case KernelArg::Kind::Float: return a.number;
    case KernelArg::Kind::Complex: return a.parts[0];
    default: return 0;
  }
}
inline int64_t integer_of(const KernelArg& a) {
  if (a.kind == KernelArg::Kind::Bool) return a.boolean;
  return a.kind == KernelArg::Kind::Int ? a.integer : static_cast<int64_t>(real_of(a));
}

// Entry k of a list of ints; a list of length one holds for every k, as kernel_size=[3] does.
inline int64_t entry(const KernelArg& list, size_t k) { return list.ints.values[list.ints.count == 1 ? 0 : k]; }

// The number converted to an element of type T: a float is truncated for an integer type; a complex number gives its real part for a real type.
template <class T>
T number_as(const KernelArg& a) {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    using Part = typename T::value_type;
    const bool is_complex = a.kind == KernelArg::Kind::Complex;
    return {static_cast<Part>(real_of(a)), static_cast<Part>(is_complex ? a.parts[1] : 0)};
  } else if constexpr (std::is_same_v<T, bool>) {
    return real_of(a) != 0 || (a.kind == KernelArg::Kind::Complex && a.parts[1] != 0);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(integer_of(a));
  } else if constexpr (is_half<T>) {
    return T(static_cast<float>(real_of(a)));
  } else {
    return static_cast<T>(real_of(a));
  }
}

}  // namespace monograph
