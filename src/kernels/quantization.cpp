// PyTorch's arithmetic of quantized tensors, operation by operation, so that the integers are the same.
#include "kernels/quantization.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace monograph {
namespace {

template <class F>
void dispatch_integers(DType t, F&& f) {
  switch (t) {
    case DType::qu8: return f(uint8_t{});
    case DType::qi8: return f(int8_t{});
    default: return f(int32_t{});
  }
}

template <class T>
T cut(int32_t q) {
  return static_cast<T>(std::clamp<int32_t>(q, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

// What the processor's conversion of a vector gives: the nearest int32, and the smallest one for what is below it.
int32_t rounded(float x) {
  constexpr float kLargest = 2147483520.0f;  // the largest float below 2^31
  x = x < kLargest ? x : kLargest;  // also a NaN
  return x < -2147483648.0f ? std::numeric_limits<int32_t>::min() : static_cast<int32_t>(std::nearbyint(x));
}

int32_t wrapping_add(int32_t a, int32_t b) { return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b)); }
int32_t wrapping_sub(int32_t a, int32_t b) { return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b)); }

// In quantize_per_tensor: the zero point is added before it is rounded, and a NaN becomes the largest integer.
template <class T>
T quantized_in_tensor(float x, float inverse, int32_t zero_point) {
  return cut<T>(rounded(std::fma(x, inverse, static_cast<float>(zero_point))));
}

// Alone: as in a tensor, with a product that is rounded. A NaN becomes 0.
template <class T>
T quantized_alone(float x, float inverse, int32_t zero_point) {
  constexpr bool wide = sizeof(T) == 4;
  const float q = std::nearbyint(static_cast<float>(zero_point) + x * inverse);
  if (q != q) return wide ? std::numeric_limits<T>::min() : T{0};
  return static_cast<T>(std::clamp<double>(q, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

// In a sum of vectors: the zero point is added to an integer of 8 bits.
template <class T>
T quantized_in_vector(float x, float inverse, int32_t zero_point) {
  if (sizeof(T) == 4) return quantized_alone<T>(x, inverse, zero_point);
  return cut<T>(wrapping_add(rounded(x * inverse), zero_point));
}

template <class T>
float dequantized(T q, Quantization as) {
  return static_cast<float>(wrapping_sub(q, as.zero_point)) * as.scale;
}

// With a scale for each channel: int32 does not wrap around.
float dequantized_in_channel(int64_t q, Quantization as) { return static_cast<float>(q - as.zero_point) * as.scale; }

// The same in a sum of vectors: scale * q - scale * zero point, where the second product is rounded and the rest is one operation.
template <class T>
float dequantized_in_vector(T q, Quantization as) {
  return std::fma(as.scale, static_cast<float>(q), -as.scale * static_cast<float>(as.zero_point));
}

// A product of integers as an integer of the result, whose numbers are `multiplier` times as large.
template <class T>
T requantized(int32_t product, float multiplier, int32_t zero_point) {
  return cut<T>(wrapping_add(rounded(static_cast<float>(product) * multiplier), zero_point));
}

}  // namespace

void quantize_elements(const float* from, int64_t n, Quantization as, QuantizedLoop loop, char* to) {
  const float inverse = 1.0f / as.scale;
  dispatch_integers(as.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* out = reinterpret_cast<T*>(to);
    if (sizeof(T) == 1 && loop == QuantizedLoop::Tensor)
      for (int64_t i = 0; i < n; ++i) out[i] = quantized_in_tensor<T>(from[i], inverse, as.zero_point);
    else
      for (int64_t i = 0; i < n; ++i) out[i] = quantized_alone<T>(from[i], inverse, as.zero_point);
  });
}

void dequantize_elements(const char* from, int64_t n, Quantization as, QuantizedLoop loop, float* to) {
  dispatch_integers(as.dtype, [&](auto zero) {
    const auto* in = reinterpret_cast<const decltype(zero)*>(from);
    for (int64_t i = 0; i < n; ++i) to[i] = loop == QuantizedLoop::Tensor ? dequantized(in[i], as) : dequantized_in_channel(in[i], as);
  });
}

void quantized_sum(const QuantizedOperand& a, const QuantizedOperand& b, bool relu, int64_t n, Quantization as, char* to) {
  const float inverse = 1.0f / as.scale;
  const auto sum = [relu](float x, float y) { return relu ? std::max(x + y, 0.0f) : x + y; };
  dispatch_integers(as.dtype, [&](auto zero) {
    using T = decltype(zero);
    constexpr int64_t step = 64 / sizeof(T);  // the elements of PyTorch's loop over vectors: two vectors at once
    const T *left = reinterpret_cast<const T*>(a.data), *right = reinterpret_cast<const T*>(b.data);
    T* out = reinterpret_cast<T*>(to);
    int64_t i = 0;
    for (; i < n / step * step; ++i) {
      const float c = sum(dequantized_in_vector(left[i], a.as), dequantized_in_vector(right[i], b.as));
      out[i] = quantized_in_vector<T>(c, inverse, as.zero_point);
    }
    for (; i < n; ++i) out[i] = quantized_alone<T>(sum(dequantized(left[i], a.as), dequantized(right[i], b.as)), inverse, as.zero_point);
  });
}

void quantized_product(const QuantizedOperand& a, const QuantizedOperand& b, bool relu, int64_t n, Quantization as, char* to) {
  const float multiplier = a.as.scale * b.as.scale * (1.0f / as.scale);
  dispatch_integers(as.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T *left = reinterpret_cast<const T*>(a.data), *right = reinterpret_cast<const T*>(b.data);
    T* out = reinterpret_cast<T*>(to);
    for (int64_t i = 0; i < n; ++i) {
      const auto x = static_cast<uint32_t>(wrapping_sub(left[i], a.as.zero_point)),
                 y = static_cast<uint32_t>(wrapping_sub(right[i], b.as.zero_point));
      const auto product = static_cast<int32_t>(x * y);
      out[i] = requantized<T>(relu ? std::max(product, 0) : product, multiplier, as.zero_point);
    }
  });
}

}  // namespace monograph
