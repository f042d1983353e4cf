// Objects ahead of time: a layer as an object file with a C interface. It needs libc and libm at most: weights, kernels and the loops
// around them are all in it. Linked with `cc -shared` (or ld.lld) it is a shared object that ships alone.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/emit.h"

namespace monograph {

// y = epilogue(x @ weight.T, bias): a linear layer and what pointwise follows it.
struct AotLinear {
  std::string symbol;  // int32_t symbol(const T* x, T* y, int64_t rows); contiguous; 0, or not 0 where the epilogue raises
  DType type = DType::f32;  // T: f32 or f64
  int64_t in = 0, out = 0;
  const void* weight = nullptr;  // out x in, contiguous
  const void* bias = nullptr;  // out values, or null
  Body epilogue;  // expanded; arguments: the product and, with a bias, the bias; one result
};

// The object file for one instruction set (v3 or v4). Its code has the bits of the eager operators, the JIT and the Program.
std::string aot_object(const AotLinear& layer, Isa isa);

}  // namespace monograph
