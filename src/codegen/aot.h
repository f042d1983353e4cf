// Objects ahead of time: a layer as an object file with a C interface. Its weights and its own loops are in it; for products and threads it
// calls the C library of kernels (libmonograph_kernels.a, include/monograph/kernels.h). Linked with that it needs libc, libm and pthreads at most:
//
//   cc -shared -Wl,-z,nodelete -o layer.so layer.o -lmonograph_kernels -lm -lpthread
#pragma once

#include <cstdint>
#include <string>

#include "codegen/emit.h"

namespace monograph {

// y = epilogue(x @ weight.T, bias): a linear layer and what pointwise follows it.
struct AotLinear {
  std::string symbol;  // int32_t symbol(const T* x, T* y, int64_t rows); contiguous; 0, below 0 where the product fails,
      // as on a machine without the instruction set, or above 0 where the epilogue raises
  DType type = DType::f32;  // T: f32 or f64
  int64_t in = 0, out = 0;
  const void* weight = nullptr;  // out x in, contiguous
  const void* bias = nullptr;  // out values, or null
  Body epilogue;  // expanded; arguments: the product and, with a bias, the bias; one result
};

// The object file for one instruction set (v3 or v4). Its code has the bits of the eager operators, the JIT and the Program.
std::string aot_object(const AotLinear& layer, Isa isa);

}  // namespace monograph
