// The C++ types in which kernels compute and move elements.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "core/dtype.h"

namespace monograph {

template <class T>
inline constexpr bool is_half = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

// The type in which an operation on elements of type T computes: float for float16 and bfloat16, else T. PyTorch calls it opmath_type.
template <class T> using OpMathType = std::conditional_t<is_half<T>, float, T>;

// The type in which a chain of multiply-adds is accumulated. A complex element has two such numbers.
template <class T>
using ChainType = std::conditional_t<std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>, double, float>;

// An element of 16 bytes that is only moved.
struct Element16 {
  uint64_t parts[2];
};

// Calls f with a zero of an unsigned type of `bytes` bytes, for loops that only move elements.
template <class F>
void dispatch_unsigned(int64_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    case 8: return f(uint64_t{});
    default: return f(Element16{});
  }
}

}  // namespace monograph
