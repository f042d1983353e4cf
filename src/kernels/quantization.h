// Real numbers as integers with a scale and a zero point, and back: loops over elements without gaps (core/quantizer.h tells what the numbers mean).
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace monograph {

// How an integer stands for a number, in the types that kernels compute in.
struct Quantization {
  DType dtype;  // of a quantized kind
  float scale;
  int32_t zero_point;
};

// How PyTorch rounds. The two differ by the last bit of a product, for NaN, and where an int32 is too small.
enum class QuantizedLoop : uint8_t { Tensor, Channel };

// The integers of n float32 numbers.
void quantize_elements(const float* from, int64_t n, Quantization as, QuantizedLoop loop, char* to);
// The numbers of n integers: (integer - zero point) * scale.
void dequantize_elements(const char* from, int64_t n, Quantization as, QuantizedLoop loop, float* to);

// The sum and the product of two quantized operands of one dtype, each with n elements, as integers that stand for numbers otherwise. relu: with 0 in place
// of what is below it.
struct QuantizedOperand {
  const char* data;
  Quantization as;
};
void quantized_sum(const QuantizedOperand& a, const QuantizedOperand& b, bool relu, int64_t n, Quantization as, char* to);
void quantized_product(const QuantizedOperand& a, const QuantizedOperand& b, bool relu, int64_t n, Quantization as, char* to);

}  // namespace monograph
